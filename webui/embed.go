// Package webui is the single-page app, built by npm and embedded in the binary.
//
// It serves static files and one page: the app's index.html, which is a template, since
// the style nonce of its Content-Security-Policy is new in every answer. It knows
// neither the API nor who is logged in.
package webui

import (
	"embed"
	"io/fs"
	"os"

	"github.com/gofiber/fiber/v2"
)

// dist is the build. It always holds .gitkeep, so that Go builds without Node; then
// Handler answers with a page that says what to do.
//
//go:embed all:dist
var dist embed.FS

// Handler serves the app. It takes GET and HEAD of the app's files and, for those who
// accept HTML, of every other path outside /api, which the app's router knows; all else
// goes to the next handler, so it is mounted last.
//
// With a dir the build is read from there at each request, for the development of the
// app; otherwise it is the embedded one.
func Handler(dir string) (fiber.Handler, error) {
	if dir != "" {
		return func(c *fiber.Ctx) error {
			s, err := loadSite(os.DirFS(dir))
			if err != nil {
				return err
			}
			return s.serve(c)
		}, nil
	}
	build, err := fs.Sub(dist, "dist")
	if err != nil {
		return nil, err
	}
	s, err := loadSite(build)
	if err != nil {
		return nil, err
	}
	return s.serve, nil
}
