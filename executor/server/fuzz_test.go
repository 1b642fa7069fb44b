package server

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/executor/protocol"
)

// FuzzServer sends whatever to the paths that read a body: the answer is always HTTP 200
// with an envelope.
func FuzzServer(f *testing.F) {
	paths := []string{protocol.PathRun, protocol.PathBatch, protocol.PathKill, protocol.PathLog, protocol.PathIdleBeat, protocol.PathBeat}
	for i := range paths {
		f.Add(i, trigger)
		f.Add(i, `{"triggers":[`+trigger+`]}`)
		f.Add(i, `{"jobId":"7","logId":1e3,"gluewheel":{"manifest":{"a":[]}}}`)
	}
	s, err := New(Config{Token: "tok", Executor: &fakeExecutor{}})
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, path int, body string) {
		req := httptest.NewRequest(http.MethodPost, paths[((path%len(paths))+len(paths))%len(paths)], strings.NewReader(body))
		req.Header.Set(protocol.HeaderToken, "tok")
		resp, err := s.app.Test(req, -1)
		require.NoError(t, err)
		defer resp.Body.Close()
		require.Equal(t, http.StatusOK, resp.StatusCode)
	})
}
