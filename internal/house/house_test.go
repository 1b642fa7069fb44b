package house

import (
	"go/ast"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPackages_HaveExactlyOneComment(t *testing.T) {
	t.Parallel()
	_, tree := readTree(t)
	for _, p := range tree {
		var with []string
		for _, f := range p.files {
			if f.ast.Doc != nil {
				with = append(with, f.path)
			}
		}
		if len(p.files) > 0 && len(with) != 1 {
			t.Errorf("%s: want one package comment, found %d %v", p.dir, len(with), with)
		}
	}
}

func TestPackages_HaveNoInit(t *testing.T) {
	t.Parallel()
	fset, tree := readTree(t)
	for _, p := range tree {
		for _, f := range slices.Concat(p.files, p.tests) {
			for _, decl := range f.ast.Decls {
				if fn, ok := decl.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name == "init" {
					t.Errorf("%s: init() works before main and cannot fail: do it in a constructor", fset.Position(fn.Pos()))
				}
			}
		}
	}
}

var unfinished = regexp.MustCompile(`\b(TODO|FIXME|XXX|HACK)\b`)

func TestComments_LeaveNothingForLater(t *testing.T) {
	t.Parallel()
	fset, tree := readTree(t)
	for _, p := range tree {
		if p.dir == "internal/house" {
			continue // its rules name the words
		}
		for _, f := range slices.Concat(p.files, p.tests) {
			for _, group := range f.ast.Comments {
				if word := unfinished.FindString(group.Text()); word != "" {
					t.Errorf("%s: %s: finish it, or file an issue", fset.Position(group.Pos()), word)
				}
			}
		}
	}
}

func TestFiles_AreOfOneIdea(t *testing.T) {
	t.Parallel()
	const most = 500 // lines; a typical file has 40 to 170
	fset, tree := readTree(t)
	for _, p := range tree {
		for _, f := range p.files {
			if ast.IsGenerated(f.ast) {
				continue
			}
			if lines := fset.File(f.ast.Pos()).LineCount(); lines > most {
				t.Errorf("%s has %d lines: look for the second idea in it", f.path, lines)
			}
		}
	}
}

func TestPackages_ThatStartGoroutinesLookForLeaks(t *testing.T) {
	t.Parallel()
	_, tree := readTree(t)
	for _, p := range tree {
		if p.isMain() || len(p.tests) == 0 || !slices.ContainsFunc(p.files, startsGoroutine) {
			continue
		}
		if !slices.ContainsFunc(p.tests, importsGoleak) {
			t.Errorf("%s starts goroutines, so its tests need a TestMain with goleak", p.dir)
		}
	}
}

// startsGoroutine finds go statements and the Go methods of WaitGroup and errgroup.
func startsGoroutine(f file) bool {
	found := false
	ast.Inspect(f.ast, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			found = true
		case *ast.CallExpr:
			if sel, ok := n.Fun.(*ast.SelectorExpr); ok && sel.Sel.Name == "Go" {
				found = true
			}
		}
		return !found
	})
	return found
}

func importsGoleak(f file) bool {
	return slices.ContainsFunc(f.ast.Imports, func(spec *ast.ImportSpec) bool {
		return strings.Contains(spec.Path.Value, "go.uber.org/goleak")
	})
}

func TestReadTree_FindsThisPackage(t *testing.T) {
	t.Parallel()
	_, tree := readTree(t)
	i := slices.IndexFunc(tree, func(p pkg) bool { return p.dir == "internal/house" })
	require.GreaterOrEqual(t, i, 0, "without it the other tests would pass over nothing")
	require.Len(t, tree[i].files, 1)
}
