package workermain

import (
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// meter tells what this process uses. It opens its file at the start, when that is
// still possible.
type meter struct {
	status *os.File // nil where there is none
}

func newMeter() *meter {
	status, err := os.Open("/proc/self/status")
	if err != nil {
		return &meter{}
	}
	return &meter{status}
}

// cpu is the CPU time so far.
func (*meter) cpu() time.Duration {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// peakBytes is the most memory so far, 0 if it cannot be told. getrusage's is no use: it
// starts with what the supervisor had at the fork.
func (m *meter) peakBytes() int64 {
	var content [4 << 10]byte
	n, _ := m.status.ReadAt(content[:], 0) // the end of the file is no error here, and a nil file has nothing
	_, rest, _ := strings.Cut(string(content[:n]), "VmHWM:")
	fields := strings.Fields(rest)
	if len(fields) == 0 {
		return 0
	}
	kib, err := strconv.ParseInt(fields[0], 10, 64)
	if err != nil {
		return 0
	}
	return kib << 10
}
