package main

import (
	"fmt"
	goruntime "runtime"
)

// version is set by the linker.
var version = "dev"

type versionCmd struct{}

// Run prints the version of the program and what it was built with.
func (versionCmd) Run(s *streams) error {
	_, err := fmt.Fprintf(s.out, "gluewheel %s (%s %s/%s)\n", version, goruntime.Version(), goruntime.GOOS, goruntime.GOARCH)
	return err
}
