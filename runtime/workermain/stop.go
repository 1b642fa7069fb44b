package workermain

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"time"

	"golang.org/x/sys/unix"

	"github.com/gluewheel/gluewheel/runtime/frame"
	"github.com/gluewheel/gluewheel/runtime/hostapi"
)

// errCPU interrupts a guest that has used up its CPU time.
var errCPU = errors.New("the job used up its CPU time")

// stopper hears the supervisor's wish that the run should end: at once softly, by
// closing soft, and after a delay by ending the context hard, which interrupts the guest.
// Used up CPU time interrupts at once.
type stopper struct {
	soft    chan struct{}
	hard    context.Context
	release context.CancelFunc
}

// listen reads the supervisor's frames; answers to calls go to calls. When it hangs up it
// is dead or has no more interest, and the process exits, whatever the guest is doing.
func listen(conn *frame.Conn, delay time.Duration, calls *calls, cpuLimited bool) *stopper {
	ctx, cancel := context.WithCancelCause(context.Background())
	s := &stopper{soft: make(chan struct{}), hard: ctx, release: func() { cancel(nil) }}
	go func() {
		for stopped := false; ; {
			kind, payload, err := conn.Read()
			switch {
			case err != nil:
				os.Exit(0)
			case kind == frame.Answer:
				calls.answered(payload)
			case kind == frame.Cancel && !stopped:
				stopped = true
				close(s.soft)
				time.AfterFunc(delay, func() { cancel(hostapi.ErrStopped) })
			}
		}
	}()
	if !cpuLimited {
		return s
	}
	cpu := make(chan os.Signal, 1)
	signal.Notify(cpu, unix.SIGXCPU)
	go func() {
		<-cpu
		cancel(errCPU)
	}()
	return s
}
