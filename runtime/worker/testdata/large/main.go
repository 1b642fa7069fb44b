// Command large is a job of the size that Go programs with some of the larger standard
// packages have: about 3.5 MB as WebAssembly.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
)

func main() {
	var job struct {
		Param string `json:"param"`
	}
	if err := json.NewDecoder(os.Stdin).Decode(&job); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println("hello", regexp.MustCompile(`\W`).ReplaceAllString(job.Param, "_"))
}
