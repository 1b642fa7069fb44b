package pg

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
)

// owner is the user that the server runs as and that owns its files.
type owner struct {
	uid, gid int
	name     string
	self     string // the user that runs this process
	switched bool   // the two differ: we are root
}

// pickOwner is the present user, or, since PostgreSQL refuses to run as root, the owner
// of the existing home, else postgres, else nobody.
func pickOwner(homeDir string) (owner, error) {
	self, err := user.Current()
	if err != nil {
		return owner{}, fmt.Errorf("find out who I am: %w", err)
	}
	if os.Geteuid() != 0 {
		return owner{uid: os.Geteuid(), gid: os.Getegid(), name: self.Username, self: self.Username}, nil
	}
	if u, ok := ownerOf(homeDir); ok {
		return newOwner(u, self.Username)
	}
	for _, name := range []string{"postgres", "nobody"} {
		if u, err := user.Lookup(name); err == nil {
			return newOwner(u, self.Username)
		}
	}
	return owner{}, errors.New("run postgres as root: no unprivileged user (postgres, nobody) on this machine; " +
		"run gluewheel as another user or set GLUEWHEEL_DATABASE_URL")
}

func newOwner(u *user.User, self string) (owner, error) {
	uid, err := strconv.Atoi(u.Uid)
	if err != nil {
		return owner{}, fmt.Errorf("user id of %s: %w", u.Username, err)
	}
	gid, err := strconv.Atoi(u.Gid)
	if err != nil {
		return owner{}, fmt.Errorf("group id of %s: %w", u.Username, err)
	}
	return owner{uid: uid, gid: gid, name: u.Username, self: self, switched: true}, nil
}

// ownerOf is the user to whom a directory belongs, unless that is root.
func ownerOf(dir string) (*user.User, bool) {
	info, err := os.Stat(dir)
	if err != nil {
		return nil, false
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok || st.Uid == 0 {
		return nil, false
	}
	u, err := user.LookupId(strconv.Itoa(int(st.Uid)))
	return u, err == nil
}

// clients are the operating system's users that may connect.
func (o owner) clients() []string {
	return slices.Compact([]string{o.self, o.name})
}

// command runs a program of PostgreSQL as the owner, in an environment of its own: a
// PGDATA or PGPORT of the caller must not reach it.
func (o owner) command(ctx context.Context, program string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Env = []string{"PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C", "TZ=UTC"}
	cmd.WaitDelay = quitGrace // a child of the killed program may hold its output open
	cmd.SysProcAttr = &syscall.SysProcAttr{}
	if o.switched {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(o.uid), Gid: uint32(o.gid)}
	}
	return cmd
}

// mkdir makes a directory for the owner alone, or checks that an existing one is.
func (o owner) mkdir(dir string) error {
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return fmt.Errorf("make directory: %w", err)
	} else if err == nil && o.switched {
		if err := os.Chown(dir, o.uid, o.gid); err != nil {
			return fmt.Errorf("make directory: %w", err)
		}
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return fmt.Errorf("make directory: %w", err)
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !info.IsDir() || !ok || int(st.Uid) != o.uid || info.Mode().Perm()&0o022 != 0 {
		return fmt.Errorf("%s must be a directory that belongs to user %s and that no other may write to", dir, o.name)
	}
	return nil
}

func (o owner) writeFile(path, content string) error {
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		return fmt.Errorf("write postgres config: %w", err)
	}
	if !o.switched {
		return nil
	}
	if err := os.Chown(path, o.uid, o.gid); err != nil {
		return fmt.Errorf("write postgres config: %w", err)
	}
	return nil
}

// canEnter reports whether the owner may pass through dir and all above it.
func (o owner) canEnter(dir string) bool {
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return false
	}
	for {
		info, err := os.Stat(dir)
		if err != nil || !o.mayExecute(info) {
			return false
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return true
		}
		dir = parent
	}
}

// mayExecute looks at the classic bits; the owner's further groups and ACLs are not
// asked, which errs on the side of moving the home.
func (o owner) mayExecute(info os.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return false
	}
	perm := info.Mode().Perm()
	switch {
	case int(st.Uid) == o.uid:
		return perm&0o100 != 0
	case int(st.Gid) == o.gid:
		return perm&0o010 != 0
	default:
		return perm&0o001 != 0
	}
}
