//go:build chaos

package chaos

import (
	"context"
	"errors"
	"log/slog"
	"net/url"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/gluewheel/gluewheel/executor"
	"github.com/gluewheel/gluewheel/runtime"
	"github.com/gluewheel/gluewheel/runtime/script"
	"github.com/gluewheel/gluewheel/runtime/worker"
)

// executorEnv, when set, makes the test binary an executor process.
const executorEnv = "GLUEWHEEL_CHAOS_EXECUTOR"

// handlerName is the one native handler.
const handlerName = "witness"

// errWanted is how a run fails that was told to.
var errWanted = errors.New("told to fail")

// runExecutor is the executor process.
func runExecutor() int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	if err := serveExecutor(ctx, log); err != nil {
		log.Error("executor ends", "error", err)
		return 1
	}
	return 0
}

func serveExecutor(ctx context.Context, log *slog.Logger) error {
	data := os.Getenv("CHAOS_DATA")
	sandbox, err := worker.New(worker.Config{Exe: os.Getenv("CHAOS_BINARY"), Log: log})
	if err != nil {
		return err
	}
	defer sandbox.Close()
	scripts, err := script.New(script.Config{Dir: filepath.Join(data, "scripts"), Log: log})
	if err != nil {
		return err
	}
	defer scripts.Close()
	w, err := OpenWitness(os.Getenv("CHAOS_WITNESS"), trueTime)
	if err != nil {
		return err
	}
	defer w.Close()
	e, err := executor.New(executor.Config{
		AppName:        appName,
		AdminAddresses: strings.Split(os.Getenv("CHAOS_ADMINS"), ","),
		Token:          token,
		Listen:         os.Getenv("CHAOS_LISTEN"),
		Address:        os.Getenv("CHAOS_ADDRESS"),
		DataDir:        data,
		Engines:        []runtime.Engine{witnessedEngine{sandbox, w}, scripts},
		Log:            log,
	})
	if err != nil {
		return err
	}
	if err := e.Handle(handlerName, func(ctx context.Context, j *executor.Job) error { return witnessed(ctx, w, j) }); err != nil {
		return err
	}
	return e.Run(ctx)
}

// trueTime is the machine's clock, read past package time, which a fault may step.
func trueTime() time.Time {
	var tv syscall.Timeval
	if err := syscall.Gettimeofday(&tv); err != nil {
		return time.Now() // it knows no other error than a bad pointer
	}
	return time.Unix(tv.Sec, tv.Usec*1000)
}

// witnessedEngine writes down the runs of code that cannot do so itself.
type witnessedEngine struct {
	runtime.Engine
	w *Witness
}

func (e witnessedEngine) Prepare(ctx context.Context, src runtime.Source) (runtime.Program, error) {
	p, err := e.Engine.Prepare(ctx, src)
	if err != nil {
		return nil, err
	}
	return witnessedProgram{p, e.w}, nil
}

type witnessedProgram struct {
	runtime.Program
	w *Witness
}

func (p witnessedProgram) Run(ctx context.Context, req runtime.Request) runtime.Result {
	if err := p.w.Start(req.RunID, req.JobID); err != nil {
		return runtime.Result{Kind: runtime.HostError, Message: err.Error()}
	}
	result := p.Program.Run(ctx, req)
	how := EndFail
	switch {
	case result.Kind == runtime.Succeeded:
		how = EndOK
	case ctx.Err() != nil:
		how = EndStopped
	}
	if err := p.w.End(ctx, req.RunID, req.JobID, how); err != nil {
		return runtime.Result{Kind: runtime.HostError, Message: err.Error()}
	}
	return result
}

// witnessed does what its parameter says, a query such as sleep=2s&fail=first, and
// writes down when it started and how it ended.
func witnessed(ctx context.Context, w *Witness, j *executor.Job) error {
	if err := w.Start(j.RunID(), j.ID()); err != nil {
		return err
	}
	err := act(ctx, j)
	how := EndOK
	switch {
	case ctx.Err() != nil:
		how = EndStopped
	case err != nil:
		how = EndFail
	}
	return errors.Join(err, w.End(ctx, j.RunID(), j.ID(), how))
}

func act(ctx context.Context, j *executor.Job) error {
	q, err := url.ParseQuery(j.Param())
	if err != nil {
		return err
	}
	if text := q.Get("sleep"); text != "" {
		d, err := time.ParseDuration(text)
		if err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(d):
		}
	}
	if fail := q.Get("fail"); fail == "always" || fail == "first" && j.Attempt() == 0 {
		return errWanted
	}
	return nil
}
