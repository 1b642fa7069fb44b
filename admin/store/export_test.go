package store

// The statement whose plan a test holds, and what is set before it.
const (
	PreRead = preRead
	PlanPin = planPin
)
