package glue

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Bounds of a job's own store, gw.kv.
const (
	MaxKVKey   = 200      // bytes of a key
	MaxKVValue = 64 << 10 // bytes of a value
	MaxKVKeys  = 1000     // keys of a job
)

// CheckKVKey says what is wrong with a key, in a sentence for people.
func CheckKVKey(key string) error {
	switch {
	case key == "" || len(key) > MaxKVKey:
		return fmt.Errorf("a key has 1 to %d bytes, this one %d", MaxKVKey, len(key))
	case !utf8.ValidString(key) || strings.ContainsRune(key, 0):
		return fmt.Errorf("the key %q is not text", key)
	}
	return nil
}

// CheckKVValue says what is wrong with a value.
func CheckKVValue(value []byte) error {
	if len(value) > MaxKVValue {
		return fmt.Errorf("the value has %d bytes; %d are allowed", len(value), MaxKVValue)
	}
	return nil
}
