package guard

const (
	custom    = 0
	dataCount = 12
)

// order is the place of a section in a module, from 1; 0 is a kind not supported here
// (exception tags, proposals).
func order(id byte) int {
	switch {
	case id == dataCount: // between elements (9) and code (10)
		return 10
	case id >= 10 && id <= 11:
		return int(id) + 1
	case id >= 1 && id <= 9:
		return int(id)
	}
	return 0
}

// sections read the bodies of the known sections.
var sections = map[byte]func(*walk) error{
	1: (*walk).typeSection, 2: (*walk).importSection, 3: (*walk).functionSection,
	4: (*walk).tableSection, 5: (*walk).memorySection, 6: (*walk).globalSection,
	7: (*walk).exportSection, 8: (*walk).startSection, 9: (*walk).elementSection,
	10: (*walk).codeSection, 11: (*walk).dataSection, dataCount: (*walk).dataCountSection,
}

// each reads a vector item by item.
func (w *walk) each(limit uint32, what string, item func() error) error {
	n, err := w.count(limit, what)
	if err != nil {
		return err
	}
	for range n {
		if err := item(); err != nil {
			return err
		}
	}
	return nil
}

func (w *walk) typeSection() error {
	return w.each(w.limits.Types, "types", func() error {
		form, err := w.byte("type")
		if err != nil {
			return err
		}
		if form != 0x60 {
			return w.refuse("A type is not a function's (0x%02x).", form)
		}
		params, err := w.valueTypes("parameters")
		if err != nil {
			return err
		}
		results, err := w.valueTypes("results")
		if err != nil {
			return err
		}
		w.types = append(w.types, signature{params, results})
		return nil
	})
}

var valueTypes = map[byte]string{
	0x7f: "i32", 0x7e: "i64", 0x7d: "f32", 0x7c: "f64", 0x7b: "v128", 0x70: "funcref", 0x6f: "externref",
}

func (w *walk) valueTypes(what string) ([]string, error) {
	var out []string
	err := w.each(w.limits.Params, what, func() error {
		t, err := w.valueType()
		out = append(out, t)
		return err
	})
	return out, err
}

func (w *walk) valueType() (string, error) {
	b, err := w.byte("value type")
	if err != nil {
		return "", err
	}
	t, ok := valueTypes[b]
	if !ok {
		return "", w.refuse("Value type 0x%02x is not supported.", b)
	}
	return t, nil
}

func (w *walk) importSection() error {
	return w.each(w.limits.Imports, "imports", func() error {
		module, err := w.name(w.limits.NameBytes, "module name")
		if err != nil {
			return err
		}
		name, err := w.name(w.limits.NameBytes, "import name")
		if err != nil {
			return err
		}
		kind, err := w.imported()
		w.report.Imports = append(w.report.Imports, Import{module, name, kind})
		return err
	})
}

func (w *walk) imported() (Kind, error) {
	kind, err := w.byte("import kind")
	if err != nil {
		return "", err
	}
	switch kind {
	case 0:
		return Func, w.function()
	case 1:
		return Table, w.table()
	case 2:
		return Memory, w.memory()
	case 3:
		return Global, w.globalType()
	}
	return "", w.refuse("Import kind %d is not supported.", kind)
}

// function reads the type of one function.
func (w *walk) function() error {
	t, err := w.u32("function's type")
	if err != nil {
		return err
	}
	if int64(t) >= int64(len(w.types)) {
		return w.refuse("A function has type %d of %d.", t, len(w.types))
	}
	if len(w.funcs) >= int(w.limits.Functions) {
		return w.refuse("There are more than %d functions.", w.limits.Functions)
	}
	w.funcs = append(w.funcs, t)
	return nil
}

func (w *walk) functionSection() error {
	return w.each(w.limits.Functions, "functions", func() error {
		w.own++
		return w.function()
	})
}

func (w *walk) tableSection() error {
	return w.each(w.limits.Tables, "tables", w.table)
}

func (w *walk) table() error {
	t, err := w.byte("table type")
	if err != nil {
		return err
	}
	if t != 0x70 && t != 0x6f {
		return w.refuse("Table type 0x%02x is not supported.", t)
	}
	if w.tables++; w.tables > w.limits.Tables {
		return w.refuse("There are more than %d tables.", w.limits.Tables)
	}
	least, _, err := w.sizes("table")
	if err != nil {
		return err
	}
	if least > w.limits.TableElements {
		return w.refuse("A table begins with %d elements; at most %d are allowed.", least, w.limits.TableElements)
	}
	return nil
}

func (w *walk) memorySection() error {
	return w.each(1, "memories", w.memory)
}

func (w *walk) memory() error {
	if w.memories++; w.memories > 1 {
		return w.refuse("There is more than one memory.")
	}
	least, most, err := w.sizes("memory")
	if err != nil {
		return err
	}
	if least > w.limits.MemoryPages {
		return w.refuse("The memory begins with %d pages of 64 KiB; at most %d are allowed.", least, w.limits.MemoryPages)
	}
	w.report.MemoryPages, w.report.MaxPages = least, most
	return nil
}

// sizes reads limits: a least and perhaps a most.
func (w *walk) sizes(what string) (least, most uint32, err error) {
	flags, err := w.byte(what + " limits")
	if err != nil {
		return 0, 0, err
	}
	if flags > 1 {
		return 0, 0, w.refuse("Shared and 64-bit memories and tables are not supported.")
	}
	if least, err = w.u32(what + " size"); err != nil || flags == 0 {
		return least, 0, err
	}
	if most, err = w.u32(what + " maximum"); err != nil {
		return 0, 0, err
	}
	if most < least {
		return 0, 0, w.refuse("The %s's maximum is below its first size.", what)
	}
	return least, most, nil
}

func (w *walk) globalType() error {
	if w.globals++; w.globals > w.limits.Globals {
		return w.refuse("There are more than %d globals.", w.limits.Globals)
	}
	if _, err := w.valueType(); err != nil {
		return err
	}
	mutable, err := w.byte("global")
	if err == nil && mutable > 1 {
		err = w.refuse("A global is neither mutable nor constant.")
	}
	return err
}

func (w *walk) globalSection() error {
	return w.each(w.limits.Globals, "globals", func() error {
		if err := w.globalType(); err != nil {
			return err
		}
		return w.constant()
	})
}

func (w *walk) exportSection() error {
	seen := map[string]bool{}
	return w.each(w.limits.Exports, "exports", func() error {
		name, err := w.name(w.limits.NameBytes, "export name")
		if err != nil {
			return err
		}
		if seen[name] {
			return w.refuse("%q is exported twice.", name)
		}
		seen[name] = true
		e, err := w.exported(name)
		w.report.Exports = append(w.report.Exports, e)
		return err
	})
}

func (w *walk) exported(name string) (Export, error) {
	kind, err := w.byte("export kind")
	if err != nil {
		return Export{}, err
	}
	index, err := w.u32("export index")
	if err != nil {
		return Export{}, err
	}
	kinds := []Kind{Func, Table, Memory, Global}
	if int(kind) >= len(kinds) {
		return Export{}, w.refuse("Export kind %d is not supported.", kind)
	}
	have := []uint64{uint64(len(w.funcs)), uint64(w.tables), uint64(w.memories), uint64(w.globals)}
	if uint64(index) >= have[kind] {
		return Export{}, w.refuse("Export %q names %s %d of %d.", name, kinds[kind], index, have[kind])
	}
	e := Export{Name: name, Kind: kinds[kind]}
	if e.Kind == Func {
		t := w.types[w.funcs[index]]
		e.Params, e.Results = t.params, t.results
	}
	return e, nil
}

func (w *walk) startSection() error {
	f, err := w.u32("start function")
	if err == nil && int64(f) >= int64(len(w.funcs)) {
		err = w.refuse("The start function is %d of %d.", f, len(w.funcs))
	}
	return err
}

func (w *walk) codeSection() error {
	return w.each(w.limits.Functions, "function bodies", func() error {
		w.bodies++
		size, err := w.u32("function's size")
		if err != nil {
			return err
		}
		if size > w.limits.FunctionBytes {
			return w.refuse("A function has %d bytes of code; at most %d are allowed.", size, w.limits.FunctionBytes)
		}
		start := w.at
		if _, err := w.bytes(size, "function"); err != nil {
			return err
		}
		body := walk{cursor: cursor{b: w.b[:w.at], at: start}, limits: w.limits}
		return body.locals()
	})
}

// locals sums a function's local variables: they come as counts, which are cheap to
// state and dear to believe.
func (w *walk) locals() error {
	var sum uint64
	return w.each(w.limits.Locals, "groups of locals", func() error {
		n, err := w.u32("number of locals")
		if err != nil {
			return err
		}
		if sum += uint64(n); sum > uint64(w.limits.Locals) {
			return w.refuse("A function has more than %d locals.", w.limits.Locals)
		}
		_, err = w.valueType()
		return err
	})
}

func (w *walk) dataCountSection() error {
	n, err := w.u32("number of data segments")
	if err != nil {
		return err
	}
	if n > w.limits.Segments {
		return w.refuse("There are %d data segments; at most %d are allowed.", n, w.limits.Segments)
	}
	w.dataCount = &n
	return nil
}

func (w *walk) dataSection() error {
	var n uint32
	err := w.each(w.limits.Segments, "data segments", func() error {
		n++
		return w.dataSegment()
	})
	if err == nil && w.dataCount != nil && *w.dataCount != n {
		err = w.refuse("%d data segments are declared and there are %d.", *w.dataCount, n)
	}
	return err
}

func (w *walk) dataSegment() error {
	flags, err := w.u32("data segment")
	if err != nil {
		return err
	}
	switch flags {
	case 0, 1:
	case 2:
		if _, err := w.u32("memory index"); err != nil {
			return err
		}
	default:
		return w.refuse("Data segment kind %d is not supported.", flags)
	}
	if flags != 1 { // active: has an offset
		if err := w.constant(); err != nil {
			return err
		}
	}
	n, err := w.count(uint32(w.limits.Bytes), "bytes of data")
	if err != nil {
		return err
	}
	_, err = w.bytes(n, "data segment")
	return err
}

// elementSection reads the eight forms of element segments (§5.5.12).
func (w *walk) elementSection() error {
	return w.each(w.limits.Segments, "element segments", func() error {
		flags, err := w.u32("element segment")
		if err != nil {
			return err
		}
		if flags > 7 {
			return w.refuse("Element segment kind %d is not supported.", flags)
		}
		const passive, explicit, expressions = 1, 2, 4
		if flags&passive == 0 {
			if flags&explicit != 0 {
				if _, err := w.u32("table index"); err != nil {
					return err
				}
			}
			if err := w.constant(); err != nil {
				return err
			}
		}
		if flags&(passive|explicit) != 0 {
			if _, err := w.byte("element kind"); err != nil {
				return err
			}
		}
		if flags&expressions != 0 {
			return w.each(w.limits.TableElements, "elements", w.constant)
		}
		return w.each(w.limits.TableElements, "elements", func() error { return w.skipLEB(5, "function index") })
	})
}

// constant passes over a constant expression (§3.3.9 and extended constants).
func (w *walk) constant() error {
	for {
		op, err := w.byte("constant expression")
		if err != nil {
			return err
		}
		switch op {
		case 0x0b: // end
			return nil
		case 0x41, 0x23, 0xd2: // i32.const, global.get, ref.func
			err = w.skipLEB(5, "constant")
		case 0x42: // i64.const
			err = w.skipLEB(10, "constant")
		case 0x43: // f32.const
			_, err = w.bytes(4, "constant")
		case 0x44: // f64.const
			_, err = w.bytes(8, "constant")
		case 0xd0: // ref.null
			_, err = w.byte("constant")
		case 0x6a, 0x6b, 0x6c, 0x7c, 0x7d, 0x7e: // extended: add, sub, mul
		case 0xfd: // v128.const
			err = w.vector()
		default:
			err = w.refuse("Instruction 0x%02x is not constant.", op)
		}
		if err != nil {
			return err
		}
	}
}

func (w *walk) vector() error {
	op, err := w.u32("vector instruction")
	if err != nil {
		return err
	}
	if op != 12 {
		return w.refuse("Vector instruction %d is not constant.", op)
	}
	_, err = w.bytes(16, "constant")
	return err
}
