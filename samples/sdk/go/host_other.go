//go:build !wasip1

package gw

import (
	"fmt"
	"time"
)

// What stands in for the host where there is none: a run without parameter and shards.

func hostLog(_ int32, text string) { fmt.Println(text) }
func hostParam([]byte) int         { return 0 }
func hostShardIndex() int32        { return 0 }
func hostShardTotal() int32        { return 1 }
func hostProgress(float64, string) {}
func hostResult(string)            {}
func hostCancelled() int32         { return 0 }
func hostNow() int64               { return time.Now().UnixMilli() }
func hostSleep(ms int64) int32     { time.Sleep(time.Duration(ms) * time.Millisecond); return 0 }
func hostCall(_, _ string) int32   { return 0 }
func hostAnswer([]byte) int        { return 0 }
