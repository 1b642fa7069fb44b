package registry

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/job"
)

// IdleBeat answers that the job is idle at addresses that setIdle named.
func (b *bundle) IdleBeat(_ context.Context, t job.Target, _ int32) job.Outcome {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.idleAsked++
	if b.idleAt[t.Address] {
		return job.Outcome{Verdict: job.Accepted}
	}
	return job.Outcome{Verdict: job.Refused, Code: 500}
}

func (b *bundle) setIdle(address string, idle bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.idleAt[address] = idle
}

func (b *bundle) asked() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.idleAsked
}

// Java that died and came back within 90 s knows nothing of what it ran.
func TestLost_WhatALiveForeignExecutorForgot(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := start(t)
		require.NoError(t, b.Registry.Beat(java))
		b.running(1, java.Address, job.Running)
		b.setIdle(java.Address, true)
		b.beats(t, java, 9*time.Minute+30*time.Second)
		require.Zero(t, b.asked(), "not before ten minutes")
		b.beats(t, java, time.Minute)
		require.Empty(t, b.allLost(), "idle once is not enough")
		b.running(2, java.Address, job.Running)
		b.beats(t, java, time.Minute)
		require.Equal(t, map[int64]string{1: job.ReasonLostResult}, b.allLost(), "and not what is young")
	})
}

func TestLost_ABusyAnswerBeginsAnew(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := start(t)
		require.NoError(t, b.Registry.Beat(java))
		b.running(1, java.Address, job.Running)
		idle := false
		for end := time.Now().Add(time.Hour); time.Now().Before(end); idle = !idle {
			n := b.asked()
			b.setIdle(java.Address, idle)
			for b.asked() == n && time.Now().Before(end) { // one answer
				b.beats(t, java, time.Second)
			}
		}
		require.Empty(t, b.allLost())
		require.Greater(t, b.asked(), 20)
		require.LessOrEqual(t, b.asked(), 51, "once a minute")
	})
}

func TestLost_AddressesThatWereEnteredForget(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := start(t)
		b.answers["http://entered:1"] = true
		b.setIdle("http://entered:1", true)
		b.running(1, "http://entered:1", job.Running)
		time.Sleep(12 * time.Minute)
		require.Equal(t, job.ReasonLostResult, b.reason(1))
	})
}

// Many are asked in turn, a bounded number a round.
func TestLost_AsksABoundedNumber(t *testing.T) {
	t.Parallel()
	b := &Registry{idle: map[work]idleness{}}
	runs := map[work][]job.OpenRun{}
	for i := range 3 * idleProbes {
		runs[work{fmt.Sprint(i), 1}] = nil
	}
	b.idle[work{"gone", 1}] = idleness{}
	now, seen := time.Now(), map[work]bool{}
	for range 3 {
		asked := b.nextIdle(now, runs)
		require.Len(t, asked, idleProbes)
		for _, w := range asked {
			require.False(t, seen[w])
			seen[w] = true
			b.idle[w] = idleness{asked: now}
		}
		now = now.Add(10 * time.Second)
	}
	require.Empty(t, b.nextIdle(now, runs), "none twice a minute")
	require.Len(t, b.idle, 3*idleProbes)
}
