package api_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDocs_ShowEveryOperationWithoutInlineScript(t *testing.T) {
	t.Parallel()
	b := setup(t)
	require.Equal(t, 401, b.anonymous().do("GET", "/docs", "").status)
	page := b.admin.do("GET", "/docs", "")
	require.Equal(t, 200, page.status)
	require.Equal(t, "text/html; charset=utf-8", page.header.Get("Content-Type"))
	require.Contains(t, page.header.Get("Content-Security-Policy"), "script-src 'self'")
	require.NotContains(t, page.header.Get("Content-Security-Policy"), "unsafe")
	for _, methods := range readSpecification(t).Paths {
		for _, op := range methods {
			require.Contains(t, page.text, `<details id="`+op.OperationID+`">`)
		}
	}
	require.NotContains(t, page.text, "<script>")
	for path, media := range map[string]string{"/docs/page.css": "text/css; charset=utf-8", "/docs/page.js": "text/javascript; charset=utf-8"} {
		r := b.admin.do("GET", path, "")
		require.Equal(t, 200, r.status)
		require.Equal(t, media, r.header.Get("Content-Type"))
	}
	b.admin.do("POST", "/docs", "{}").refused(405, "")
}
