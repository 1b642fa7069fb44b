package webui

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"testing/fstest"

	"github.com/gofiber/fiber/v2"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	// fasthttp starts its clock for Date headers once a process.
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.updateServerDate.func1"))
}

const chrome = "text/html,application/xhtml+xml,*/*;q=0.8"

func file(content string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(content)} }

func build() fstest.MapFS {
	return fstest.MapFS{
		"index.html":         file(`<meta nonce="GLUEWHEEL_CSP_NONCE"><script nonce="GLUEWHEEL_CSP_NONCE">`),
		".gitkeep":           file(""),
		"theme.js":           file("theme"),
		"assets/app-1.js":    file("plain"),
		"assets/app-1.js.gz": file("gzipped"),
		"assets/app-1.js.br": file("brotli"),
	}
}

// ask sends one request to a site that is mounted before a handler of last resort.
func ask(t *testing.T, files fstest.MapFS, method, target string, header ...string) (*http.Response, string) {
	t.Helper()
	s, err := loadSite(files)
	require.NoError(t, err)
	return send(t, s.serve, method, target, header...)
}

func send(t *testing.T, h fiber.Handler, method, target string, header ...string) (*http.Response, string) {
	t.Helper()
	app := fiber.New(fiber.Config{Immutable: true, DisableStartupMessage: true})
	app.Use(h)
	req := httptest.NewRequest(method, target, nil)
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := app.Test(req)
	require.NoError(t, err)
	body, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	return resp, string(body)
}

func TestSite_GivesThePageToBrowsers(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		method, target, accept string
		status                 int
	}{
		"the root":                   {"GET", "/", "", 200},
		"by name":                    {"GET", "/index.html", "*/*", 200},
		"a path of the app":          {"GET", "/jobs/7/glue", chrome, 200},
		"a path, to a program":       {"GET", "/jobs/7/glue", "*/*", 404},
		"a path, to fetch":           {"GET", "/jobs/7/glue", "application/json", 404},
		"an unknown path of the API": {"GET", "/api/v2/jobs", chrome, 404},
		"a file of another build":    {"GET", "/assets/app-0.js", chrome, 404},
		"a directory":                {"GET", "/assets", "*/*", 404},
		"the keeper of the folder":   {"GET", "/.gitkeep", "*/*", 404},
		"above the folder":           {"GET", "/../site.go", "*/*", 404},
		"HEAD":                       {"HEAD", "/", chrome, 200},
		"another method":             {"POST", "/", chrome, 404},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			resp, _ := ask(t, build(), tc.method, tc.target, "Accept", tc.accept)
			require.Equal(t, tc.status, resp.StatusCode)
		})
	}
}

func TestSite_GivesEachPageItsNonce(t *testing.T) {
	t.Parallel()
	nonceOf := func() string {
		resp, body := ask(t, build(), "GET", "/runs", "Accept", chrome)
		policy := resp.Header.Get("Content-Security-Policy")
		nonce := regexp.MustCompile(`style-src 'self' 'nonce-([A-Z2-7]{26})'`).FindStringSubmatch(policy)
		require.Len(t, nonce, 2, policy)
		require.Contains(t, policy, "script-src 'self' 'wasm-unsafe-eval';")
		require.Equal(t, `<meta nonce="`+nonce[1]+`"><script nonce="`+nonce[1]+`">`, body)
		require.Equal(t, "no-store", resp.Header.Get("Cache-Control"))
		return nonce[1]
	}
	require.NotEqual(t, nonceOf(), nonceOf())
}

func TestSite_NegotiatesTheEncoding(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ accept, encoding, body string }{
		"a browser":     {"gzip, deflate, br, zstd", "br", "brotli"},
		"gzip only":     {"gzip", "gzip", "gzipped"},
		"brotli barred": {"gzip, br;q=0", "gzip", "gzipped"},
		"nothing":       {"identity", "", "plain"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			resp, body := ask(t, build(), "GET", "/assets/app-1.js", "Accept-Encoding", tc.accept)
			require.Equal(t, tc.body, body)
			require.Equal(t, tc.encoding, resp.Header.Get("Content-Encoding"))
			require.Equal(t, "Accept-Encoding", resp.Header.Get("Vary"))
			require.Contains(t, resp.Header.Get("Content-Type"), "javascript")
		})
	}
}

func TestSite_LetsBrowsersKeepFiles(t *testing.T) {
	t.Parallel()
	hashed, _ := ask(t, build(), "GET", "/assets/app-1.js")
	require.Equal(t, "public, max-age=31536000, immutable", hashed.Header.Get("Cache-Control"))

	theme, body := ask(t, build(), "GET", "/theme.js")
	require.Equal(t, "theme", body)
	require.Equal(t, "no-cache", theme.Header.Get("Cache-Control"))

	again, body := ask(t, build(), "GET", "/theme.js", "If-None-Match", theme.Header.Get("ETag"))
	require.Equal(t, http.StatusNotModified, again.StatusCode)
	require.Empty(t, body)

	changed := build()
	changed["theme.js"] = file("other")
	fresh, body := ask(t, changed, "GET", "/theme.js", "If-None-Match", theme.Header.Get("ETag"))
	require.Equal(t, http.StatusOK, fresh.StatusCode)
	require.Equal(t, "other", body)
}

func TestSite_SaysThatItWasNotBuilt(t *testing.T) {
	t.Parallel()
	resp, body := ask(t, fstest.MapFS{".gitkeep": file("")}, "GET", "/", "Accept", chrome)
	require.Equal(t, http.StatusNotImplemented, resp.StatusCode)
	require.Contains(t, body, "make build")
}

func TestHandler_Embedded(t *testing.T) {
	t.Parallel()
	h, err := Handler("")
	require.NoError(t, err)
	_, body := send(t, h, "GET", "/", "Accept", chrome)
	require.Contains(t, body, "gluewheel") // the app, or how to build it
	require.NotContains(t, body, noncePlaceholder)
}

func TestHandler_ReadsADirectoryAnew(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	h, err := Handler(dir)
	require.NoError(t, err)
	for _, content := range []string{"one", "two"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, indexName), []byte(content), 0o600))
		_, body := send(t, h, "GET", "/")
		require.Equal(t, content, body)
	}
}
