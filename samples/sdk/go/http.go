package gw

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"time"
)

// Request is an HTTP request, made by the host to a server that the manifest names.
type Request struct {
	Method  string // GET without one
	URL     string
	Headers map[string]string
	Body    []byte
	Timeout time.Duration // the executor's bound without one, and never more
}

// Response is the answer, whatever its status.
type Response struct {
	Status  int
	Headers map[string]string
	Body    []byte
}

// HTTP makes a request. A status that says failure is no error.
func HTTP(r Request) (Response, error) {
	options := map[string]any{
		"method": cmp.Or(r.Method, "GET"), "url": r.URL,
		"body": base64.StdEncoding.EncodeToString(r.Body), "encoding": "base64",
	}
	if len(r.Headers) > 0 {
		options["headers"] = r.Headers
	}
	if r.Timeout > 0 {
		options["timeout_ms"] = r.Timeout.Milliseconds()
	}
	var answer struct {
		Status  int               `json:"status"`
		Headers map[string]string `json:"headers"`
		Body    string            `json:"body"`
	}
	if err := callInto(&answer, "http.request", options); err != nil {
		return Response{}, err
	}
	body, err := base64.StdEncoding.DecodeString(answer.Body)
	if err != nil {
		return Response{}, fmt.Errorf("gw.http.request: decode body: %w", err)
	}
	return Response{Status: answer.Status, Headers: answer.Headers, Body: body}, nil
}

// HTTPGet asks for an address.
func HTTPGet(url string) (Response, error) { return HTTP(Request{URL: url}) }

// HTTPPost sends a body to an address.
func HTTPPost(url, contentType string, body []byte) (Response, error) {
	return HTTP(Request{Method: "POST", URL: url, Headers: map[string]string{"Content-Type": contentType}, Body: body})
}
