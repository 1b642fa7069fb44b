package adminclient_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/executor/adminclient"
	"github.com/gluewheel/gluewheel/executor/protocol"
)

// answering is an admin that gives one answer to everything, and its address.
func answering(t *testing.T, status int, contentType, body string, seen *[]string) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var request map[string]any
		_ = json.NewDecoder(r.Body).Decode(&request)
		encoded, _ := json.Marshal(request)
		*seen = append(*seen, r.Method+" "+r.URL.Path+" "+r.Header.Get(protocol.HeaderToken)+" "+string(encoded))
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}))
	t.Cleanup(s.Close)
	return s.URL
}

func client(t *testing.T, addresses ...string) *adminclient.Client {
	t.Helper()
	c, err := adminclient.New(adminclient.Config{Addresses: addresses, AppName: "app", Token: "tok"})
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return c
}

const jsonType = "application/json"

func TestClient_KV(t *testing.T) {
	t.Parallel()
	var seen []string
	down := answering(t, 503, "text/plain", "not now", &seen)
	c := client(t, down, answering(t, 200, jsonType, `{"found":true,"value":"AP8="}`, &seen))
	answer, err := c.KV(t.Context(), protocol.KVRequest{RunID: 7, Epoch: 3, Op: "set", Key: "k", Value: []byte("v")})
	require.NoError(t, err)
	require.Equal(t, protocol.KVAnswer{Found: true, Value: []byte("\x00\xff")}, answer)
	const request = `POST /gw/kv tok {"epoch":3,"key":"k","op":"set","run_id":7,"value":"dg=="}`
	require.Equal(t, []string{request, request}, seen, "the second admin is asked when the first one cannot")
}

func TestClient_KVIsRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status     int
		kind, body string
		want       string
	}{
		"a full store":      {422, "text/plain; charset=utf-8", "the job's store is full", "the job's store is full"},
		"a page":            {404, "text/html", "<html>", "the admin answers with status 404"},
		"not JSON":          {200, jsonType, "?", "read the admin's answer"},
		"no admin can":      {503, "text/plain", "the admin cannot do it now", "the admin cannot do it now"},
		"more than is read": {422, "text/plain", strings.Repeat("x", 5000), strings.Repeat("x", 1024)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var seen []string
			one := answering(t, c.status, c.kind, c.body, &seen)
			_, err := client(t, one, one).KV(t.Context(), protocol.KVRequest{Op: "get", Key: "k"})
			require.ErrorContains(t, err, c.want)
			if c.status == 503 {
				require.Len(t, seen, 2)
				return
			}
			require.Len(t, seen, 1, "what one admin refuses the others refuse as well")
		})
	}
}

func TestClient_Secret(t *testing.T) {
	t.Parallel()
	request := protocol.SecretRequest{RunID: 7, Epoch: 3, Name: "API_KEY"}
	var seen []string
	value, err := client(t, answering(t, 200, jsonType, `{"value":"v"}`, &seen)).Secret(t.Context(), request)
	require.NoError(t, err)
	require.Equal(t, "v", value)
	require.Equal(t, []string{`POST /gw/secret tok {"epoch":3,"name":"API_KEY","run_id":7}`}, seen)

	for status, want := range map[int]string{
		404: `secret "API_KEY": the admin has none of that name for this run's group`,
		403: `secret "API_KEY": the admin does not grant it to this run`,
		401: `secret "API_KEY": the admin answers with status 401`,
	} {
		_, err := client(t, answering(t, status, "", "", &seen)).Secret(t.Context(), request)
		require.EqualError(t, err, want)
	}
	_, err = client(t, answering(t, 403, "text/plain", "no such secret in the group", &seen)).Secret(t.Context(), request)
	require.EqualError(t, err, `secret "API_KEY": no such secret in the group`)
}

func TestClient_SecretNeverTravelsInTheClear(t *testing.T) {
	t.Parallel()
	const elsewhere = "http://192.0.2.1:8080" // of the documentation's network: nobody is there
	request := protocol.SecretRequest{Name: "API_KEY"}
	_, err := client(t, elsewhere).Secret(t.Context(), request)
	require.ErrorIs(t, err, adminclient.ErrPlainSecret)

	var seen []string
	here := answering(t, 200, jsonType, `{"value":"v"}`, &seen)
	value, err := client(t, elsewhere, here).Secret(t.Context(), request)
	require.NoError(t, err, "an admin on this machine is asked, the other one is not")
	require.Equal(t, "v", value)
}
