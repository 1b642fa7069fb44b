package job

import (
	"errors"
	"strings"
	"time"
	"unicode/utf8"
)

// Limits of a group's secrets and variables.
const (
	MaxSecrets      = 500 // of a group; as many variables
	MaxSecretValue  = 32 << 10
	minSecretMasked = 4 // shorter ones cannot be masked in logs
)

// Errors of secrets.
var (
	// ErrTooManySecrets refuses one more secret or variable in a group.
	ErrTooManySecrets = errors.New("the group has as many as it may")
	// ErrNotGranted: the manifest of the code that runs does not name the secret.
	ErrNotGranted = errors.New("the version's manifest does not grant this secret")
	// ErrNoSecret: the group has neither a secret nor a variable of that name.
	ErrNoSecret = errors.New("the group has no secret or variable of this name")
)

// Secret is a value of a group that nobody reads back but the runs that were granted it.
type Secret struct {
	GroupID   int32     `db:"group_id"`
	Name      string    `db:"name"`
	Sealed    []byte    `db:"sealed"`
	UpdatedAt time.Time `db:"updated_at"`
	UpdatedBy string    `db:"updated_by"`
	Version   int64     `db:"version"` // of all values that ever were, none has the same twice
}

// Variable is a value of a group that people may read.
type Variable struct {
	GroupID   int32     `db:"group_id"`
	Name      string    `db:"name"`
	Value     string    `db:"value" audit:"told"`
	UpdatedAt time.Time `db:"updated_at"`
	UpdatedBy string    `db:"updated_by"`
	Version   int64     `db:"version"` // of all values that ever were, none has the same twice
}

// SecretGrant is what an open run may read under a name: a secret, or the variable of
// that name when there is no secret.
type SecretGrant struct {
	RunPlace
	Granted  bool    `db:"granted"` // by the manifest of the code that runs
	Sealed   []byte  `db:"sealed"`
	Variable *string `db:"variable"`
}

// IsSecretName reports whether a secret or a variable can have this name.
func IsSecretName(name string) bool { return secretName.MatchString(name) }

// ValidateSecret says what is wrong with a secret as somebody entered it.
func ValidateSecret(name, value string) []*FieldError {
	f := fields(ValidateVariable(name, value))
	if len(value) < minSecretMasked && value != "" {
		f.add("value", "It has less than %d bytes. So short a value cannot be hidden in logs: use a variable, or a longer secret.", minSecretMasked)
	}
	if value == "" {
		f.add("value", "This is required. Fill it in.")
	}
	return f
}

// ValidateVariable says what is wrong with a variable as somebody entered it.
func ValidateVariable(name, value string) []*FieldError {
	var f fields
	if !IsSecretName(name) {
		f.add("path.name", "Use 1 to 64 letters, digits and underscores, not a digit first, such as API_KEY.")
	}
	if len(value) > MaxSecretValue {
		f.add("value", "It has %d bytes. Use at most %d.", len(value), MaxSecretValue)
	}
	if strings.ContainsRune(value, 0) || !utf8.ValidString(value) {
		f.add("value", "It contains NUL characters or is not valid UTF-8.")
	}
	return f
}
