package job

import "time"

// A run id is (days since idEpoch << idCounterBits) | counter: 14 + 39 bits, which
// stays exact in JavaScript's number and tells the ledger's partition.
const idCounterBits = 39

// MaxCounter is the largest counter an id can hold.
const MaxCounter = 1<<idCounterBits - 1

var idEpoch = time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)

// RunID builds the id of a run planned for fireAt. counter is cut to 39 bits.
func RunID(fireAt time.Time, counter int64) int64 {
	days := int64(fireAt.UTC().Sub(idEpoch) / (24 * time.Hour))
	return days<<idCounterBits | counter&MaxCounter
}

// Day is the UTC day of fire_at, and so the ledger partition, that holds run id.
func Day(id int64) time.Time {
	return idEpoch.AddDate(0, 0, int(id>>idCounterBits))
}
