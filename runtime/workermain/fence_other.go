//go:build !amd64 && !arm64

package workermain

// No filter is written for this processor.
const (
	auditArch = 0
	x32       = 0
)

var refusedHere, refusedFilesHere []uintptr
