package proc

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// basePrefix names the control group that holds one Supervisor's runs.
const basePrefix = "gluewheel-"

// lockWait bounds the making of that group while other Supervisors start.
const lockWait = 2 * time.Second

// cgroups makes a control group a run, below one of its own in each hierarchy that can
// be written: the unified one of version 2, and of version 1 memory and pids.
//
// Each own group is locked (flock on its directory) as long as its Supervisor lives, so
// that a later one can tell what was left behind and clear it.
type cgroups struct {
	name   string
	trees  []hierarchy
	lastID atomic.Uint64
}

// hierarchy is one mounted tree of control groups that we may use.
type hierarchy struct {
	version2    bool
	home        string // the directory of the group that this process is in
	base        string // our own below it
	lock        *os.File
	controllers []string // of memory and pids, those that bound something here
}

// openCgroups finds the hierarchies and makes our group in each.
func openCgroups() (*cgroups, error) {
	// Of this thread, not of the process, for which its first thread speaks: that one may
	// be another Supervisor's spawner, which is in the group of a run just now.
	found, err := findHierarchies("/proc/self/mountinfo", "/proc/thread-self/cgroup")
	if err != nil {
		return nil, err
	}
	g := &cgroups{name: basePrefix + strings.ToLower(rand.Text()[:12])}
	refused := []error{errors.New("no control group can be made")}
	for _, h := range found {
		clearStale(h.home)
		if err := h.open(g.name); err != nil {
			refused = append(refused, err)
			continue
		}
		g.trees = append(g.trees, h)
	}
	if len(g.trees) == 0 {
		return nil, errors.Join(refused...)
	}
	return g, nil
}

func (h *hierarchy) open(name string) error {
	if h.version2 {
		h.controllers = delegate(h.home)
	}
	h.base = filepath.Join(h.home, name)
	var err error
	eventually(lockWait, func() bool {
		h.lock, err = makeLocked(h.base)
		return !errors.Is(err, errTaken)
	})
	if err != nil {
		return err
	}
	if h.version2 {
		h.controllers = enable(h.base, h.controllers)
	}
	return nil
}

// errTaken says that another Supervisor, which starts at the same moment, took our new
// group for one that was left behind, before we had locked it.
var errTaken = errors.New("the new control group was cleared as stale")

// makeLocked makes a group and locks it.
func makeLocked(dir string) (*os.File, error) {
	if err := os.Mkdir(dir, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	lock, err := os.Open(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errTaken
	}
	if err != nil {
		return nil, errors.Join(err, os.Remove(dir))
	}
	if err := unix.Flock(int(lock.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		return nil, errors.Join(errTaken, fmt.Errorf("lock %s: %w", dir, err), lock.Close())
	}
	ours, err := lock.Stat()
	if err == nil {
		var there fs.FileInfo
		if there, err = os.Stat(dir); err == nil && os.SameFile(ours, there) {
			return lock, nil
		}
	}
	return nil, errors.Join(errTaken, err, lock.Close())
}

// delegate makes the memory and pids controllers available below dir and lists those
// that are. A group with processes cannot hand controllers down (except the root), so
// this process moves into a leaf if it is alone there, as in a service or a container.
func delegate(dir string) []string {
	enabled := enable(dir, []string{"memory", "pids"})
	self := strconv.Itoa(os.Getpid())
	if len(enabled) > 0 || strings.TrimSpace(read(dir, "cgroup.procs")) != self ||
		!contains(read(dir, "cgroup.controllers"), "memory") {
		return enabled
	}
	leaf := filepath.Join(dir, "gluewheel.self")
	if err := os.Mkdir(leaf, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil
	}
	if write(leaf, "cgroup.procs", self) != nil {
		return nil
	}
	return enable(dir, []string{"memory", "pids"})
}

// enable hands controllers down to the children of dir and lists those that are.
func enable(dir string, controllers []string) []string {
	var enabled []string
	for _, c := range controllers {
		if contains(read(dir, "cgroup.subtree_control"), c) ||
			contains(read(dir, "cgroup.controllers"), c) && write(dir, "cgroup.subtree_control", "+"+c) == nil {
			enabled = append(enabled, c)
		}
	}
	return enabled
}

// controller says which version bounds what c controls, "" if none does.
func (g *cgroups) controller(c string) string {
	for _, h := range g.trees {
		if h.has(c) {
			if h.version2 {
				return "cgroup v2"
			}
			return "cgroup v1"
		}
	}
	return ""
}

func (h *hierarchy) has(controller string) bool {
	return slices.Contains(h.controllers, controller)
}

// make makes the group of one run. Bounds of 0 are none.
func (g *cgroups) make(memoryBytes, processes int64) (_ *cgroupFence, err error) {
	id := "run-" + strconv.FormatUint(g.lastID.Add(1), 10)
	f := &cgroupFence{}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.remove())
		}
	}()
	for i := range g.trees {
		h := &g.trees[i]
		dir := filepath.Join(h.base, id)
		if err := os.Mkdir(dir, 0o755); err != nil {
			return nil, err
		}
		f.dirs = append(f.dirs, groupDir{path: dir, tree: h})
		if err := h.bound(dir, memoryBytes, processes); err != nil {
			return nil, fmt.Errorf("bound %s: %w", dir, err)
		}
	}
	return f, nil
}

func (h *hierarchy) bound(dir string, memoryBytes, processes int64) error {
	if processes > 0 && h.has("pids") {
		if err := write(dir, "pids.max", strconv.FormatInt(processes, 10)); err != nil {
			return err
		}
	}
	if memoryBytes <= 0 || !h.has("memory") {
		return nil
	}
	limit := strconv.FormatInt(memoryBytes, 10)
	if h.version2 {
		_ = write(dir, "memory.swap.max", "0")  // absent without swap
		_ = write(dir, "memory.oom.group", "1") // all or none of a run survives
		return write(dir, "memory.max", limit)
	}
	if err := write(dir, "memory.limit_in_bytes", limit); err != nil {
		return err
	}
	_ = write(dir, "memory.memsw.limit_in_bytes", limit) // absent without swap accounting
	return nil
}

// close removes our groups. It may be called again, and on nil.
func (g *cgroups) close() error {
	if g == nil {
		return nil
	}
	var errs []error
	for _, h := range g.trees {
		errs = append(errs, removeGroup(h.base), h.lock.Close())
	}
	g.trees = nil
	return errors.Join(errs...)
}

// clearStale ends and removes what Supervisors left that are gone: nobody locks it.
func clearStale(home string) {
	bases, err := filepath.Glob(filepath.Join(home, basePrefix+"*"))
	if err != nil {
		return
	}
	for _, base := range bases {
		lock, err := os.Open(base)
		if err != nil {
			continue
		}
		if unix.Flock(int(lock.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil {
			runs, _ := filepath.Glob(filepath.Join(base, "run-*"))
			for _, run := range runs {
				killGroup(run)
				_ = removeGroup(run)
			}
			_ = removeGroup(base)
		}
		_ = lock.Close()
	}
}

// removeGroup removes a group, and those that its processes made below it, as soon as the
// kernel has let go of its processes.
func removeGroup(dir string) error {
	var err error
	for _, sub := range subgroups(dir) {
		_ = removeGroup(sub) // the removal of dir tells of what is left
	}
	eventually(killWait, func() bool {
		err = os.Remove(dir)
		return !errors.Is(err, unix.EBUSY)
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// killGroup kills what is in a group, all at once where the kernel can (5.14 and later).
func killGroup(dir string) {
	if write(dir, "cgroup.kill", "1") == nil {
		return
	}
	for _, sub := range subgroups(dir) {
		killGroup(sub)
	}
	for field := range strings.FieldsSeq(read(dir, "cgroup.procs")) {
		if pid, err := strconv.Atoi(field); err == nil && pid > 0 {
			_ = unix.Kill(pid, unix.SIGKILL)
		}
	}
}

// subgroups are the groups just below one.
func subgroups(dir string) []string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil // it is gone
	}
	var subs []string
	for _, e := range entries {
		if e.IsDir() {
			subs = append(subs, filepath.Join(dir, e.Name()))
		}
	}
	return subs
}

func read(dir, file string) string {
	b, err := os.ReadFile(filepath.Join(dir, file))
	if err != nil {
		return ""
	}
	return string(b)
}

// write does not create: a missing file means a missing feature.
func write(dir, file, value string) error {
	f, err := os.OpenFile(filepath.Join(dir, file), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(value)
	return errors.Join(err, f.Close())
}

func contains(list, word string) bool {
	return slices.Contains(strings.Fields(list), word)
}
