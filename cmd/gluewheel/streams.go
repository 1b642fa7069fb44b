package main

import "io"

// streams are the standard ones, so that a test can stand in for the terminal.
type streams struct {
	in       io.Reader
	out, err io.Writer
}
