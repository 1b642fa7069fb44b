// Package house holds the rules that all code here keeps and that no linter knows: one
// package comment each, imports in one direction, no hidden start-up work, goroutines
// that somebody waits for. It has tests only.
package house
