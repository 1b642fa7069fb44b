package executor_test

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

// TestMain turns the test binary into an executor process for the tests that kill one.
func TestMain(m *testing.M) {
	if os.Getenv(childEnv) != "" {
		runChild()
		return
	}
	goleak.VerifyTestMain(m,
		// fasthttp's pool of a stopped server cleans once more before it ends.
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.(*workerPool).Start.func2"),
		// The first fasthttp server keeps a clock for the rest of the process.
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.updateServerDate.func1"),
	)
}
