// Command goexecutor shows a Go service that runs jobs: copy it, put your own handlers
// in place of the two, and you are done. A gluewheel or an XXL-JOB admin fires them.
//
//	ADMIN=http://127.0.0.1:8080 TOKEN=… go run ./samples/goexecutor
//
// Then create an executor group with the app name go-sample at the admin, and jobs of
// type BEAN in it with the handlers "greet" and "sum".
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/gluewheel/gluewheel/executor"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if err := run(ctx); err != nil {
		slog.Error("goexecutor", "error", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	e, err := executor.New(executor.Config{
		AppName:        "go-sample",
		AdminAddresses: strings.Split(cmp.Or(os.Getenv("ADMIN"), "http://127.0.0.1:8080"), ","),
		Token:          os.Getenv("TOKEN"),
		Listen:         "127.0.0.1:9998",
		// A service uses a directory that survives its restarts.
		DataDir: filepath.Join(os.TempDir(), "gluewheel-go-sample"),
	})
	if err != nil {
		return err
	}
	err = errors.Join(
		e.Handle("greet", greet),
		e.Handle("sum", sum),
	)
	if err != nil {
		return err
	}
	return e.Run(ctx)
}

// greet is the least that a handler is: an error would make the run fail.
func greet(_ context.Context, job *executor.Job) error {
	job.Logf("hello, %s", cmp.Or(job.Param(), "world"))
	return nil
}

// sum adds the numbers of its parameter. It shows a result, progress, a share of a
// sharding broadcast, and how to end early when the run is killed or out of time.
func sum(ctx context.Context, job *executor.Job) error {
	index, total := job.Shard()
	words := strings.Fields(job.Param())
	result := 0
	for i, word := range words {
		if i%total != index {
			continue // another executor's share
		}
		n, err := strconv.Atoi(word)
		if err != nil {
			return fmt.Errorf("the parameter must be numbers with spaces between them: %w", err)
		}
		result += n
		job.Progress(100*float64(i+1)/float64(len(words)), word)
		select {
		case <-time.After(100 * time.Millisecond): // stands for work
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	job.SetResult(strconv.Itoa(result))
	return nil
}
