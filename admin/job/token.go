package job

import (
	"crypto/sha256"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// GroupToken is a token of an executor group, as stored. The token itself is in Sealed.
type GroupToken struct {
	ID         int32      `db:"id"`
	GroupID    int32      `db:"group_id"`
	Name       string     `db:"name"`
	Hash       []byte     `db:"hash"`   // TokenHash
	Sealed     []byte     `db:"sealed"` // the token, readable with the admin's key
	Prefix     string     `db:"prefix"` // what people may see of it
	Weakness   Weakness   `db:"weakness"`
	Sent       bool       `db:"sent"` // to executors of the group that have not registered
	CreatedBy  string     `db:"created_by"`
	CreatedAt  time.Time  `db:"created_at"`
	LastUsedAt *time.Time `db:"last_used_at"`
}

// Limits of group tokens. Lengths in bytes.
const (
	MinToken       = 4 // as 3.5's web page
	MaxToken       = 255
	MaxTokenName   = 64
	MaxGroupTokens = 20 // of one group
	goodToken      = 16
)

// Weakness says why a token is a bad one; empty when it is not known to be.
type Weakness string

const (
	// WeakKnown: the token stands in XXL-JOB's manuals and samples.
	WeakKnown Weakness = "well_known"
	// WeakShort: the token can be guessed.
	WeakShort Weakness = "short"
)

// knownTokens are defaults that anybody would try first.
var knownTokens = []string{"default_token", "xxl-job", "xxl_job", "xxljob", "123456", "token", "access_token"}

// WeaknessOf looks at a token that an operator has chosen.
func WeaknessOf(token string) Weakness {
	switch {
	case slices.Contains(knownTokens, strings.ToLower(token)):
		return WeakKnown
	case len(token) < goodToken:
		return WeakShort
	default:
		return ""
	}
}

// Warning is the weakness as a sentence for people, or "".
func (w Weakness) Warning() string {
	switch w {
	case WeakKnown:
		return "This token is a well-known default: whoever reaches the admin or an executor can use it. Replace it by a generated one."
	case WeakShort:
		return "This token is short enough to be guessed. Replace it by a generated one."
	default:
		return ""
	}
}

// TokenHash is the form in which tokens are stored and compared. Generated ones have
// more than 128 bits, so that no slow hash is needed.
func TokenHash(token string) []byte {
	sum := sha256.Sum256([]byte(token))
	return sum[:]
}

// TokenPrefix is what people may see of a token: little enough to keep it secret.
func TokenPrefix(token string) string { return token[:min(8, len(token)/4)] }

// ValidateToken says what is wrong with a token that an operator has chosen, and with
// its name.
func ValidateToken(name, token string) []*FieldError {
	var f fields
	f.length("name", name, 1, MaxTokenName)
	switch {
	case len(token) < MinToken || len(token) > MaxToken:
		f.add("token", "It has %d characters. Use %d to %d, or leave it out to have one generated.", len(token), MinToken, MaxToken)
	case !headerSafe(token):
		f.add("token", "It travels in an HTTP header: use visible ASCII characters only, without blanks.")
	}
	return f
}

func headerSafe(token string) bool {
	return utf8.ValidString(token) && !strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' })
}

// WaitingApp is an app name whose executors register although no group has it.
type WaitingApp struct {
	AppName     string    `db:"app_name"`
	Addresses   []string  `db:"addresses"`
	Dialect     string    `db:"dialect"` // of the executor heard last
	FirstSeenAt time.Time `db:"first_seen_at"`
	LastSeenAt  time.Time `db:"last_seen_at"`
}

// MaxWaiting bounds the executors of app names without a group that are kept, so that
// whoever has a token cannot fill the registry with names.
const MaxWaiting = 1000

// GroupApp is a group's app name.
type GroupApp struct {
	ID      int32  `db:"id"`
	AppName string `db:"app_name"`
}

// RunGrant tells where an open run belongs, and what it may fetch.
type RunGrant struct {
	RunPlace
	Artifact string `db:"artifact"` // digest
}
