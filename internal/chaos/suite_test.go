//go:build chaos

package chaos

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestMain(m *testing.M) {
	if os.Getenv(executorEnv) != "" {
		os.Exit(runExecutor())
	}
	os.Exit(m.Run())
}

// settings are what the environment says about a run of the suite.
type settings struct {
	duration time.Duration
	seed     uint64
	faults   []string
	size     size // zero = usualSize
}

// size is how many processes there are.
type size struct{ admins, executors int }

var usualSize = size{2, 3}

func readSettings(t *testing.T) settings {
	t.Helper()
	var s settings
	var err error
	s.duration, err = time.ParseDuration(cmp.Or(os.Getenv("CHAOS_DURATION"), "15m"))
	require.NoError(t, err, "CHAOS_DURATION")
	s.seed = uint64(time.Now().UnixNano()) % 1_000_000
	if text := os.Getenv("CHAOS_SEED"); text != "" {
		s.seed, err = strconv.ParseUint(text, 10, 64)
		require.NoError(t, err, "CHAOS_SEED")
	}
	var names []string
	for _, f := range allFaults() {
		names = append(names, f.name)
	}
	s.faults, err = Choose(names, os.Getenv("CHAOS_FAULTS"))
	require.NoError(t, err, "CHAOS_FAULTS")
	if text := os.Getenv("CHAOS_SIZE"); text != "" {
		_, err := fmt.Sscanf(text, "%dx%d", &s.size.admins, &s.size.executors)
		require.NoError(t, err, "CHAOS_SIZE, such as 2x3")
		require.True(t, s.size.admins > 0 && s.size.executors > 0, "CHAOS_SIZE: at least one of each")
	}
	return s
}

// TestChaos is make chaos.
func TestChaos(t *testing.T) {
	s := readSettings(t)
	var b binaries
	if slices.Contains(s.faults, "clock-step") {
		b = buildStepped(t)
	} else {
		b = build(t)
	}
	e := storm(t, b, s)
	judge(t, e, s)
	if len(s.faults) == len(allFaults()) && s.size == (size{}) {
		least := int(firesPerSecond * s.duration.Seconds())
		require.GreaterOrEqual(t, len(e.Starts), least, "too few fires to show anything")
	}
}

// firesPerSecond is the least load under which the promises are shown: 20,000 fires in
// 15 minutes.
const firesPerSecond = 20_000.0 / (15 * 60)

// TestChaosSmoke is make chaos-smoke: the same faults each time, within make test-long.
func TestChaosSmoke(t *testing.T) {
	s := settings{duration: 90 * time.Second, seed: 1, faults: smokeFaults}
	e := storm(t, build(t), s)
	judge(t, e, s)
}

// TestJudgeAgain is for looking into a failure: it judges the evidence that a failed run
// left behind, in the file that CHAOS_EVIDENCE names.
func TestJudgeAgain(t *testing.T) {
	file := os.Getenv("CHAOS_EVIDENCE")
	if file == "" {
		t.Skip("CHAOS_EVIDENCE names no file")
	}
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	var e Evidence
	require.NoError(t, json.Unmarshal(text, &e))
	judge(t, &e, settings{})
}

// keep writes the evidence beside the logs, which stay when the test fails.
func (w *world) keep(e *Evidence) {
	text, err := json.Marshal(e)
	require.NoError(w.t, err)
	require.NoError(w.t, os.WriteFile(filepath.Join(w.dir, "evidence.json"), text, 0o600))
}

// judge fails the test for every broken promise, with the history of the fires.
func judge(t *testing.T, e *Evidence, s settings) {
	t.Helper()
	t.Log(Figures(e))
	found := Check(e)
	t.Logf("%d broken promises, of them %d that doctor found", len(found), len(e.Audit))
	if len(found) == 0 {
		return
	}
	counts := map[Kind]int{}
	for _, v := range found {
		counts[v.Kind]++
		if counts[v.Kind] > 8 {
			continue
		}
		t.Errorf("%s, job %d: %s", v.Kind, v.Job, v.Text)
		if len(v.Runs) == 0 {
			t.Log(e.JobHistory(v.Job))
		}
		for _, run := range v.Runs {
			t.Log(e.History(run))
		}
	}
	t.Fatalf("%d broken promises %v; again with CHAOS_SEED=%d CHAOS_DURATION=%v CHAOS_FAULTS=%s",
		len(found), counts, s.seed, s.duration, strings.Join(s.faults, ","))
}

// storm runs the whole suite once and answers what was seen.
func storm(t *testing.T, b binaries, s settings) *Evidence {
	t.Helper()
	of := cmp.Or(s.size, usualSize)
	t.Logf("CHAOS_SEED=%d CHAOS_DURATION=%v CHAOS_SIZE=%dx%d, %d kinds of faults", s.seed, s.duration, of.admins, of.executors, len(s.faults))
	w := newWorld(t, b, of.admins, of.executors)
	p, err := newPeople(t.Context(), w, s.seed)
	require.NoError(t, err)
	plan := MakePlan(s.seed, s.faults, s.duration)
	if left := WithoutTurn(s.faults, plan); len(left) > 0 {
		t.Logf("%v is too short: NO TURN for %d kinds of faults: %s", s.duration, len(left), strings.Join(left, " "))
	}
	ctx, stop := context.WithCancel(t.Context())
	worked := make(chan error, 1)
	go func() { worked <- p.work(ctx) }()

	faults := w.play(plan)

	// Long enough without a fault for figures of undisturbed fires, and for backlogs.
	time.Sleep(calmBefore + 5*time.Second)
	stop()
	require.NoError(t, <-worked)
	audit := w.askDoctor() // who looks at the schedules of started jobs
	require.NoError(t, p.stopAll(t.Context()))
	w.settle()
	e := w.evidence(p, faults)
	e.Audit = append(audit, w.askDoctor()...)
	w.keep(e)
	if idle := w.idle(); len(idle) > 0 {
		t.Logf("never used: %s", strings.Join(idle, ", "))
	}
	return e
}

// askDoctor is what `gluewheel doctor` finds, but for what the suite's own server is set
// to and what is only a warning.
func (w *world) askDoctor() (wrong []string) {
	w.t.Helper()
	cmd := exec.Command(w.admin, "doctor", "--json", "--database-url", w.pg.url("gluewheel", w.pg.addr, "gluewheel"))
	cmd.Env = w.env("doctor", "GLUEWHEEL_EXECUTOR_TOKEN="+token)
	out, _ := cmd.Output() // its exit code says what the report does
	var report struct {
		Findings []struct{ Check, Severity, Message string }
	}
	require.NoError(w.t, json.Unmarshal(out, &report), "%s", out)
	for _, f := range report.Findings {
		w.t.Logf("doctor: %s %s: %s", f.Severity, f.Check, f.Message)
		if f.Severity == "error" && f.Check != "fsync" {
			wrong = append(wrong, f.Check+": "+f.Message)
		}
	}
	return wrong
}

// play carries out a plan, one fault after the other, and heals each.
func (w *world) play(plan []Step) []Window {
	w.t.Helper()
	byName := map[string]fault{}
	for _, f := range allFaults() {
		byName[f.name] = f
	}
	var faults []Window
	notRun := map[string]error{}
	for _, step := range plan {
		time.Sleep(step.Calm)
		f := byName[step.Fault]
		from := time.Now()
		detail, heal, err := f.begin(w.t.Context(), w, rand.New(rand.NewPCG(step.Seed, 2)))
		if errors.Is(err, errNotHere) {
			notRun[f.name] = err
			continue
		}
		if err == nil {
			time.Sleep(cmp.Or(f.hold, step.Hold))
		}
		err = errors.Join(err, heal(), w.startAll(w.t.Context()))
		require.NoError(w.t, err, "fault %s", f.name)
		faults = append(faults, Window{Fault: f.name, Detail: detail, From: from, To: time.Now()})
		w.t.Logf("%s to %s  %s %s", clock(from), clock(time.Now()), f.name, detail)
	}
	for name, err := range notRun {
		w.t.Logf("NOT RUN: %s: %v", name, err)
	}
	w.t.Logf("%d faults carried out, %d kinds NOT RUN", len(faults), len(notRun))
	return faults
}

// settle waits until every row has ended, or for a minute.
func (w *world) settle() {
	for began := time.Now(); w.machine.since(began) < time.Minute; time.Sleep(500 * time.Millisecond) {
		if n, err := w.count(`SELECT count(*) FROM run WHERE ended_at IS NULL`); err == nil && n == 0 {
			return
		}
	}
}

// evidence gathers what is to be judged.
func (w *world) evidence(p *people, faults []Window) *Evidence {
	w.t.Helper()
	e := &Evidence{Jobs: p.jobs, Triggers: p.triggers, Faults: faults, Stalls: w.machine.all(), Executors: map[string]string{}}
	var err error
	e.Rows, err = query[Row](w.t.Context(), w, ReadRows)
	require.NoError(w.t, err)
	e.Changes, err = query[Change](w.t.Context(), w, ReadChanges)
	require.NoError(w.t, err)
	for _, x := range w.executors {
		e.Executors[x.base()] = x.name
		starts, err := ReadWitness(x.witness, x.name)
		require.NoError(w.t, err)
		e.Starts = append(e.Starts, starts...)
	}
	for _, x := range w.foreign {
		e.Executors[x.base()] = x.name
		starts, err := ReadWitness(x.path, x.name)
		require.NoError(w.t, err)
		e.Starts = append(e.Starts, starts...)
		x.mu.Lock()
		e.Denials = append(e.Denials, x.denials...)
		x.mu.Unlock()
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	e.Deaths = slices.Clone(w.deaths)
	for _, v := range w.exits {
		w.t.Errorf("%s: %s", v.Kind, v.Text)
	}
	if len(w.exits) > 0 {
		w.t.Log(w.logs(4000))
	}
	require.NotEmpty(w.t, e.Rows)
	w.keep(e)
	return e
}
