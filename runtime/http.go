package runtime

// Grants are what a version may reach outside its sandbox. The zero value grants
// nothing.
type Grants struct {
	// Hosts are those that gw.http may call: "api.example.com", "*.example.com", and
	// with a port if it is not the scheme's own, "api.example.com:8443".
	Hosts []string
	// Secrets are the names that gw.secret may read.
	Secrets []string
	// KV opens gw.kv, the job's own small store.
	KV bool
}

// HTTPRequest is what a guest asks of gw.http.
type HTTPRequest struct {
	Method    string
	URL       string
	Headers   map[string]string `json:",omitempty"`
	Body      []byte            `json:",omitempty"`
	TimeoutMS int64             `json:",omitempty"` // 0 takes the executor's bound
}

// HTTPResponse is what it gets. A status such as 404 is an answer, not a failure.
type HTTPResponse struct {
	Status  int
	Headers map[string]string `json:",omitempty"` // in lower case; values of one name are joined by commas
	Body    []byte            `json:",omitempty"`
}
