package samples_test

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/runtime"
)

// examples are the fenced blocks of job code on the pages that show it.
var examples = regexp.MustCompile("(?ms)^```(lua|js|ts)\n(.*?)^```$")

// TestDocs_ExamplesRun runs the examples, with a store and secrets behind them. Those
// that speak to servers of other people are only compiled.
func TestDocs_ExamplesRun(t *testing.T) {
	t.Parallel()
	engine := newEngine(t)
	for _, page := range []string{"../docs/glue.md", "../README.md"} {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		found := examples.FindAllSubmatch(text, -1)
		require.NotEmpty(t, found, page)
		for i, block := range found {
			key, code := fmt.Sprintf("%s %d", page, i+1), string(block[2])
			t.Run(key, func(t *testing.T) {
				t.Parallel()
				src := runtime.Source{
					Key: key, Type: "GLUE_" + strings.ToUpper(string(block[1])), Name: "example", Code: []byte(code),
					Grants: runtime.Grants{Secrets: []string{"API_TOKEN"}, KV: true},
				}
				if strings.Contains(code, "gw.http") {
					program, err := engine.Prepare(t.Context(), src)
					require.NoError(t, err)
					require.NoError(t, program.Close())
					return
				}
				log, result := run(t, engine, src, "a parameter")
				require.Equal(t, runtime.Succeeded, result.Kind, "%s\n%s", result.Message, log)
				require.NotEmpty(t, result.Message+strings.Join(log, ""), "it has something to say")
			})
		}
	}
}

// services are a store without keys and a secret of any name.
func services() runtime.Services {
	return runtime.Services{
		KV: func(context.Context, runtime.KVRequest) (runtime.KVResponse, error) {
			return runtime.KVResponse{}, nil
		},
		Secret: func(context.Context, string) (string, error) { return "not to be told", nil },
	}
}
