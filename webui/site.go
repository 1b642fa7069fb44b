package webui

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"strings"

	"github.com/gofiber/fiber/v2"
)

const (
	indexName = "index.html"
	// noncePlaceholder stands in index.html where vite.config.ts puts it.
	noncePlaceholder = "GLUEWHEEL_CSP_NONCE"
	// hashedDir holds files whose names change with their content.
	hashedDir = "assets/"
	// apiDir belongs to programs: an unknown path in it is an error, never the app.
	apiDir = "api/"
)

// policy allows nothing from outside, no inline script, and styles that the page itself
// adds under the nonce: Mantine, its dialogs and CodeMirror do. WebAssembly compiles in
// the page for code that is checked in the browser.
const policy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; " +
	"style-src 'self' 'nonce-%s'; img-src 'self' data:; font-src 'self'; connect-src 'self'; " +
	"base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

// site is a build that is ready to serve.
type site struct {
	files  fs.FS
	index  []byte // empty when the app was not built
	assets map[string]asset
}

// loadSite looks at every file of a build.
func loadSite(files fs.FS) (*site, error) {
	s := &site{files: files, assets: map[string]asset{}}
	err := fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasPrefix(d.Name(), ".") {
			return err
		}
		if name == indexName {
			s.index, err = fs.ReadFile(files, name)
			return err
		}
		return addVariant(s.assets, files, name)
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read the web UI: %w", err)
	}
	return s, nil
}

// serve answers a request or passes it on.
func (s *site) serve(c *fiber.Ctx) error {
	if m := c.Method(); m != http.MethodGet && m != http.MethodHead {
		return c.Next()
	}
	name := strings.TrimPrefix(c.Path(), "/")
	if a, ok := s.assets[name]; ok {
		return s.sendAsset(c, name, a)
	}
	if name == "" || name == indexName || isPage(c, name) {
		return s.sendIndex(c)
	}
	return c.Next()
}

// isPage tells whether somebody opens a path of the app in a browser. A hashed file that
// is missing belongs to another build: the app must see the failure, not a page.
func isPage(c *fiber.Ctx, name string) bool {
	return strings.Contains(c.Get(fiber.HeaderAccept), fiber.MIMETextHTML) &&
		!strings.HasPrefix(name, hashedDir) && !strings.HasPrefix(name, apiDir)
}

func (s *site) sendIndex(c *fiber.Ctx) error {
	nonce := rand.Text()
	c.Set(fiber.HeaderContentSecurityPolicy, fmt.Sprintf(policy, nonce))
	c.Set(fiber.HeaderXContentTypeOptions, "nosniff")
	c.Set(fiber.HeaderReferrerPolicy, "same-origin")
	c.Set(fiber.HeaderCacheControl, "no-store") // the nonce must not be used twice
	c.Set(fiber.HeaderContentType, fiber.MIMETextHTMLCharsetUTF8)
	if len(s.index) == 0 {
		return c.Status(http.StatusNotImplemented).SendString(notBuilt)
	}
	return c.Send(bytes.ReplaceAll(s.index, []byte(noncePlaceholder), []byte(nonce)))
}

func (s *site) sendAsset(c *fiber.Ctx, name string, a asset) error {
	v := a.choose(c)
	c.Set(fiber.HeaderVary, fiber.HeaderAcceptEncoding)
	c.Set(fiber.HeaderXContentTypeOptions, "nosniff")
	c.Set(fiber.HeaderETag, v.etag)
	c.Set(fiber.HeaderCacheControl, "no-cache")
	if strings.HasPrefix(name, hashedDir) {
		c.Set(fiber.HeaderCacheControl, "public, max-age=31536000, immutable")
	}
	if c.Fresh() {
		return c.SendStatus(http.StatusNotModified)
	}
	c.Type(path.Ext(name), "utf-8")
	if v.encoding != "" {
		c.Set(fiber.HeaderContentEncoding, v.encoding)
	}
	f, err := s.files.Open(v.name)
	if err != nil {
		return fmt.Errorf("open %s of the web UI: %w", v.name, err)
	}
	return c.SendStream(f, v.sizeBytes) // closes f
}

// notBuilt is what a binary without the app shows.
const notBuilt = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>gluewheel</title>
<h1>gluewheel runs, without its web UI</h1>
<p>This binary was built without the web UI. Build it with <code>make build</code>, which needs Node.js, and start it again.</p>
<p>The REST API at <code>/api/v1</code>, the endpoints of the executors and the command line work all the same.</p>
</html>
`
