package pg

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

const (
	// port is part of the socket's name only; nothing listens on TCP.
	port = "5432"
	// rootBase holds the homes that their user could not enter otherwise.
	rootBase = "/var/lib/gluewheel"
	// maxSocketPath is the shortest limit of a Unix socket's path: macOS 103, Linux 107.
	maxSocketPath = 103
)

// home is the server's directory.
type home struct {
	asked  string // where the caller wanted it
	dir    string // where it is
	socket string // directory of the socket
}

// makeHome makes the directory with the right owner and rights.
func makeHome(asked string, own owner) (home, error) {
	asked, err := filepath.Abs(asked)
	if err != nil {
		return home{}, fmt.Errorf("find postgres home: %w", err)
	}
	dir := asked
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return home{}, fmt.Errorf("make postgres home: %w", err)
	}
	if own.switched && !own.canEnter(filepath.Dir(dir)) {
		if dir, err = moveHome(asked); err != nil {
			return home{}, err
		}
	}
	h := home{asked: asked, dir: dir, socket: filepath.Join(dir, "run")}
	if len(filepath.Join(h.socket, ".s.PGSQL."+port)) > maxSocketPath {
		h.socket = filepath.Join(os.TempDir(), "gluewheel-"+shortHash(dir))
	}
	for _, d := range []string{h.dir, h.logDir(), h.socket} {
		if err := own.mkdir(d); err != nil {
			return home{}, err
		}
	}
	return h, nil
}

// moveHome leaves a link at the directory asked for, by which people find the data.
func moveHome(asked string) (dir string, err error) {
	dir = filepath.Join(rootBase, shortHash(asked))
	if err := os.MkdirAll(rootBase, 0o755); err != nil {
		return "", fmt.Errorf("move postgres home: %w", err)
	}
	if err := os.Symlink(dir, asked); err != nil && !errors.Is(err, os.ErrExist) {
		return "", fmt.Errorf("move postgres home: %w", err)
	}
	return dir, nil
}

func shortHash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return fmt.Sprintf("%x", sum[:6])
}

func (h home) data() string      { return filepath.Join(h.dir, "data") }
func (h home) logDir() string    { return filepath.Join(h.dir, "log") }
func (h home) hbaFile() string   { return filepath.Join(h.dir, "pg_hba.conf") }
func (h home) identFile() string { return filepath.Join(h.dir, "pg_ident.conf") }
func (h home) pidFile() string   { return filepath.Join(h.data(), "postmaster.pid") }
func (h home) socketDir() string { return h.socket }

func (h home) url(role, database string) string {
	u := url.URL{Scheme: "postgres", User: url.User(role), Path: "/" + database}
	u.RawQuery = url.Values{"host": {h.socket}, "port": {port}, "sslmode": {"disable"}}.Encode()
	return u.String()
}

// majorVersion is the version that made the cluster, 0 when there is none yet.
func (h home) majorVersion() int {
	text, err := os.ReadFile(filepath.Join(h.data(), "PG_VERSION"))
	if err != nil {
		return 0
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return 0
	}
	return n
}

// lock keeps others off the home until unlock or the end of this process.
func (h home) lock() (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(h.dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock postgres home: %w", err)
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if err == nil {
		return f, nil
	}
	f.Close()
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, fmt.Errorf("%w: %s", ErrInUse, h.dir)
	}
	return nil, fmt.Errorf("lock postgres home: %w", err)
}

// unlock leaves the file: removing it would let two others lock different files.
func (h home) unlock(f *os.File) { _ = f.Close() }

// writeAuth lets in the user who runs us and the one who runs the server, nobody else.
func (h home) writeAuth(own owner) error {
	hba := "# Written by gluewheel at each start.\nlocal all all peer map=gluewheel\n"
	var ident strings.Builder
	ident.WriteString("# Written by gluewheel at each start.\n")
	for _, name := range own.clients() {
		for _, role := range []string{"gluewheel", "postgres"} {
			fmt.Fprintf(&ident, "gluewheel %q %s\n", name, role)
		}
	}
	if err := own.writeFile(h.hbaFile(), hba); err != nil {
		return err
	}
	return own.writeFile(h.identFile(), ident.String())
}
