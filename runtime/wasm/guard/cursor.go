package guard

import (
	"fmt"
	"unicode/utf8"
)

// cursor reads a byte string from at on. Offsets are those of the whole module.
type cursor struct {
	b  []byte
	at int
}

func (c *cursor) left() int { return len(c.b) - c.at }

func (c *cursor) refuse(format string, args ...any) error {
	return &Refusal{c.at, fmt.Sprintf(format, args...)}
}

func (c *cursor) byte(what string) (byte, error) {
	if c.left() < 1 {
		return 0, c.refuse("The module ends inside its %s.", what)
	}
	c.at++
	return c.b[c.at-1], nil
}

func (c *cursor) bytes(n uint32, what string) ([]byte, error) {
	if uint64(n) > uint64(c.left()) {
		return nil, c.refuse("The module ends inside its %s.", what)
	}
	c.at += int(n)
	return c.b[c.at-int(n) : c.at], nil
}

// u32 reads an unsigned LEB128 number of at most 32 bits.
func (c *cursor) u32(what string) (uint32, error) {
	var v uint64
	for shift := uint(0); shift < 35; shift += 7 {
		b, err := c.byte(what)
		if err != nil {
			return 0, err
		}
		v |= uint64(b&0x7f) << shift
		if b < 0x80 {
			if v > 1<<32-1 {
				return 0, c.refuse("The %s is larger than 32 bits.", what)
			}
			return uint32(v), nil
		}
	}
	return 0, c.refuse("The %s is longer than 5 bytes.", what)
}

// skipLEB passes over a LEB128 number of at most n bytes, signed or not.
func (c *cursor) skipLEB(n int, what string) error {
	for range n {
		b, err := c.byte(what)
		if err != nil {
			return err
		}
		if b < 0x80 {
			return nil
		}
	}
	return c.refuse("The %s is too long.", what)
}

// count reads a vector's length. Each item takes a byte at least, so that a count above
// the bytes that are left is a lie, whatever the limit.
func (c *cursor) count(limit uint32, what string) (uint32, error) {
	n, err := c.u32("number of " + what)
	if err != nil {
		return 0, err
	}
	if n > limit {
		return 0, c.refuse("There are %d %s; at most %d are allowed.", n, what, limit)
	}
	if uint64(n) > uint64(c.left()) {
		return 0, c.refuse("There are said to be %d %s, and only %d bytes are left.", n, what, c.left())
	}
	return n, nil
}

func (c *cursor) name(limit uint32, what string) (string, error) {
	n, err := c.count(limit, "bytes of a "+what)
	if err != nil {
		return "", err
	}
	b, err := c.bytes(n, what)
	if err != nil {
		return "", err
	}
	if !utf8.Valid(b) {
		return "", c.refuse("A %s is not UTF-8.", what)
	}
	return string(b), nil
}
