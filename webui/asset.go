package webui

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/gofiber/fiber/v2"
)

// encodings are the compressed forms that the build writes beside a file, by suffix, in
// the order in which they are preferred.
var encodings = []struct{ suffix, name string }{
	{".br", "br"},
	{".gz", "gzip"},
}

// asset is a file of the build in one or more encodings, by name; "" is the plain one.
type asset map[string]variant

// variant is one encoding of an asset.
type variant struct {
	name      string // in the build
	encoding  string
	etag      string
	sizeBytes int
}

// addVariant adds a file to the asset that it is or compresses.
func addVariant(assets map[string]asset, files fs.FS, name string) error {
	plain, encoding := name, ""
	for _, e := range encodings {
		if rest, ok := strings.CutSuffix(name, e.suffix); ok {
			plain, encoding = rest, e.name
		}
	}
	size, sum, err := digest(files, name)
	if err != nil {
		return err
	}
	if assets[plain] == nil {
		assets[plain] = asset{}
	}
	assets[plain][encoding] = variant{name: name, encoding: encoding, etag: `"` + sum + `"`, sizeBytes: size}
	return nil
}

// choose picks the smallest form that the client takes.
func (a asset) choose(c *fiber.Ctx) variant {
	for _, e := range encodings {
		if v, ok := a[e.name]; ok && c.AcceptsEncodings(e.name) == e.name {
			return v
		}
	}
	return a[""]
}

// digest is the size in bytes and the beginning of the SHA-256 of a file, in hex.
func digest(files fs.FS, name string) (sizeBytes int, sum string, err error) {
	f, err := files.Open(name)
	if err != nil {
		return 0, "", err
	}
	defer f.Close()
	h := sha256.New()
	n, err := io.Copy(h, f)
	if err != nil {
		return 0, "", fmt.Errorf("read %s: %w", name, err)
	}
	return int(n), hex.EncodeToString(h.Sum(nil)[:16]), nil
}
