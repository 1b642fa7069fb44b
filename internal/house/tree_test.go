package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const module = "github.com/gluewheel/gluewheel"

// pkg is one folder with Go files.
type pkg struct {
	dir   string // from the top, such as "admin/store"
	files []file // without tests
	tests []file
}

type file struct {
	path string
	ast  *ast.File
}

// imports are the packages that the package's own files import: those of this module
// without its prefix, which others never look like, and those of other modules. The
// standard library, whose runtime is not ours, is left out.
func (p pkg) imports() []string {
	var all []string
	for _, f := range p.files {
		for _, spec := range f.ast.Imports {
			name, _ := strconv.Unquote(spec.Path.Value) // the parser took it, so it is quoted
			host, _, _ := strings.Cut(name, "/")
			if strings.Contains(host, ".") {
				all = append(all, strings.TrimPrefix(name, module+"/"))
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// isMain reports whether the package is a program.
func (p pkg) isMain() bool { return len(p.files) > 0 && p.files[0].ast.Name.Name == "main" }

// readTree parses every package of this module.
func readTree(t *testing.T) (*token.FileSet, []pkg) {
	t.Helper()
	top, err := filepath.Abs("../..")
	require.NoError(t, err)
	fset := token.NewFileSet()
	byDir := map[string]*pkg{}
	err = filepath.WalkDir(top, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(top, name)
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if skip(rel, entry.Name()) {
				return fs.SkipDir
			}
			return nil
		}
		if path.Ext(rel) != ".go" {
			return nil
		}
		parsed, err := parser.ParseFile(fset, name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		add(byDir, filepath.ToSlash(rel), parsed)
		return nil
	})
	require.NoError(t, err)
	var all []pkg
	for _, p := range byDir {
		all = append(all, *p)
	}
	slices.SortFunc(all, func(a, b pkg) int { return strings.Compare(a.dir, b.dir) })
	require.NotEmpty(t, all)
	return fset, all
}

func skip(rel, name string) bool {
	return rel != "." && (strings.HasPrefix(name, ".") || name == "node_modules" || name == "testdata" ||
		rel == "bin" || rel == "data" || rel == "dist")
}

func add(byDir map[string]*pkg, rel string, parsed *ast.File) {
	dir := path.Dir(rel)
	if byDir[dir] == nil {
		byDir[dir] = &pkg{dir: dir}
	}
	p := byDir[dir]
	if strings.HasSuffix(rel, "_test.go") {
		p.tests = append(p.tests, file{rel, parsed})
	} else {
		p.files = append(p.files, file{rel, parsed})
	}
}
