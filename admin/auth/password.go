package auth

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"golang.org/x/crypto/argon2"
)

// Cost of a hash: OWASP's recommendation for argon2id, about 20 ms here. Hashes carry
// their own cost, so that it can be raised without breaking stored ones.
const (
	hashMemoryKiB = 19 * 1024
	hashPasses    = 2
	hashThreads   = 1
	saltBytes     = 16
	keyBytes      = 32
)

// Bounds of the cost that is accepted from a stored hash.
const (
	maxHashMemoryKiB = 256 * 1024
	maxHashPasses    = 16
)

// Lengths of a password, in characters. The upper one keeps hashing cheap.
const (
	MinPassword = 8
	MaxPassword = 200
)

// CheckPassword tells in a sentence what is wrong with a new password; nil = nothing.
func CheckPassword(password string) error {
	switch n := utf8.RuneCountInString(password); {
	case !utf8.ValidString(password):
		return errors.New("the password is not valid UTF-8")
	case n < MinPassword:
		return fmt.Errorf("the password has %d characters; choose at least %d", n, MinPassword)
	case n > MaxPassword:
		return fmt.Errorf("the password has %d characters; choose at most %d", n, MaxPassword)
	}
	return nil
}

// hasher computes password hashes, a few at a time: each takes 19 MiB.
type hasher struct{ slots chan struct{} }

func newHasher(atOnce int) *hasher { return &hasher{slots: make(chan struct{}, atOnce)} }

// take waits for a slot; the caller frees it.
func (h *hasher) take(ctx context.Context) (free func(), err error) {
	select {
	case h.slots <- struct{}{}:
		return func() { <-h.slots }, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("wait for a turn to hash a password: %w", context.Cause(ctx))
	}
}

// hash gives the PHC string of a password under a new salt.
func (h *hasher) hash(ctx context.Context, password string) (string, error) {
	free, err := h.take(ctx)
	if err != nil {
		return "", err
	}
	defer free()
	salt := make([]byte, saltBytes)
	rand.Read(salt)
	key := argon2.IDKey([]byte(password), salt, hashPasses, hashMemoryKiB, hashThreads, keyBytes)
	b64 := base64.RawStdEncoding.EncodeToString
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s",
		argon2.Version, hashMemoryKiB, hashPasses, hashThreads, b64(salt), b64(key)), nil
}

// matches reports whether a password is the one of a PHC string.
func (h *hasher) matches(ctx context.Context, password, phc string) (bool, error) {
	p, err := parsePHC(phc)
	if err != nil {
		return false, err
	}
	free, err := h.take(ctx)
	if err != nil {
		return false, err
	}
	defer free()
	key := argon2.IDKey([]byte(password), p.salt, p.passes, p.memoryKiB, p.threads, uint32(len(p.key)))
	return subtle.ConstantTimeCompare(key, p.key) == 1, nil
}

type phcHash struct {
	memoryKiB, passes uint32
	threads           uint8
	salt, key         []byte
}

var errBadHash = errors.New("stored password hash is not an argon2id PHC string")

func parsePHC(s string) (phcHash, error) {
	var p phcHash
	parts := strings.Split(s, "$") // "", argon2id, v=…, m=…,t=…,p=…, salt, key
	if len(parts) != 6 || parts[1] != "argon2id" || parts[2] != fmt.Sprintf("v=%d", argon2.Version) {
		return p, errBadHash
	}
	if _, err := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &p.memoryKiB, &p.passes, &p.threads); err != nil {
		return p, errBadHash
	}
	if p.threads == 0 || p.memoryKiB == 0 || p.memoryKiB > maxHashMemoryKiB || p.passes == 0 || p.passes > maxHashPasses {
		return p, errBadHash
	}
	var err error
	if p.salt, err = base64.RawStdEncoding.DecodeString(parts[4]); err != nil || len(p.salt) < 8 {
		return p, errBadHash
	}
	if p.key, err = base64.RawStdEncoding.DecodeString(parts[5]); err != nil || len(p.key) < 16 {
		return p, errBadHash
	}
	return p, nil
}
