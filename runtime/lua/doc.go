// Package lua runs Lua 5.1 jobs with gopher-lua. It is meant for the sandbox worker:
// gopher-lua bounds neither memory nor the time that its pattern functions take, so
// something outside must be able to end the process.
//
// A guest finds the base, table, string, math and coroutine libraries without what
// loads code or reaches outside: no load, loadstring, dofile, loadfile, require,
// module, string.dump, collectgarbage or newproxy. Of os there are clock, date,
// difftime and time, which tell the time and no more. print goes to the job's log.
// string.rep refuses to build more than the guest's memory holds. The module gw is the
// host interface, see [hostapi].
package lua
