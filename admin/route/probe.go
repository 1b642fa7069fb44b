package route

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/gluewheel/gluewheel/admin/job"
)

// maxReported bounds the answers in an error.
const maxReported = 10

// ProbeError says that no executor answered well, and what they answered.
type ProbeError struct {
	Addresses []string
	Errors    []error // by address
}

func (e *ProbeError) Error() string {
	var b strings.Builder
	b.WriteString("no executor of the list is usable")
	for i, address := range e.Addresses[:min(len(e.Addresses), maxReported)] {
		fmt.Fprintf(&b, "; %s: %v", address, e.Errors[i])
	}
	if more := len(e.Addresses) - maxReported; more > 0 {
		fmt.Fprintf(&b, "; and %d more", more)
	}
	return b.String()
}

// Unwrap gives the answers to errors.Is and errors.As.
func (e *ProbeError) Unwrap() []error { return e.Errors }

// errUnasked stands for executors whose answer no longer matters.
var errUnasked = errors.New("not asked")

// question asks the executor at an address about a job.
type question = func(ctx context.Context, address string, j *job.Job) error

// probe returns the place of the first address of the list that ask likes, and notes those
// before it. Several are asked at once, from the head of the list on; none is asked once
// the choice is certain. When it returns, all calls have ended.
func (r *Router) probe(ctx context.Context, list []string, j *job.Job, ask question, why *job.Route) (int, error) {
	asking, cancel := context.WithCancel(ctx)
	p := &probing{cancel: cancel, results: make([]error, len(list)), done: make([]bool, len(list)), chosen: -1}
	var workers sync.WaitGroup
	for range min(r.cfg.Parallel, len(list)) {
		workers.Go(func() {
			for i, ok := p.take(); ok; i, ok = p.take() {
				p.put(i, r.askOne(asking, list[i], j, ask))
			}
		})
	}
	workers.Wait()
	cancel()
	if p.chosen >= 0 {
		for i, answer := range p.results[:p.chosen] {
			why.Pass(list[i], answer)
		}
		return p.chosen, nil
	}
	if ctx.Err() != nil {
		return 0, fmt.Errorf("probe executors: %w", context.Cause(ctx))
	}
	return 0, &ProbeError{Addresses: list, Errors: p.results}
}

func (r *Router) askOne(ctx context.Context, address string, j *job.Job, ask question) error {
	if ctx.Err() != nil {
		return errUnasked
	}
	ctx, cancel := context.WithTimeout(ctx, r.cfg.ProbeTimeout)
	defer cancel()
	return ask(ctx, address, j)
}

// probing collects the answers for one run.
type probing struct {
	cancel context.CancelFunc // ends the calls that no longer matter

	mu      sync.Mutex
	taken   int // addresses handed to workers, from the head of the list on
	results []error
	done    []bool
	chosen  int // -1 = not certain yet
}

// take hands out the next address to ask.
func (p *probing) take() (int, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.chosen >= 0 || p.taken == len(p.results) {
		return 0, false
	}
	p.taken++
	return p.taken - 1, true
}

// put notes an answer. The choice is certain once an executor answered well and all
// before it did not.
func (p *probing) put(i int, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.results[i], p.done[i] = err, true
	for i := range p.results {
		switch {
		case !p.done[i]:
			return
		case p.results[i] == nil:
			p.chosen = i
			p.cancel()
			return
		}
	}
}
