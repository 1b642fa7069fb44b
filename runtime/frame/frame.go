// Package frame is the language between the supervisor of a sandbox worker and the
// worker: messages with a length before them, over one socket.
//
//	supervisor                                worker
//	   Load, Code ─────────────────────────►  reads and compiles
//	              ◄─────────────────────────  Ready (or why not)
//	   Run ────────────────────────────────►  runs the guest, once
//	              ◄─────────────────────────  Log, Progress, Call, …
//	   Answer (to a Call, in any order) ───►
//	   Cancel (when it shall stop) ────────►
//	              ◄─────────────────────────  Result
//
// Neither side believes the other's lengths: a frame above its limit is an error, and
// ends the conversation.
package frame

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/gluewheel/gluewheel/runtime"
)

// Kind says what a frame holds.
type Kind byte

// Kinds of frames. Log and Code hold bytes, the others JSON.
const (
	Load     Kind = iota + 1 // LoadBody
	Code                     // the program, follows Load
	Run                      // RunBody
	Cancel                   // empty
	Ready                    // ReadyBody
	Log                      // lines, each ended by a line feed
	Progress                 // ProgressBody
	Result                   // ResultBody
	Call                     // CallBody
	Answer                   // AnswerBody
)

const (
	// MaxToWorker is the largest frame that a worker takes: a program, with room.
	MaxToWorker = 64 << 20
	// MaxToSupervisor is the largest frame that a supervisor takes from a worker, which
	// may have been taken over by its guest.
	MaxToSupervisor = 1 << 20
)

// ErrTooLarge is the error of a frame above the limit.
var ErrTooLarge = errors.New("frame is too large")

// LoadBody announces a program.
type LoadBody struct {
	Type        string
	Name        string
	MemoryBytes int64 // real memory that the guest may use
	CacheDir    string
	// Warm says that the worker will wait for its run, so that it has time to get ready
	// for one beyond loading.
	Warm bool `json:",omitempty"`
}

// ReadyBody answers a Load.
type ReadyBody struct {
	Invalid *runtime.InvalidError `json:",omitempty"` // the program cannot be run
	Failure string                `json:",omitempty"` // the worker cannot run it
	// Unfenced says which fence the kernel did not let the worker have.
	Unfenced string `json:",omitempty"`
	Inspection
}

// Inspection is what loading found out.
type Inspection struct {
	ABI    string `json:",omitempty"` // of a module
	LoadMS int64
	CPU    time.Duration // of starting and loading
}

// RunBody starts the run.
type RunBody struct {
	Invocation runtime.Invocation
	LogBytes   int64
	CPUSeconds uint64 // 0 is unbounded
	GraceMS    int64
}

// ProgressBody is the guest's word on how far it is.
type ProgressBody struct {
	Percent float64
	Note    string
}

// MaxCalls bounds the calls of one run that wait for their answers.
const MaxCalls = 16

// CallBody asks the supervisor for one thing that the worker cannot do.
type CallBody struct {
	ID     uint64
	HTTP   *runtime.HTTPRequest `json:",omitempty"`
	KV     *runtime.KVRequest   `json:",omitempty"`
	Secret string               `json:",omitempty"` // its name
}

// AnswerBody answers the call of that ID.
type AnswerBody struct {
	ID   uint64
	HTTP *runtime.HTTPResponse `json:",omitempty"`
	KV   *runtime.KVResponse   `json:",omitempty"`
	// Secret is the value of the one that was asked for.
	Secret string `json:",omitempty"`
	Error  string `json:",omitempty"`
}

// ResultBody ends the run.
type ResultBody struct {
	Kind    runtime.Kind
	Message string
	Usage   runtime.Usage
}

// Conn sends and receives frames. Writes may come from several goroutines, reads from
// one.
type Conn struct {
	r   *bufio.Reader
	max uint32

	mu sync.Mutex
	w  io.Writer
}

// New makes a Conn that takes frames of at most limit bytes.
func New(rw io.ReadWriter, limit uint32) *Conn {
	return &Conn{r: bufio.NewReaderSize(rw, 32<<10), w: rw, max: limit}
}

// Write sends a frame whole.
func (c *Conn) Write(kind Kind, payload []byte) error {
	header := [5]byte{4: byte(kind)}
	binary.BigEndian.PutUint32(header[:4], uint32(len(payload)))
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(payload) <= 64<<10 { // one system call for what is small
		_, err := c.w.Write(append(header[:], payload...))
		return err
	}
	if _, err := c.w.Write(header[:]); err != nil {
		return err
	}
	_, err := c.w.Write(payload)
	return err
}

// Send sends body as JSON.
func (c *Conn) Send(kind Kind, body any) error {
	payload, err := json.Marshal(body)
	if err != nil {
		return fmt.Errorf("encode frame: %w", err)
	}
	return c.Write(kind, payload)
}

// Read waits for the next frame. The payload is the caller's to keep.
func (c *Conn) Read() (Kind, []byte, error) {
	var header [5]byte
	if _, err := io.ReadFull(c.r, header[:]); err != nil {
		return 0, nil, err
	}
	size := binary.BigEndian.Uint32(header[:4])
	if size > c.max {
		return 0, nil, fmt.Errorf("read frame of %d bytes: %w", size, ErrTooLarge)
	}
	payload := make([]byte, size)
	if _, err := io.ReadFull(c.r, payload); err != nil {
		return 0, nil, fmt.Errorf("read frame: %w", err)
	}
	return Kind(header[4]), payload, nil
}

// Expect reads a frame of that kind into body, which is a pointer to a struct.
func (c *Conn) Expect(kind Kind, body any) error {
	got, payload, err := c.Read()
	if err != nil {
		return err
	}
	if got != kind {
		return fmt.Errorf("frame of kind %d came, %d was expected", got, kind)
	}
	if err := json.Unmarshal(payload, body); err != nil {
		return fmt.Errorf("decode frame: %w", err)
	}
	return nil
}
