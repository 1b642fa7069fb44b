package executor_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/gluewheel/gluewheel/executor"
)

// A Go service that takes jobs: configure, register handlers, run until it is told to
// stop.
func Example() {
	dataDir, err := os.MkdirTemp("", "executor") // in a service: a directory that stays
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dataDir)

	e, err := executor.New(executor.Config{
		AppName:        "orders",
		AdminAddresses: []string{"http://127.0.0.1:8080"},
		Token:          "the token that the admin shows",
		DataDir:        dataDir,
		Listen:         "127.0.0.1:0", // in a service: ":9999", the default
		Log:            slog.New(slog.DiscardHandler),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := e.Handle("sendInvoices", sendInvoices); err != nil {
		fmt.Println(err)
		return
	}

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	go func() { // this example ends by itself
		<-e.Ready()
		fmt.Println("takes triggers")
		stop()
	}()
	if err := e.Run(ctx); err != nil {
		fmt.Println(err)
	}
	// Output: takes triggers
}

// sendInvoices is a handler: the job's JobHandler at the admin is the name that it was
// registered under.
func sendInvoices(ctx context.Context, job *executor.Job) error {
	shard, total := job.Shard()
	job.Logf("sending the invoices of part %d of %d for %q", shard, total, job.Param())
	for i := range 10 {
		select {
		case <-time.After(100 * time.Millisecond): // work
		case <-ctx.Done():
			return errors.New("stopped before the last invoice")
		}
		job.Progress(float64(10*(i+1)), "")
	}
	job.SetResult("10 invoices sent")
	return nil
}
