package wire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/gluewheel/gluewheel/executor/protocol"
)

const (
	// largeAtOnce bounds how many large callbacks lie in memory at once.
	largeAtOnce = 2
	// largeTimeout bounds a large callback. Its sender waits 3 s and sends it again; what
	// was stored meanwhile is then known, so that each time more of it is.
	largeTimeout = 20 * time.Second
)

// errLarge: the executor keeps its results and sends them again.
var errLarge = errors.New("other large requests are being read, try again later")

// isLarge tells a callback whose body was left unread for its token to be looked at.
func isLarge(c *fiber.Ctx) bool {
	return c.Request().IsBodyStream() && c.Request().Header.ContentLength() > protocol.MaxBody
}

// body reads what the peer sends. Of large requests few are read at once; done gives
// their place to the next.
func (h *handler) body(ctx context.Context, c *fiber.Ctx) (content []byte, done func(), err error) {
	if !isLarge(c) {
		return c.Body(), func() {}, nil
	}
	size := c.Request().Header.ContentLength()
	if size > protocol.MaxCallback {
		return nil, nil, fmt.Errorf("the request has %d bytes, more than %d", size, protocol.MaxCallback)
	}
	select {
	case h.large <- struct{}{}:
		done = func() { <-h.large }
	case <-time.After(requestTimeout):
		return nil, nil, errLarge
	case <-ctx.Done():
		return nil, nil, context.Cause(ctx)
	}
	content = make([]byte, size)
	if _, err := io.ReadFull(c.Request().BodyStream(), content); err != nil {
		done()
		return nil, nil, fmt.Errorf("read the request: %w", err)
	}
	return content, done, nil
}
