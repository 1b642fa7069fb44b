package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof"
	"time"

	"github.com/gluewheel/gluewheel/internal/stack"
)

// pprofFlag asks for Go's profiles. They show what the program's memory holds, so they
// are served on loopback alone, and to nobody unless asked for.
type pprofFlag struct {
	Pprof string `placeholder:"HOST:PORT" env:"GLUEWHEEL_PPROF" help:"Serve Go's profiles at this loopback address, below /debug/pprof/; not at all by default."`
}

const (
	// pprofHeaderTimeout bounds how long a client may take to send its request.
	pprofHeaderTimeout = 5 * time.Second
	// pprofDrain bounds the wait for a profile that is being taken at the end.
	pprofDrain = time.Second
)

func (f *pprofFlag) validatePprof() error {
	if f.Pprof == "" {
		return nil
	}
	host, _, err := net.SplitHostPort(f.Pprof)
	if err != nil {
		return fmt.Errorf("pprof: %w", err)
	}
	if !isLoopback(host) {
		return fmt.Errorf("pprof: %q is not a loopback address, such as 127.0.0.1:6060", f.Pprof)
	}
	return nil
}

// profiles is the listener as a part, if it is asked for: the first of the parts, so that the others
// can be looked into until they have ended.
func (f *pprofFlag) profiles(log *slog.Logger) []stack.Part {
	if f.Pprof == "" {
		return nil
	}
	return []stack.Part{{Name: "pprof", Run: func(ctx context.Context) error { return f.serve(ctx, log) }}}
}

// serve answers until ctx ends.
func (f *pprofFlag) serve(ctx context.Context, log *slog.Logger) error {
	listener, err := net.Listen("tcp", f.Pprof)
	if err != nil {
		return hintPort(err, f.Pprof, "pprof", "GLUEWHEEL_PPROF")
	}
	log.Info("profiles are served", "component", "pprof", "addr", listener.Addr().String())
	server := &http.Server{Handler: pprofHandler(), ReadHeaderTimeout: pprofHeaderTimeout}
	stopped := make(chan error, 1)
	go func() { stopped <- server.Serve(listener) }()
	select {
	case err := <-stopped:
		return fmt.Errorf("serve profiles: %w", err)
	case <-ctx.Done():
	}
	drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), pprofDrain)
	defer cancel()
	if err := server.Shutdown(drain); errors.Is(err, context.DeadlineExceeded) {
		err = server.Close()
		<-stopped
		return err
	}
	<-stopped
	return nil
}

// pprofHandler is net/http/pprof's, without its registration for all the world.
func pprofHandler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	mux.HandleFunc("GET /debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// A page of somebody else's that calls itself by a name for 127.0.0.1 stays out.
		if host, _, err := net.SplitHostPort(r.Host); err != nil || !isLoopback(host) {
			http.Error(w, "ask by a loopback address", http.StatusForbidden)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
