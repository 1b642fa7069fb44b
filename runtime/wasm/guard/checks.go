package guard

import (
	"encoding/binary"
	"fmt"
	"slices"
)

// check is an empty loop: loop, no values, end. wazero has its code ask at the head of
// every loop whether it shall end, and only there.
var check = []byte{0x03, 0x40, 0x0b}

// codeID is the number of the section with the functions' code.
const codeID = 10

// AddChecks gives a module that does the same, and has an empty loop at the beginning of
// each function, so that recursion without loops can be stopped as loops can. The module
// must have passed [Check].
func AddChecks(module []byte) ([]byte, error) {
	w := walk{cursor: cursor{b: module, at: 8}}
	if len(module) < 8 {
		return nil, w.refuse("The module ends inside its header.")
	}
	out := slices.Grow(slices.Clone(module[:8]), len(module))
	for w.left() > 0 {
		start := w.at
		id, body, err := w.section()
		if err != nil {
			return nil, fmt.Errorf("add checks: %w", err)
		}
		if id != codeID {
			out = append(out, module[start:w.at]...)
			continue
		}
		code, err := checkedBodies(body)
		if err != nil {
			return nil, fmt.Errorf("add checks: %w", err)
		}
		out = appendSized(append(out, codeID), code)
	}
	return out, nil
}

// checkedBodies copies a code section's functions, each with a check behind its locals.
func checkedBodies(section cursor) ([]byte, error) {
	w := walk{cursor: section, limits: DefaultLimits()}
	count, err := w.u32("number of function bodies")
	if err != nil {
		return nil, err
	}
	out := binary.AppendUvarint(nil, uint64(count))
	for range count {
		size, err := w.u32("function's size")
		if err != nil {
			return nil, err
		}
		start := w.at
		if _, err := w.bytes(size, "function"); err != nil {
			return nil, err
		}
		body := walk{cursor: cursor{b: w.b[:w.at], at: start}, limits: w.limits}
		if err := body.locals(); err != nil {
			return nil, err
		}
		out = appendSized(out, slices.Concat(w.b[start:body.at], check, w.b[body.at:w.at]))
	}
	return out, nil
}

func appendSized(out, content []byte) []byte {
	return append(binary.AppendUvarint(out, uint64(len(content))), content...)
}
