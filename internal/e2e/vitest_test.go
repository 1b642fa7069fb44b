//go:build long

package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// vitestReport is the part of vitest's JSON report that is read here.
type vitestReport struct {
	TestResults []struct {
		Name             string // the file
		Message          string // why the file itself failed
		AssertionResults []struct {
			FullName        string
			Status          string
			FailureMessages []string
		}
	}
}

// tellVitest makes each test of a report a test of its own, so that a failed one is named
// and says why, wherever the output of the whole suite is cut.
func tellVitest(t *testing.T, file string) {
	t.Helper()
	b, err := os.ReadFile(file)
	require.NoError(t, err)
	var report vitestReport
	require.NoError(t, json.Unmarshal(b, &report))
	require.NotEmpty(t, report.TestResults, "no test ran")
	for _, result := range report.TestResults {
		t.Run(filepath.Base(result.Name), func(t *testing.T) {
			if len(result.AssertionResults) == 0 {
				t.Error("no test ran:", result.Message)
			}
			for _, a := range result.AssertionResults {
				t.Run(a.FullName, func(t *testing.T) {
					switch a.Status {
					case "passed":
					case "failed":
						t.Error(strings.Join(a.FailureMessages, "\n"))
					default:
						t.Skip("NOT RUN:", a.Status)
					}
				})
			}
		})
	}
}
