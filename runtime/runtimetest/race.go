//go:build race

package runtimetest

// RaceDetector tells that this binary was built with the race detector.
const RaceDetector = true
