// Package seal encrypts what the admin has to read back but nobody else may: secrets of
// jobs, passwords of alarm channels, tokens that are sent to executors.
//
// A value is sealed with AES-256-GCM under the first key of the ring and bound to its
// place (a table, a row, a name): a sealed value copied to another place does not open.
// The key's fingerprint stands in front, so values sealed with an older key open as long
// as that key is in the ring; sealing them anew is the rotation.
//
//	byte 0      format, 1
//	bytes 1–4   first bytes of the key's SHA-256
//	bytes 5–16  nonce
//	the rest    ciphertext and tag
package seal

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
)

const (
	// KeyBytes is the length of a key: AES-256.
	KeyBytes = 32

	format      = 1
	fingerprint = 4
	prefix      = 1 + fingerprint
)

// Errors of keys and sealed values.
var (
	// ErrNoKey: the admin was given no key, so it can neither seal nor open.
	ErrNoKey = errors.New("no key for sealed values: start the admin with --seal-key-file")
	// ErrUnknownKey: the value was sealed with a key that is not in the ring.
	ErrUnknownKey = errors.New("sealed with a key that this admin does not have: add the old key to the key file")
	// ErrBroken: the value was changed, or belongs to another place.
	ErrBroken = errors.New("sealed value is damaged or belongs elsewhere")
)

// Ring holds the keys. The zero Ring has none: it seals and opens nothing. Safe for
// concurrent use.
type Ring struct{ keys []key }

type key struct {
	id   [fingerprint]byte
	aead cipher.AEAD
}

// NewKey is a random key as a line of a key file.
func NewKey() string {
	var k [KeyBytes]byte
	_, _ = rand.Read(k[:]) // never fails
	return base64.StdEncoding.EncodeToString(k[:])
}

// Parse reads a key file: one key a line in base64, the one that seals first. Empty lines
// and those that begin with # are left out. A text without a key is an error.
func Parse(text string) (Ring, error) {
	var r Ring
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		k, err := parseKey(line)
		if err != nil {
			return Ring{}, fmt.Errorf("read seal key in line %d: %w", i+1, err)
		}
		r.keys = append(r.keys, k)
	}
	if len(r.keys) == 0 {
		return Ring{}, errors.New("read seal keys: there is none; make one with: head -c 32 /dev/urandom | base64")
	}
	return r, nil
}

// parseKey says nothing of the key's text in its errors.
func parseKey(line string) (key, error) {
	raw, err := base64.StdEncoding.DecodeString(line)
	if err != nil {
		return key{}, errors.New("it is not base64")
	}
	if len(raw) != KeyBytes {
		return key{}, fmt.Errorf("it has %d bytes, not %d", len(raw), KeyBytes)
	}
	block, err := aes.NewCipher(raw)
	if err != nil {
		return key{}, err
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		return key{}, err
	}
	sum := sha256.Sum256(raw)
	return key{id: [fingerprint]byte(sum[:fingerprint]), aead: aead}, nil
}

// Ready reports whether there is a key.
func (r Ring) Ready() bool { return len(r.keys) > 0 }

// Seal encrypts value for place, such as "secret/7/API_KEY".
func (r Ring) Seal(place string, value []byte) ([]byte, error) {
	if !r.Ready() {
		return nil, ErrNoKey
	}
	k := r.keys[0]
	nonce := make([]byte, k.aead.NonceSize())
	_, _ = rand.Read(nonce) // never fails
	out := append([]byte{format}, k.id[:]...)
	out = append(out, nonce...)
	return k.aead.Seal(out, nonce, value, []byte(place)), nil
}

// Open decrypts what Seal made for the same place.
func (r Ring) Open(place string, sealed []byte) ([]byte, error) {
	if !r.Ready() {
		return nil, ErrNoKey
	}
	if len(sealed) < prefix || sealed[0] != format {
		return nil, ErrBroken
	}
	known := false
	for _, k := range r.keys {
		if !bytes.Equal(k.id[:], sealed[1:prefix]) {
			continue
		}
		known = true
		rest := sealed[prefix:]
		if len(rest) < k.aead.NonceSize() {
			return nil, ErrBroken
		}
		nonce, text := rest[:k.aead.NonceSize()], rest[k.aead.NonceSize():]
		if value, err := k.aead.Open(nil, nonce, text, []byte(place)); err == nil {
			return value, nil
		}
	}
	if !known {
		return nil, ErrUnknownKey
	}
	return nil, ErrBroken
}

// Current reports whether sealed was made with the key that seals now; if not, the
// rotation has to seal it anew.
func (r Ring) Current(sealed []byte) bool {
	return r.Ready() && len(sealed) >= prefix && bytes.Equal(r.keys[0].id[:], sealed[1:prefix])
}
