package wire

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	"github.com/goccy/go-json"
	"github.com/gofiber/fiber/v2"

	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/executor/protocol"
)

// maxName bounds app names and addresses; XXL-JOB's columns hold as many characters.
const maxName = 255

func (h *handler) registry(_ context.Context, c *fiber.Ctx, in *call) (*string, error) {
	reg, err := in.registration()
	if err != nil {
		return nil, err
	}
	b := job.Beat{
		AppName: reg.Key, Address: reg.Value, Dialect: dialect(c, reg),
		TokenID: in.Token(reg.Key), Restricted: in.Groups() != nil,
	}
	if x := reg.Gluewheel; x != nil {
		b.InstanceID, b.BootID, b.Held, b.Holds = x.InstanceID, x.BootID, x.Held, x.Protocol >= 1
		x.Held = nil
		if b.Info, err = json.Marshal(x); err != nil {
			return nil, fmt.Errorf("keep registration: %w", err)
		}
	}
	return nil, h.Registry.Beat(b)
}

func (h *handler) registryRemove(ctx context.Context, _ *fiber.Ctx, in *call) (*string, error) {
	reg, err := in.registration()
	if err != nil {
		return nil, err
	}
	return nil, h.Registry.Remove(ctx, reg.Key, reg.Value)
}

// registration is what the body says, if the sender speaks for its app name.
func (in *call) registration() (*protocol.Registry, error) {
	reg, err := parseRegistry(in.body)
	switch {
	case err != nil:
		return nil, err
	case in.May(reg.Key):
		return reg, nil
	case in.app == "":
		return nil, refusal(protocol.MsgBadToken)
	default:
		return nil, refusal(msgBadCredentials)
	}
}

func parseRegistry(body []byte) (*protocol.Registry, error) {
	var reg protocol.Registry
	if err := json.Unmarshal(body, &reg); err != nil {
		return nil, err
	}
	reg.Key, reg.Value = strings.TrimSpace(reg.Key), strings.TrimSpace(reg.Value)
	switch {
	case strings.TrimSpace(reg.Group) == "" || reg.Key == "" || reg.Value == "":
		return nil, refusal(protocol.MsgIllegalArgument)
	case !callable(reg.Value) || !storable(reg.Key):
		return nil, refusal(protocol.MsgIllegalArgument)
	}
	return &reg, nil
}

// callable reports whether the admin could call an address. XXL-JOB stores anything,
// and then fails at every trigger.
func callable(address string) bool {
	u, err := url.Parse(address)
	return err == nil && storable(address) && u.Host != "" && u.User == nil && (u.Scheme == "http" || u.Scheme == "https")
}

// storable reports whether a name is short and free of control characters.
func storable(name string) bool {
	return len(name) <= maxName && strings.ToValidUTF8(name, "") == name &&
		!strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f })
}

// dialect tells from a registration how its sender talks. The Go client looks like
// neither; the answers to its first triggers are understood all the same.
func dialect(c *fiber.Ctx, reg *protocol.Registry) string {
	switch {
	case reg.Gluewheel != nil && reg.Gluewheel.Protocol >= 1:
		return job.DialectGluewheel
	case c.Get(protocol.HeaderAppName) != "":
		return job.DialectC
	case !strings.HasPrefix(c.Get(fiber.HeaderUserAgent), "Java/"):
		return ""
	case strings.HasPrefix(c.Get(fiber.HeaderAcceptCharset), "application/json"):
		return job.DialectA
	default:
		return job.DialectB
	}
}
