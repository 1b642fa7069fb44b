// Command worker is a worker and nothing else, for tests whose own binary is too slow
// for one; runtimetest builds it.
package main

import (
	"os"

	"github.com/gluewheel/gluewheel/runtime/workermain"
)

func main() { os.Exit(workermain.Main()) }
