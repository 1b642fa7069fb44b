package protocol

// Paths at the admin, below its address, that serve the guests of a run. The body is
// JSON, and so is an answer of status 200; others say in plain text what is wrong. Only
// runs that are open and were dispatched to the asking executor under that epoch are
// served; others get status 404.
const (
	PathKV     = "/gw/kv"     // KVRequest, KVAnswer
	PathSecret = "/gw/secret" // SecretRequest, SecretAnswer
)

// KVRequest works on the store of a run's job.
type KVRequest struct {
	RunID int64  `json:"run_id"`
	Epoch int32  `json:"epoch"` // of the claim
	Op    string `json:"op"`    // get, set, delete, list
	Key   string `json:"key"`   // of a list: what the keys begin with
	Value []byte `json:"value,omitempty"`
}

// KVAnswer answers a KVRequest.
type KVAnswer struct {
	Found bool     `json:"found"`           // of get and delete
	Value []byte   `json:"value,omitempty"` // of get
	Keys  []string `json:"keys,omitempty"`  // of list, sorted
}

// SecretRequest reads a secret of the group of a run's job.
type SecretRequest struct {
	RunID int64  `json:"run_id"`
	Epoch int32  `json:"epoch"` // of the claim
	Name  string `json:"name"`
}

// SecretAnswer answers a SecretRequest.
type SecretAnswer struct {
	Value string `json:"value"`
}
