package store

// PreRead is the statement whose plan a test holds.
const PreRead = preRead
