package hostapi

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/gluewheel/gluewheel/runtime"
)

// MaxBody is the largest body that a guest may send, in bytes.
const MaxBody = 512 << 10

// httpGet takes an address and, maybe, options.
func httpGet(ctx context.Context, h *Host, args Args) ([]any, error) {
	url, err := args.Text(0)
	if err != nil {
		return nil, err
	}
	return h.fetch(ctx, args, 1, map[string]any{"method": "GET", "url": url})
}

// httpPost takes an address, a body and, maybe, options.
func httpPost(ctx context.Context, h *Host, args Args) ([]any, error) {
	url, err := args.Text(0)
	if err != nil {
		return nil, err
	}
	body, err := args.TextOr(1, "")
	if err != nil {
		return nil, err
	}
	return h.fetch(ctx, args, 2, map[string]any{"method": "POST", "url": url, "body": body})
}

// httpRequest takes everything as options, see requestOf.
func httpRequest(ctx context.Context, h *Host, args Args) ([]any, error) {
	return h.fetch(ctx, args, 0, nil)
}

// fetch makes a request from the options at argument i, which fixed overrides. It gives
// status, headers and body.
func (h *Host) fetch(ctx context.Context, args Args, i int, fixed map[string]any) ([]any, error) {
	if h.HTTP == nil {
		return nil, ErrNotGranted
	}
	options, err := args.Fields(i)
	if err != nil {
		return nil, err
	}
	maps.Copy(options, fixed)
	coded := options["encoding"] == "base64"
	req, err := requestOf(options)
	if err != nil {
		return nil, err
	}
	resp, err := h.HTTP(ctx, req)
	if err != nil {
		return nil, err
	}
	body := string(resp.Body)
	if coded {
		body = base64.StdEncoding.EncodeToString(resp.Body)
	}
	headers := make(map[string]any, len(resp.Headers))
	for name, value := range resp.Headers {
		headers[name] = value
	}
	return []any{map[string]any{"status": float64(resp.Status), "headers": headers, "body": body}}, nil
}

// requestOf reads the options:
//
//	method      GET without one
//	url
//	headers     a table of texts
//	body        text
//	timeout_ms  the executor's bound without one, and never more
//	encoding    "base64": both bodies, the one sent and the answer's, are in base64.
//	            For bytes that are not text, where a language cannot hold those.
func requestOf(options map[string]any) (runtime.HTTPRequest, error) {
	req := runtime.HTTPRequest{Headers: make(map[string]string)}
	for name, value := range options {
		var err error
		switch name {
		case "method":
			req.Method, err = Args{value}.Text(0)
		case "url":
			req.URL, err = Args{value}.Text(0)
		case "body":
			var body string
			body, err = Args{value}.TextOr(0, "")
			req.Body = []byte(body)
		case "timeout_ms":
			var ms float64
			ms, err = Args{value}.Number(0)
			req.TimeoutMS = int64(min(max(ms, 1), float64(MaxSleep.Milliseconds())))
		case "encoding":
			if value != "base64" {
				err = errors.New("only base64 is there")
			}
		case "headers":
			err = headersOf(value, req.Headers)
		default:
			return req, fmt.Errorf("there is no option %q: method, url, headers, body, timeout_ms and encoding are", name)
		}
		if err != nil {
			return req, fmt.Errorf("option %s: %w", name, err)
		}
	}
	if options["encoding"] != nil {
		decoded, err := base64.StdEncoding.DecodeString(string(req.Body))
		if err != nil {
			return req, fmt.Errorf("option body: decode base64: %w", err)
		}
		req.Body = decoded
	}
	if len(req.Body) > MaxBody {
		return req, fmt.Errorf("the body has %d bytes; %d are allowed", len(req.Body), MaxBody)
	}
	req.Method = strings.ToUpper(cmp.Or(req.Method, "GET"))
	return req, nil
}

func headersOf(value any, into map[string]string) error {
	fields, err := Args{value}.Fields(0)
	if err != nil {
		return err
	}
	for name, v := range fields {
		text, err := Args{v}.Text(0)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		into[name] = text
	}
	return nil
}
