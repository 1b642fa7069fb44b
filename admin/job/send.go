package job

// Target is an executor as the dispatcher addresses it.
type Target struct {
	Address string // http or https, with or without a trailing slash
	AppName string
	Dialect string // a Dialect… name, empty when not known
	// Token is what is sent to it. Empty with Tokenless: there is one that cannot be
	// read, so none is sent; else the client's own is taken.
	Token     string
	Tokenless bool
}

// Ours reports whether the executor declared protocol 1: it takes batches and answers
// a repeated run idempotently.
func (t Target) Ours() bool { return t.Dialect == DialectGluewheel }

// Verdict is what is certain after a request to an executor.
type Verdict int8

const (
	// NoAnswer: at least one byte was written, and no complete answer came. Whether
	// the executor acted is not known. The zero value, so that a forgotten case errs
	// on the safe side.
	NoAnswer Verdict = iota
	// Accepted: the executor answered with code 200, or that it has the run already.
	Accepted
	// Refused: the executor answered with anything else.
	Refused
	// Unreachable: not one byte was written.
	Unreachable
)

// String is the name for figures and logs, such as "no_answer".
func (v Verdict) String() string {
	switch v {
	case Accepted:
		return "accepted"
	case Refused:
		return "refused"
	case Unreachable:
		return "unreachable"
	default:
		return "no_answer"
	}
}

// Outcome is the result of sending one run.
type Outcome struct {
	Verdict Verdict
	Code    int    // the executor's code, 0 when it did not answer
	Text    string // the executor's message, or what went wrong
	Repeat  bool   // accepted because the executor had it already
}

// LogPiece is a piece of a run's log as its executor answered.
type LogPiece struct {
	FromLine int // 1-based
	ToLine   int // last line in Content; less than FromLine when there is none yet
	Content  string
	End      bool // as the peer says it; XXL-JOB says false for every existing file
}
