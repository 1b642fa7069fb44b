package workermain

import (
	"github.com/gluewheel/gluewheel/runtime/frame"
	"github.com/gluewheel/gluewheel/runtime/lua"
)

// loader makes guests of one type.
type loader struct {
	space int64 // address space that its engine needs
	load  func(body frame.LoadBody, code []byte) (guest, error)
}

// loaders are the engines that are linked into the worker, by glue type.
var loaders = map[string]loader{
	lua.Type: {spaceForScripts, loadLua},
}

func loadLua(body frame.LoadBody, code []byte) (guest, error) {
	return lua.Load(code, body.MemoryBytes)
}
