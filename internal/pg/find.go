package pg

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"time"
)

// MinMajor is the oldest PostgreSQL that the SQL of admin/store runs on.
const MinMajor = 15

// ErrNoBinaries says that the machine has no usable PostgreSQL programs.
var ErrNoBinaries = errors.New("no PostgreSQL programs found")

// Binaries is a directory with PostgreSQL's programs.
type Binaries struct {
	Dir   string
	Major int // version, such as 17
}

// Find looks for PostgreSQL's programs: in dir alone if that is given, else along PATH,
// in the usual directories of the system, and below cacheDir. Within each of the three
// places the newest wins. An existing cluster needs the major version that made it
// (0: any from MinMajor on).
func Find(ctx context.Context, dir, cacheDir string, major int) (Binaries, error) {
	places := [][]string{{dir}}
	if dir == "" {
		places = [][]string{onPath(), systemDirs(), {cacheDir, filepath.Join(cacheDir, "bin")}}
	}
	var seen []string
	for _, place := range places {
		var fit []Binaries
		for _, candidate := range place {
			b, ok := probe(ctx, candidate)
			if !ok {
				continue
			}
			seen = append(seen, fmt.Sprintf("%s (version %d)", b.Dir, b.Major))
			if b.Major >= MinMajor && (major == 0 || b.Major == major) {
				fit = append(fit, b)
			}
		}
		if len(fit) > 0 {
			return slices.MaxFunc(fit, func(a, b Binaries) int { return cmp.Compare(a.Major, b.Major) }), nil
		}
	}
	if ctx.Err() != nil {
		return Binaries{}, fmt.Errorf("look for postgres: %w", context.Cause(ctx))
	}
	return Binaries{}, notFound(dir, major, seen)
}

func notFound(dir string, major int, seen []string) error {
	want := fmt.Sprintf("version %d or later is needed", MinMajor)
	if major != 0 {
		want = fmt.Sprintf("the data was made by version %d, which is needed to read it", major)
	}
	where := "on this machine"
	if dir != "" {
		where = "in " + dir
	}
	return fmt.Errorf("%w %s: %s, found %v; install PostgreSQL, run `make postgres`, "+
		"name its directory with --pg-bin, or use a server with --database-url", ErrNoBinaries, where, want, seen)
}

// onPath follows links, since a system links postgres alone into /usr/bin.
func onPath() []string {
	program, err := exec.LookPath("postgres")
	if err != nil {
		return nil
	}
	if real, err := filepath.EvalSymlinks(program); err == nil {
		program = real
	}
	return []string{filepath.Dir(program)}
}

func systemDirs() []string {
	var dirs []string
	for _, pattern := range []string{
		"/usr/lib/postgresql/*/bin",            // Debian, Ubuntu
		"/usr/pgsql-*/bin",                     // packages of postgresql.org on Red Hat
		"/usr/libexec/postgresql*",             // Alpine
		"/usr/local/pgsql/bin",                 // built from source
		"/opt/homebrew/opt/postgresql@*/bin",   // Homebrew
		"/usr/local/opt/postgresql@*/bin",      // Homebrew on Intel
		"/Applications/Postgres.app/*/*/*/bin", // Postgres.app
	} {
		// A pattern of ours cannot be malformed.
		found, _ := filepath.Glob(pattern)
		dirs = append(dirs, found...)
	}
	return dirs
}

// versionLine reads "postgres (PostgreSQL) 17.2 (Debian 17.2-1)".
var versionLine = regexp.MustCompile(`PostgreSQL\) (\d+)`)

// probe reports which version lives in dir, if any.
func probe(ctx context.Context, dir string) (Binaries, bool) {
	if dir == "" {
		return Binaries{}, false
	}
	if _, err := os.Stat(filepath.Join(dir, "initdb")); err != nil {
		return Binaries{}, false
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, filepath.Join(dir, "postgres"), "--version").Output()
	if err != nil {
		return Binaries{}, false
	}
	match := versionLine.FindSubmatch(out)
	if match == nil {
		return Binaries{}, false
	}
	major, err := strconv.Atoi(string(match[1]))
	if err != nil {
		return Binaries{}, false
	}
	abs, err := filepath.Abs(dir)
	return Binaries{Dir: abs, Major: major}, err == nil
}

// reachableBy copies the programs, with the libraries and files beside them, to where
// the server's user can get at them, if it cannot yet.
func (b Binaries) reachableBy(own owner, h home) (Binaries, error) {
	if !own.switched || own.canEnter(b.Dir) {
		return b, nil
	}
	dst := filepath.Join(filepath.Dir(h.dir), "postgres-"+strconv.Itoa(b.Major)+"-"+shortHash(b.Dir))
	copied := Binaries{Dir: filepath.Join(dst, "bin"), Major: b.Major}
	if _, err := os.Stat(dst); err == nil {
		return copied, nil
	}
	draft := dst + ".new"
	if err := os.RemoveAll(draft); err != nil {
		return b, fmt.Errorf("copy postgres programs: %w", err)
	}
	if err := os.CopyFS(draft, os.DirFS(filepath.Dir(b.Dir))); err != nil {
		return b, fmt.Errorf("copy postgres programs: %w", err)
	}
	if err := os.Rename(draft, dst); err != nil {
		return b, fmt.Errorf("copy postgres programs: %w", err)
	}
	return copied, nil
}
