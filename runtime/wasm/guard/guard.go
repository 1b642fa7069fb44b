// Package guard reads a WebAssembly module's structure before anything compiles it.
//
// Engines believe the counts that a module states: fifteen bytes can make one ask for
// hundreds of gigabytes, which no recover catches. The guard walks every section with
// a bound on every count (no vector has more items than bytes left, and none more than
// [Limits] allows) and allocates in proportion to the module's size. What passes is
// well-formed enough to be given to a compiler; it is not yet valid, and it may still
// be slow to compile, so compilation stays in a worker.
//
// Its report (imports, exports, memory) is what an upload shows and what the check of
// the ABI rests on. Pure: no engine, no I/O. Section and type numbers are those of the
// WebAssembly core specification 2.0, §5.5.
package guard

import (
	"encoding/binary"
	"fmt"
)

// Limits bound a module. The defaults are those that browsers agreed on (WebAssembly
// JavaScript interface, "Implementation-defined limits") or lower.
type Limits struct {
	Bytes         int    // of the module
	Types         uint32 // function signatures
	Functions     uint32 // imported and own
	Imports       uint32
	Exports       uint32
	Globals       uint32
	Tables        uint32
	Segments      uint32 // data or element segments
	Params        uint32 // of one signature; results too
	TableElements uint32 // first size of one table, and items of one element segment
	MemoryPages   uint32 // first size of the memory, in pages of 64 KiB
	Locals        uint32 // of one function
	FunctionBytes uint32 // code of one function
	NameBytes     uint32 // of one import's or export's name
}

// DefaultLimits suit modules up to the default upload size of 16 MiB.
func DefaultLimits() Limits {
	return Limits{
		Bytes: 16 << 20, Types: 100_000, Functions: 200_000, Imports: 10_000, Exports: 100_000,
		Globals: 100_000, Tables: 16, Segments: 100_000, Params: 1000, TableElements: 1 << 20,
		MemoryPages: 16_384, Locals: 50_000, FunctionBytes: 7_654_321, NameBytes: 4096,
	}
}

// Kind is what an import or export is.
type Kind string

const (
	Func   Kind = "func"
	Table  Kind = "table"
	Memory Kind = "memory"
	Global Kind = "global"
)

// Import is something that the module wants from its host.
type Import struct {
	Module string `json:"module"`
	Name   string `json:"name"`
	Kind   Kind   `json:"kind"`
}

// Export is something that the module offers.
type Export struct {
	Name    string   `json:"name"`
	Kind    Kind     `json:"kind"`
	Params  []string `json:"params,omitempty"`  // of a function: i32, i64, f32, f64, …
	Results []string `json:"results,omitempty"` // of a function
}

// Report is a module's outside.
type Report struct {
	Bytes       int      `json:"bytes"`
	Functions   uint32   `json:"functions"` // its own
	Imports     []Import `json:"imports"`
	Exports     []Export `json:"exports"`
	MemoryPages uint32   `json:"memory_pages"`               // first size, 64 KiB each
	MaxPages    uint32   `json:"memory_max_pages,omitempty"` // 0 = not stated
}

// Refusal says why a module is not accepted, as a sentence for people.
type Refusal struct {
	Offset int // byte at which it was noticed
	Reason string
}

func (r *Refusal) Error() string { return fmt.Sprintf("%s (at byte %d)", r.Reason, r.Offset) }

// Check walks the module; an error is always a *Refusal.
func Check(module []byte, limits Limits) (Report, error) {
	if len(module) > limits.Bytes {
		return Report{}, &Refusal{0, fmt.Sprintf("The module has %d bytes; at most %d are allowed.", len(module), limits.Bytes)}
	}
	w := &walk{cursor: cursor{b: module}, limits: limits}
	if err := w.module(); err != nil {
		return Report{}, err
	}
	w.report.Bytes = len(module)
	return w.report, nil
}

// walk is one pass over a module.
type walk struct {
	cursor
	limits    Limits
	report    Report
	types     []signature
	funcs     []uint32 // type of each function, imported first
	own       uint32   // functions of the function section
	bodies    uint32   // functions of the code section
	memories  uint32
	tables    uint32
	globals   uint32
	dataCount *uint32
}

type signature struct{ params, results []string }

const (
	magic     = "\x00asm"
	version   = 1
	component = 0x0001_000d // version of the component model's binary format
)

func (w *walk) module() error {
	head, err := w.bytes(8, "header")
	if err != nil || string(head[:4]) != magic {
		return &Refusal{0, "This is not a WebAssembly module: it does not begin with \\0asm."}
	}
	switch binary.LittleEndian.Uint32(head[4:]) {
	case version:
	case component:
		return &Refusal{4, "This is a WebAssembly component. Build a core module for wasm32-wasip1 instead."}
	default:
		return &Refusal{4, "The WebAssembly version is not 1."}
	}
	last := 0
	for w.left() > 0 {
		id, body, err := w.section()
		if err != nil {
			return err
		}
		if id != custom {
			rank := order(id)
			if rank == 0 {
				return w.refuse("Section %d is of no kind that is supported.", id)
			}
			if rank <= last {
				return w.refuse("Section %d is repeated or out of order.", id)
			}
			last = rank
		}
		if err := w.inside(id, body); err != nil {
			return err
		}
	}
	return w.complete()
}

// section reads a section's header and cuts its body off.
func (w *walk) section() (id byte, body cursor, err error) {
	id, err = w.byte("section id")
	if err != nil {
		return 0, cursor{}, err
	}
	size, err := w.u32("section size")
	if err != nil {
		return 0, cursor{}, err
	}
	start := w.at
	if _, err = w.bytes(size, "section"); err != nil {
		return 0, cursor{}, err
	}
	return id, cursor{b: w.b[:w.at], at: start}, nil
}

// inside walks a section's body, which must be used up.
func (w *walk) inside(id byte, body cursor) error {
	read, ok := sections[id]
	if !ok {
		return nil // custom sections are opaque
	}
	outer := w.cursor
	w.cursor = body
	if err := read(w); err != nil {
		return err
	}
	if w.left() > 0 {
		return w.refuse("Section %d is longer than what it holds.", id)
	}
	w.cursor = outer
	return nil
}

// complete checks what only the whole module shows.
func (w *walk) complete() error {
	if w.bodies != w.own {
		return w.refuse("%d functions are declared and %d have code.", w.own, w.bodies)
	}
	w.report.Functions = w.own
	return nil
}
