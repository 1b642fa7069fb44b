package gw

import "unsafe"

// The import module "gluewheel". Text goes over as address and length, which is how
// the compiler passes a string.

//go:wasmimport gluewheel log
func hostLog(level int32, text string)

//go:wasmimport gluewheel param
func importedParam(address unsafe.Pointer, capacity int32) int32

//go:wasmimport gluewheel shard_index
func hostShardIndex() int32

//go:wasmimport gluewheel shard_total
func hostShardTotal() int32

//go:wasmimport gluewheel progress
func hostProgress(percent float64, note string)

//go:wasmimport gluewheel result
func hostResult(text string)

//go:wasmimport gluewheel cancelled
func hostCancelled() int32

//go:wasmimport gluewheel now
func hostNow() int64

//go:wasmimport gluewheel sleep
func hostSleep(ms int64) int32

//go:wasmimport gluewheel call
func hostCall(name, arguments string) int32

//go:wasmimport gluewheel answer
func importedAnswer(address unsafe.Pointer, capacity int32) int32

func hostParam(buffer []byte) int {
	return int(importedParam(unsafe.Pointer(unsafe.SliceData(buffer)), int32(len(buffer))))
}

func hostAnswer(buffer []byte) int {
	return int(importedAnswer(unsafe.Pointer(unsafe.SliceData(buffer)), int32(len(buffer))))
}
