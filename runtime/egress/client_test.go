package egress_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/gluewheel/gluewheel/runtime"
	"github.com/gluewheel/gluewheel/runtime/egress"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var loopback = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}

// bundle is a server on loopback and what reaches it.
type bundle struct {
	client *egress.Client
	url    string // with a name for its host
	grants runtime.Grants
}

func setup(t *testing.T, policy egress.Policy) bundle {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("/echo", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Add("X-Two", "a")
		w.Header().Add("X-Two", "b")
		w.WriteHeader(http.StatusTeapot)
		_, _ = fmt.Fprintf(w, "%s %s %s %s", r.Method, r.Header.Get("X-Name"), r.Header.Get("User-Agent"), body)
	})
	mux.HandleFunc("/to", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, r.URL.Query().Get("url"), http.StatusFound)
	})
	mux.HandleFunc("/large", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, strings.Repeat("x", 2000))
	})
	mux.HandleFunc("/slow", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	client := egress.New(policy)
	t.Cleanup(client.Close)
	_, port, err := net.SplitHostPort(server.Listener.Addr().String())
	require.NoError(t, err)
	return bundle{client, "http://127.0.0.1:" + port, runtime.Grants{Hosts: []string{"127.0.0.1:" + port}}}
}

func (b bundle) get(ctx context.Context, path string) (runtime.HTTPResponse, error) {
	return b.client.Do(ctx, b.grants, runtime.HTTPRequest{Method: "GET", URL: b.url + path})
}

func TestClient_Do(t *testing.T) {
	t.Parallel()
	b := setup(t, egress.Policy{Networks: loopback})
	resp, err := b.client.Do(t.Context(), b.grants, runtime.HTTPRequest{
		Method: "POST", URL: b.url + "/echo", Headers: map[string]string{"x-name": "n"}, Body: []byte("body"),
	})
	require.NoError(t, err)
	require.Equal(t, http.StatusTeapot, resp.Status)
	require.Equal(t, "POST n gluewheel body", string(resp.Body))
	require.Equal(t, "a, b", resp.Headers["x-two"])
}

func TestClient_Bounds(t *testing.T) {
	t.Parallel()
	b := setup(t, egress.Policy{Networks: loopback, Timeout: 200 * time.Millisecond})
	patient := setup(t, egress.Policy{Networks: loopback, MaxBytes: 1999})
	_, err := patient.get(t.Context(), "/large")
	require.ErrorContains(t, err, "more than 1999 bytes")
	_, err = b.get(t.Context(), "/slow")
	require.ErrorContains(t, err, "no answer within 200ms")
	_, err = b.client.Do(t.Context(), b.grants, runtime.HTTPRequest{Method: "GET", URL: b.url + "/slow", TimeoutMS: 20})
	require.ErrorContains(t, err, "no answer within 20ms")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(runtime.ErrKilled)
	_, err = b.get(ctx, "/slow")
	require.ErrorIs(t, err, runtime.ErrKilled)
}

func TestClient_NonPublicAddressesAreDenied(t *testing.T) {
	t.Parallel()
	client := egress.New(egress.Policy{})
	t.Cleanup(client.Close)
	for _, host := range []string{
		"127.0.0.1", "localhost", "0.0.0.0", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.100.100.200",
		"168.63.129.16", "224.0.0.1", "255.255.255.255", "[::1]", "[::]", "[fe80::1]", "[fd00:ec2::254]", "[::ffff:127.0.0.1]",
		"[64:ff9b::7f00:1]", "[2002:7f00:1::]", "2130706433", "0x7f.1", "127.1",
	} {
		t.Run(host, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
			defer cancel()
			_, err := client.Do(ctx, runtime.Grants{Hosts: []string{"*"}}, runtime.HTTPRequest{Method: "GET", URL: "http://" + host + "/"})
			require.Error(t, err)
			if !strings.Contains(host, "x") && !strings.Contains("2130706433 127.1", host) { // no names that resolve
				require.ErrorIs(t, err, egress.ErrDenied)
			}
		})
	}
}

func TestClient_RedirectsAreChecked(t *testing.T) {
	t.Parallel()
	b := setup(t, egress.Policy{Networks: loopback})
	resp, err := b.get(t.Context(), "/to?url=/echo")
	require.NoError(t, err)
	require.Equal(t, http.StatusTeapot, resp.Status)
	for _, url := range []string{"http://localhost/", "http://169.254.169.254/latest", "file:///etc/passwd", "http://127.0.0.1:1/"} {
		_, err = b.get(t.Context(), "/to?url="+url)
		require.Error(t, err, url)
		require.NotContains(t, err.Error(), "refused", "it was not dialled")
	}
	b.grants.Hosts = append(b.grants.Hosts, "*")
	_, err = b.get(t.Context(), "/to?url=http://169.254.169.254/latest")
	require.ErrorIs(t, err, egress.ErrDenied)
	_, err = b.get(t.Context(), "/to?url="+strings.Repeat("/to%3Furl=", 8)+"/echo")
	require.ErrorContains(t, err, "redirects")
}

func TestClient_Grants(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		grants, allowed []string
		url, want       string
	}{
		"nothing granted":        {nil, nil, "http://a.test/", "its manifest must name the host"},
		"another host":           {[]string{"b.test"}, nil, "http://a.test/", "its manifest must name the host"},
		"a suffix":               {[]string{"a.test"}, nil, "http://xa.test/", "its manifest must name the host"},
		"a subdomain":            {[]string{"a.test"}, nil, "http://x.a.test/", "its manifest must name the host"},
		"the domain of a star":   {[]string{"*.a.test"}, nil, "http://a.test/", "its manifest must name the host"},
		"another port":           {[]string{"a.test"}, nil, "http://a.test:8080/", "its manifest must name the host"},
		"a port of both schemes": {[]string{"a.test"}, nil, "http://a.test:443/", "its manifest must name the host"},
		"not allowed here":       {[]string{"a.test"}, []string{"b.test"}, "http://a.test/", "this executor does not allow it"},
		"nothing allowed here":   {[]string{"a.test"}, []string{}, "http://a.test/", "this executor does not allow it"},
		"another scheme":         {[]string{"a.test"}, nil, "ftp://a.test/", "only http and https"},
		"no host":                {[]string{"*"}, nil, "http:///x", "its manifest must name the host"},
		"granted":                {[]string{"a.test"}, nil, "http://A.Test./", ""},
		"granted by a star":      {[]string{"*.test"}, []string{"*"}, "http://x.a.test/", ""},
		"granted with a port":    {[]string{"a.test:8080"}, nil, "http://a.test:8080/", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client := egress.New(egress.Policy{Hosts: c.allowed})
			t.Cleanup(client.Close)
			ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
			defer cancel()
			_, err := client.Do(ctx, runtime.Grants{Hosts: c.grants}, runtime.HTTPRequest{Method: "GET", URL: c.url})
			require.Error(t, err, "nothing of .test can be reached")
			if c.want == "" {
				require.NotErrorIs(t, err, egress.ErrDenied)
				return
			}
			require.ErrorContains(t, err, c.want)
		})
	}
	_, err := egress.New(egress.Policy{}).Do(t.Context(), runtime.Grants{}, runtime.HTTPRequest{Method: "CONNECT", URL: "http://a.test"})
	require.ErrorContains(t, err, `method "CONNECT"`)
}
