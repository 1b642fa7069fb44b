package callback

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/gluewheel/gluewheel/executor/adminclient"
	"github.com/gluewheel/gluewheel/executor/protocol"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fakeAdmins are two addresses whose answers the test decides.
type fakeAdmins struct {
	mu     sync.Mutex
	calls  []call
	answer func(c call) error
}

type call struct {
	address string
	at      time.Time
	body    string
	ids     []int64
	wrapped bool
}

func (f *fakeAdmins) Addresses() []string { return []string{"a", "b"} }

func (f *fakeAdmins) Call(_ context.Context, address, name string, body []byte) error {
	if name != adminclient.CallCallback {
		return errors.New("wrong call")
	}
	c := call{address: address, at: time.Now(), body: string(body)}
	var list []protocol.Callback
	if err := json.Unmarshal(body, &list); err != nil {
		var object wrappedBatch
		if err := json.Unmarshal(body, &object); err != nil {
			return err
		}
		list, c.wrapped = object.CallbackList, true
	}
	for _, cb := range list {
		c.ids = append(c.ids, int64(cb.LogID))
	}
	time.Sleep(20 * time.Millisecond) // an admin answers after its commit
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls = append(f.calls, c)
	if f.answer == nil {
		return nil
	}
	return f.answer(c)
}

func (f *fakeAdmins) setAnswer(answer func(c call) error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.answer = answer
}

func (f *fakeAdmins) seen() []call {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.calls)
}

// bundle is a running sender.
type bundle struct {
	*Sender
	admins *fakeAdmins

	mu    sync.Mutex
	acked []int64
}

func setup(t *testing.T) *bundle {
	t.Helper()
	return setupWith(t, nil)
}

func setupWith(t *testing.T, complete func(*protocol.Callback)) *bundle {
	t.Helper()
	b := &bundle{admins: &fakeAdmins{}}
	var err error
	b.Sender, err = New(Config{Admins: b.admins, Complete: complete, Acked: func(ids []int64) {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.acked = append(b.acked, ids...)
	}})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	var run sync.WaitGroup
	run.Go(func() { require.NoError(t, b.Run(ctx)) })
	t.Cleanup(func() { cancel(); run.Wait() })
	return b
}

func (b *bundle) sorted() []int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Sorted(slices.Values(b.acked))
}

func results(from, to int64) []protocol.Callback {
	var all []protocol.Callback
	for id := from; id <= to; id++ {
		all = append(all, protocol.Callback{LogID: protocol.Int(id), HandleCode: protocol.CodeOK})
	}
	return all
}

func numbers(from, to int64) []int64 {
	var all []int64
	for id := from; id <= to; id++ {
		all = append(all, id)
	}
	return all
}

func refusal(msg string) error {
	return &adminclient.RefusedError{Address: "a", Code: protocol.CodeFail, Msg: msg}
}

func TestSender_Batches(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := setup(t)
		require.NoError(t, b.Flush(t.Context()), "nothing to flush")
		b.Add(results(1, 1000)...)
		require.NoError(t, b.Flush(t.Context()))
		require.Equal(t, numbers(1, 1000), b.sorted())
		require.Len(t, b.admins.seen(), 5)
		for _, c := range b.admins.seen() {
			require.Len(t, c.ids, maxBatch)
			require.Equal(t, "a", c.address)
		}
	})
}

func TestSender_BatchesAreBoundedInBytes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := setup(t)
		msg := strings.Repeat("x", protocol.MaxMessage)
		all := results(1, 100)
		for i := range all {
			all[i].HandleMsg = &msg
		}
		b.Add(all...)
		require.NoError(t, b.Flush(t.Context()))
		for _, c := range b.admins.seen() {
			require.LessOrEqual(t, len(c.body), maxBatchBytes+protocol.MaxMessage+1000)
		}
		require.Equal(t, numbers(1, 100), b.sorted())
	})
}

func TestSender_NextAdminInOrder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := setup(t)
		b.admins.setAnswer(func(c call) error {
			if c.address == "a" {
				return errors.New("connection refused")
			}
			return nil
		})
		b.Add(results(1, 1)...)
		require.NoError(t, b.Flush(t.Context()))
		require.Len(t, b.admins.seen(), 2)
	})
}

func TestSender_KeepsTryingWhileNobodyIsThere(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := setup(t)
		b.admins.setAnswer(func(call) error { return errors.New("connection refused") })
		b.Add(results(1, 500)...)
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
		defer cancel()
		require.ErrorIs(t, b.Flush(ctx), context.DeadlineExceeded)
		calls := len(b.admins.seen())
		// Two addresses, four workers, every 5 s.
		require.Less(t, calls, 2*parallel*(120/5+8), "attempts back off")
		require.Empty(t, b.sorted())

		b.admins.setAnswer(nil)
		back := time.Now()
		require.NoError(t, b.Flush(t.Context()))
		require.Less(t, time.Since(back), maxBackoff+time.Second)
		require.Equal(t, numbers(1, 500), b.sorted(), "each once")
	})
}

func TestSender_DialectIsRemembered(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := setup(t)
		b.admins.setAnswer(func(c call) error {
			if !c.wrapped {
				return refusal("openapi invoke error: Expected BEGIN_OBJECT but was BEGIN_ARRAY")
			}
			return nil
		})
		for id := range int64(3) {
			b.Add(results(id+1, id+1)...)
			require.NoError(t, b.Flush(t.Context()))
		}
		require.Len(t, b.admins.seen(), 4, "one attempt in the wrong dialect")
		require.True(t, strings.HasPrefix(b.admins.seen()[3].body, `{"callbackList":[{"logId":3`))

		b.admins.setAnswer(func(c call) error {
			if c.wrapped {
				return refusal("openapi invoke error: it was downgraded")
			}
			return nil
		})
		b.Add(results(9, 9)...)
		require.NoError(t, b.Flush(t.Context()))
		require.False(t, b.admins.seen()[5].wrapped)
	})
}

func TestSender_UnreadableResultDoesNotHoldTheOthersBack(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := setup(t)
		b.admins.setAnswer(func(c call) error {
			if slices.Contains(c.ids, 77) {
				return refusal("openapi invoke error: 77 is poisoned")
			}
			return nil
		})
		b.Add(results(1, 150)...)
		time.Sleep(5 * time.Second)
		want := slices.DeleteFunc(numbers(1, 150), func(id int64) bool { return id == 77 })
		require.Equal(t, want, b.sorted())
		b.admins.setAnswer(nil)
		require.NoError(t, b.Flush(t.Context()))
		require.Equal(t, numbers(1, 150), b.sorted())
	})
}

func TestSender_RefusedForAnotherReasonIsNotSplit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := setup(t)
		b.admins.setAnswer(func(call) error { return refusal(protocol.MsgBadToken) })
		b.Add(results(1, 100)...)
		time.Sleep(100 * time.Millisecond)
		for _, c := range b.admins.seen() {
			require.Len(t, c.ids, 100)
		}
		b.admins.setAnswer(nil)
		require.NoError(t, b.Flush(t.Context()))
	})
}

func TestSender_CompletesOnTheWireOnly(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		tail := "the end of the log"
		b := setupWith(t, func(cb *protocol.Callback) { cb.Gluewheel = &protocol.CallbackX{LogTail: &tail} })
		fail := errors.New("away")
		b.admins.setAnswer(func(call) error { return fail })
		b.Add(results(1, 1)...)
		time.Sleep(100 * time.Millisecond)
		b.Sender.mu.Lock()
		require.Nil(t, b.waiting[0].Gluewheel)
		b.Sender.mu.Unlock()
		b.admins.setAnswer(nil)
		require.NoError(t, b.Flush(t.Context()))
		require.Contains(t, b.admins.seen()[0].body, "the end of the log")
	})
}

func TestNew_NeedsAdmins(t *testing.T) {
	t.Parallel()
	_, err := New(Config{})
	require.Error(t, err)
}
