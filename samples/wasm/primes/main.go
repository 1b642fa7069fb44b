// Command primes is a job in WebAssembly, written in Go: a WASI command. It counts the
// primes up to its parameter. Build it with
//
//	GOOS=wasip1 GOARCH=wasm go build -o primes.wasm .
//
// Arguments are the job's name, parameter, shard index and shard total; standard
// output is the log; exit code 0 is success, otherwise the last line of standard error
// is the message.
package main

import (
	"fmt"
	"os"
	"strconv"
)

const defaultLimit = 10_000

func main() {
	limit := defaultLimit
	if len(os.Args) > 1 && os.Args[1] != "" {
		n, err := strconv.Atoi(os.Args[1])
		if err != nil || n < 0 {
			fmt.Fprintf(os.Stderr, "the parameter %q is not a number\n", os.Args[1])
			os.Exit(1)
		}
		limit = n
	}
	fmt.Printf("there are %d primes up to %d\n", primes(limit), limit)
}

// primes counts by the sieve of Eratosthenes.
func primes(limit int) int {
	composite := make([]bool, limit+1)
	count := 0
	for i := 2; i <= limit; i++ {
		if composite[i] {
			continue
		}
		count++
		for j := i * i; j <= limit; j += i {
			composite[j] = true
		}
	}
	return count
}
