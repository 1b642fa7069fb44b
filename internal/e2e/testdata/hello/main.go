// Command hello is a job for the WebAssembly tests, built for wasip1. It is of the
// size that jobs of real life have, and prints when it started (ms since 1970) and what
// it was linked with.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"time"
)

// mark is set by the linker, so that two builds differ.
var mark = "one"

func main() {
	fmt.Println("started at", time.Now().UnixMilli())
	var in map[string]any
	if err := json.NewDecoder(os.Stdin).Decode(&in); err != nil {
		fmt.Fprintln(os.Stderr, "no invocation on standard input:", err)
		os.Exit(1)
	}
	fmt.Println("hello from wasm", mark, os.Args[1:])
}
