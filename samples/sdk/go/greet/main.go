// Command greet is a job in Go that uses the guest SDK. Its sisters in AssemblyScript,
// Rust and C do the same.
package main

import (
	"fmt"

	gw "github.com/gluewheel/gluewheel/samples/sdk/go"
)

func main() {
	name := gw.Param()
	index, total := gw.Shard()
	gw.Log("hello %s, from Go: shard %d of %d", name, index, total)
	gw.Progress(50, "half way")
	digest, err := gw.Hash("sha256", name)
	if err != nil {
		gw.Fail(err)
	}
	gw.Info("sha256 %s", digest)
	// Denied, unless the version's manifest has kv: true.
	if _, _, err := gw.KVGet("greeted"); err != nil {
		gw.Warn("%s", err)
	}
	gw.Result(fmt.Sprintf("greeted %s", name))
}
