package workermain

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// socket is the descriptor of the connection to the supervisor.
	socket = 3
	// maxFiles bounds descriptors: the standard ones, the socket, and what the Go
	// runtime needs for itself.
	maxFiles = 32
	// outOfMemoryScore makes the kernel end workers before the executor when the
	// machine itself runs out of memory (the scale ends at 1000).
	outOfMemoryScore = "800"
)

// Address space that a worker needs at least. Go reserves far more than it uses, and
// wazero reserves all of a guest's memory at once.
const (
	spaceForScripts = 3 << 29 // 1.5 GiB
	spaceForWASM    = 3 << 30
)

// confine gives up what a guest must never have. What the kernel refuses is not fatal:
// it takes away one fence of several, and the error says which. The supervisor has
// already started this process without capabilities and without a way to get any, in an
// empty network where it may make one.
func confine() error {
	os.Clearenv()
	closeInherited()
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte(outOfMemoryScore), 0)
	_ = unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0) // takes away writing to the file above
	return fenceOff()
}

// sealFiles takes away all files but the open ones. What needs some is read before.
func sealFiles() error {
	_, _ = time.Now().Zone() // the machine's, which is read once
	if err := lower(unix.RLIMIT_FSIZE, 0); err != nil {
		return fmt.Errorf("limit file size: %w", err)
	}
	return fenceOffFiles()
}

// closeInherited closes descriptors that some ancestor left open without saying so. The
// Go runtime's own are anonymous inodes.
func closeInherited() {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return
	}
	for _, entry := range entries {
		fd, err := strconv.Atoi(entry.Name())
		if err != nil || fd <= socket {
			continue
		}
		target, err := os.Readlink("/proc/self/fd/" + entry.Name())
		if err == nil && !strings.HasPrefix(target, "anon_inode:") {
			_ = unix.Close(fd)
		}
	}
}

// limit sets the limits that hold for the rest of this process: fileBytes is the
// largest file that it may write, 0 for none.
func limit(space, memoryBytes int64, fileBytes uint64) error {
	space = max(space, virtualSize()+memoryBytes+spaceForScripts/2)
	var errs []error
	for _, l := range []struct {
		name     string
		resource int
		value    uint64
	}{
		{"address space", unix.RLIMIT_AS, uint64(space)},
		{"files", unix.RLIMIT_NOFILE, maxFiles},
		{"file size", unix.RLIMIT_FSIZE, fileBytes},
		{"core", unix.RLIMIT_CORE, 0},
	} {
		if err := lower(l.resource, l.value); err != nil {
			errs = append(errs, fmt.Errorf("limit %s: %w", l.name, err))
		}
	}
	return errors.Join(errs...)
}

// limitCPU bounds the CPU time beyond what is used, in seconds; 0 does not. The first signal
// (SIGXCPU) interrupts the guest, a second of CPU time later the kernel kills.
func limitCPU(used time.Duration, seconds uint64) error {
	if seconds == 0 {
		return nil
	}
	hard := uint64(used.Seconds()) + seconds + 1
	if err := unix.Setrlimit(unix.RLIMIT_CPU, &unix.Rlimit{Cur: hard - 1, Max: hard}); err != nil {
		return fmt.Errorf("limit CPU time: %w", err)
	}
	return nil
}

// lower sets a limit for good, unless it is lower already.
func lower(resource int, value uint64) error {
	var old unix.Rlimit
	if err := unix.Getrlimit(resource, &old); err != nil {
		return err
	}
	value = min(value, old.Max)
	return unix.Setrlimit(resource, &unix.Rlimit{Cur: value, Max: value})
}

// virtualSize is the address space in use. It is huge in race builds.
func virtualSize() int64 {
	statm, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	first, _, _ := strings.Cut(string(statm), " ")
	pages, err := strconv.ParseInt(first, 10, 64)
	if err != nil {
		return 0
	}
	return pages * int64(os.Getpagesize())
}
