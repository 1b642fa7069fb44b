package store

import (
	"errors"
	"io"
	"net"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// unavailableCodes are SQLSTATEs of a server that cannot answer at present: a lock or a
// statement that timed out, a server that shuts down or starts, one without room.
var unavailableCodes = []string{"55P03", "57014", "57P", "53", "58", "25P03", "40001", "40P01", "08"}

// Unavailable reports whether an error of this package says that the database is away
// or overloaded, so that the same call may succeed later.
func Unavailable(err error) bool {
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		for _, code := range unavailableCodes {
			if strings.HasPrefix(pg.Code, code) {
				return true
			}
		}
		return false
	}
	if _, ok := errors.AsType[*pgconn.ConnectError](err); ok {
		return true
	}
	if _, ok := errors.AsType[*net.OpError](err); ok {
		return true
	}
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}
