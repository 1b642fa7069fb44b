// Package runtimetest helps to test engines: it builds WebAssembly modules without a
// compiler. Only tests import it.
package runtimetest

import (
	"encoding/binary"
	"slices"
)

// Value types, as WebAssembly encodes them.
const (
	I32 byte = 0x7f
	I64 byte = 0x7e
	F64 byte = 0x7c
)

// Some instructions, so that bodies can be read.
const (
	Unreachable  byte = 0x00
	Block        byte = 0x02
	Loop         byte = 0x03
	If           byte = 0x04
	End          byte = 0x0b
	Br           byte = 0x0c
	BrIf         byte = 0x0d
	Return       byte = 0x0f
	Call         byte = 0x10
	CallIndirect byte = 0x11
	Drop         byte = 0x1a
	LocalGet     byte = 0x20
	LocalSet     byte = 0x21
	I32Const     byte = 0x41
	I64Const     byte = 0x42
	MemoryGrow   byte = 0x40
	I32Eqz       byte = 0x45
	I32Add       byte = 0x6a
	I32Sub       byte = 0x6b
	NoResult     byte = 0x40 // block type
)

// Signature is a function's type.
type Signature struct{ Params, Results []byte }

// Import is an imported function.
type Import struct {
	Module, Name string
	Signature    Signature
}

// From makes an import.
func From(module, name string, params, results []byte) Import {
	return Import{Module: module, Name: name, Signature: Signature{Params: params, Results: results}}
}

// Func is a function of the module.
type Func struct {
	Export    string // its name outside; "" is not exported
	Signature Signature
	Locals    []byte // their types
	Body      []byte // without the last end
}

// Module describes a module. Functions are numbered with the imports first.
type Module struct {
	Imports []Import
	Funcs   []Func
	Tables  []uint32 // first sizes, of function references
	Pages   uint32   // first size of the memory; exported as "memory"
	Memory  bool     // a memory even if Pages is 0
	Data    []byte   // at address 0 of the memory
}

// Encode gives the module's bytes.
func (m Module) Encode() []byte {
	var types, imports, functions, tables, exports, code [][]byte
	for _, i := range m.Imports {
		imports = append(imports, slices.Concat(name(i.Module), name(i.Name), []byte{0}, Uint(uint64(len(types)))))
		types = append(types, i.Signature.encode())
	}
	for n, f := range m.Funcs {
		functions = append(functions, Uint(uint64(len(types))))
		types = append(types, f.Signature.encode())
		if f.Export != "" {
			exports = append(exports, slices.Concat(name(f.Export), []byte{0}, Uint(uint64(len(m.Imports)+n))))
		}
		var locals [][]byte
		for _, t := range f.Locals {
			locals = append(locals, []byte{1, t})
		}
		code = append(code, sized(slices.Concat(vector(locals), f.Body, []byte{End})))
	}
	for _, size := range m.Tables {
		tables = append(tables, slices.Concat([]byte{0x70, 0}, Uint(uint64(size))))
	}
	var memories, data [][]byte
	if m.Memory || m.Pages > 0 {
		memories = append(memories, slices.Concat([]byte{0}, Uint(uint64(m.Pages))))
		exports = append(exports, slices.Concat(name("memory"), []byte{2, 0}))
	}
	if len(m.Data) > 0 {
		data = append(data, slices.Concat([]byte{0, I32Const, 0, End}, sized(m.Data)))
	}
	out := []byte("\x00asm\x01\x00\x00\x00")
	for _, s := range []struct {
		id    byte
		items [][]byte
	}{{1, types}, {2, imports}, {3, functions}, {4, tables}, {5, memories}, {7, exports}, {10, code}, {11, data}} {
		if len(s.items) > 0 {
			out = slices.Concat(out, []byte{s.id}, sized(vector(s.items)))
		}
	}
	return out
}

func (s Signature) encode() []byte {
	return slices.Concat([]byte{0x60}, sized(s.Params), sized(s.Results))
}

// Uint encodes an index or size (LEB128).
func Uint(n uint64) []byte { return binary.AppendUvarint(nil, n) }

// Int encodes the operand of a constant (signed LEB128).
func Int(n int64) []byte {
	var out []byte
	for {
		b := byte(n & 0x7f)
		n >>= 7
		if n == 0 && b&0x40 == 0 || n == -1 && b&0x40 != 0 {
			return append(out, b)
		}
		out = append(out, b|0x80)
	}
}

// Body joins instructions and operands.
func Body(parts ...any) []byte {
	var out []byte
	for _, p := range parts {
		switch p := p.(type) {
		case byte:
			out = append(out, p)
		case int:
			out = append(out, byte(p))
		case []byte:
			out = append(out, p...)
		}
	}
	return out
}

func vector(items [][]byte) []byte {
	return slices.Concat(Uint(uint64(len(items))), slices.Concat(items...))
}

func sized(b []byte) []byte { return slices.Concat(Uint(uint64(len(b))), b) }

func name(s string) []byte { return sized([]byte(s)) }
