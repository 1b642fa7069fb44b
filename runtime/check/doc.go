// Package check tells what is wrong with a source without running it: in the editor
// while people type, and again when they publish.
//
// Lua, JavaScript and TypeScript are compiled in a sandbox worker, since their parsers
// can be driven out of memory. Shell and Python sources are read by their own
// interpreters, told to execute nothing, in processes with bounds on memory and time.
// Where an interpreter is missing, and for all other types, nothing is found.
package check
