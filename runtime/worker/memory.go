package worker

import (
	"os"
	"strconv"
	"strings"
	"time"
)

// watchInterval is how often a worker's memory is looked at where no control group
// bounds it. A guest allocates at most some 100 MiB in it, and the address space is
// bounded besides.
const watchInterval = 50 * time.Millisecond

// resident is the memory that the worker has now, 0 if it cannot be told.
func (p *process) resident() int64 {
	statm, err := os.ReadFile("/proc/" + strconv.Itoa(p.proc.PID()) + "/statm")
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(statm))
	if len(fields) < 2 {
		return 0
	}
	pages, err := strconv.ParseInt(fields[1], 10, 64)
	if err != nil {
		return 0
	}
	return pages * int64(os.Getpagesize())
}
