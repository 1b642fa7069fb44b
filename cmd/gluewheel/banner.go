package main

import (
	"fmt"
	"io"
)

// banner is what a person reads when everything runs.
type banner struct {
	out                                  io.Writer
	url, login, executor, data, database string
	samples                              int // created by this start
}

func (b banner) print() error {
	extra := ""
	if b.samples > 0 {
		extra = fmt.Sprintf("  Samples   %d jobs, the first fires within seconds\n", b.samples)
	}
	_, err := fmt.Fprintf(b.out, `
gluewheel is running.

  Page      %s
  Login     %s
  Executor  %s
  Data      %s
  Database  %s
%s
Ctrl-C stops it.
`, b.url, b.login, b.executor, b.data, b.database, extra)
	return err
}
