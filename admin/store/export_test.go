package store

// Statements whose plan a test holds.
const (
	PreRead       = preRead
	ResumeWaiting = resumeWaiting
)
