package runtime

// Severities of a Problem.
const (
	SeverityError   = "error"   // the code cannot run
	SeverityWarning = "warning" // it can, but hardly as it was meant
)

// Problem is something wrong with a source.
type Problem struct {
	Line, Column int    // 1-based; 0 when not known
	Severity     string // SeverityError or SeverityWarning
	Message      string // without the place
}
