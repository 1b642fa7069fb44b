package api_test

import (
	"fmt"
	"math/rand/v2"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/api"
)

// hostile are values that have broken APIs before.
var hostile = []string{
	`null`, `true`, `-1`, `0`, `1.5`, `1e400`, `9223372036854775808`, `2147483648`, `99999999999999999999999999`, `"x"`, `""`,
	`"\u0000"`, `"\ud800"`, `"'; DROP TABLE job; --"`, `"%s%n"`, `"` + strings.Repeat("ä", 1000) + `"`, `[]`, `{}`, `[[[[]]]]`,
	`[null]`, `{"a":{"b":[]}}`, `[1,1]`, `[-1]`, `[2147483648]`, `"2026-13-45T99:99:99Z"`, `"0001-01-01T00:00:00Z"`,
	`"* * * * *"`, `"TZ=UTC * * * * *"`, `"@every 1ns"`, `"http://"`, `["http://[::1"]`, `["\u0000"]`,
}

// targets are the writing operations with a body that is accepted; {group} and {job}
// are objects that stay.
var targets = []struct{ method, path, body string }{
	{"POST", "/login", `{"username":"nobody","password":"wrong"}`},
	{"POST", "/groups", `{"app_name":"fuzzed","title":"t","address_type":1,"address_list":["http://a:1"]}`},
	{"PUT", "/groups/{group}", `{"app_name":"fuzz","title":"t","address_type":0,"address_list":[],"version":99}`},
	{"POST", "/jobs", `{"group_id":{group},"name":"n","description":"d","author":"a","alarm_email":"a@b.c","schedule_type":"CRON","schedule_conf":"1 2 3 4 *","time_zone":"UTC","misfire_strategy":"CATCH_UP","catch_up_limit":3,"route_strategy":"LAST","block_strategy":"COVER_EARLY","handler":"h","param":"p","timeout_s":1,"retry_count":1,"retry_delay_s":1,"idempotent":true,"child_job_ids":[{job}],"glue_type":"BEAN"}`},
	{"PUT", "/jobs/{job}", `{"group_id":{group},"name":"n","author":"a","schedule_type":"FIX_RATE","schedule_conf":"60","version":99}`},
	{"POST", "/jobs/{job}/start", `{}`},
	{"POST", "/jobs/{job}/stop", `{}`},
	{"POST", "/jobs/{job}/trigger", `{"param":"p","addresses":["http://a:1"]}`},
	{"POST", "/jobs/{job}/versions", `{"source":"print(1)","artifact":"","remark":"remark","base_version":77,"manifest":{"memory_bytes":1,"cpu_seconds":1,"log_bytes":1,"hosts":["a"],"secrets":["S"]}}`},
	{"POST", "/jobs/{job}/rollback", `{"number":1,"remark":"remark","base_version":77}`},
	{"POST", "/schedule/preview", `{"schedule_type":"CRON","schedule_conf":"1 2 3 4 *","time_zone":"UTC","n":3}`},
}

// TestBodies_NeverBreakTheServer puts each hostile value in the place of each value of
// each body, and cuts and garbles the bodies: whatever comes, the answer is below 500.
func TestBodies_NeverBreakTheServer(t *testing.T) {
	t.Parallel()
	b := setup(t)
	g := b.group("fuzz")
	j := b.job(g.ID)
	fill := strings.NewReplacer("{group}", fmt.Sprint(g.ID), "{job}", fmt.Sprint(j.ID)).Replace
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, target := range targets {
		body := fill(target.body)
		var bodies []string
		for _, value := range spans(body) {
			for _, h := range hostile {
				bodies = append(bodies, body[:value[0]]+h+body[value[1]:])
			}
		}
		for range 20 {
			cut := rnd.IntN(len(body) + 1)
			bodies = append(bodies, body[:cut], body[cut:], body[:cut]+string([]byte{byte(rnd.IntN(256))})+body[cut:])
		}
		bodies = append(bodies, hostile...)
		for _, spoiled := range bodies {
			if target.path == "/login" && rnd.IntN(4) > 0 {
				continue // they are slow by design
			}
			r := b.admin.do(target.method, fill(target.path), spoiled)
			require.Less(t, r.status, 500, "%s %s %s\n%s", target.method, target.path, spoiled, r.text)
			if r.status >= 400 {
				r.refused(r.status, "")
			}
		}
	}
	get[api.List[api.Job]](b.admin, "/jobs") // it still answers
}

// spans finds the values of a flat JSON object, and those of the lists in it.
func spans(body string) (out [][2]int) {
	depth, start := 0, -1
	inString := false
	for i := range len(body) {
		switch c := body[i]; {
		case inString:
			inString = c != '"'
		case c == '"':
			inString = true
		case c == ':' && start < 0:
			start = i + 1
		case c == '[' || c == '{' && start >= 0:
			depth++
		case (c == ']' || c == '}') && depth > 0:
			depth--
		case (c == ',' || c == '}') && depth == 0 && start >= 0:
			out = append(out, [2]int{start, i})
			start = -1
		}
	}
	return out
}

// TestQueries_NeverBreakTheServer does the same to query parameters and paths.
func TestQueries_NeverBreakTheServer(t *testing.T) {
	t.Parallel()
	b := setup(t)
	values := append([]string{"\x00", "\xff", "'", "%", ",", ",,", "planned,", "1e9", "0x1", " 1", "+1", "9223372036854775807", "-9223372036854775808", "2262-04-12T00:00:00Z", "9999-12-31T23:59:59Z", "0000-01-01T00:00:00Z"}, hostile...)
	for path, names := range map[string][]string{
		"/runs":      {"state", "cause", "job_id", "group_id", "from", "to", "limit", "cursor", "sort"},
		"/jobs":      {"q", "enabled", "glue_type", "handler", "author", "group_id", "limit", "cursor"},
		"/groups":    {"q", "limit", "cursor"},
		"/artifacts": {"q", "limit", "cursor"},
		"/executors": {"q", "alive", "group_id", "limit", "cursor"},
		"/users":     {"q", "role", "limit", "cursor"},
		"/reviews":   {"group_id", "limit", "cursor"},
		"/audit":     {"q", "actor", "group_id", "from", "to", "limit", "cursor", "sort"},
	} {
		for _, name := range names {
			for _, value := range values {
				r := b.admin.do("GET", path+"?"+name+"="+url.QueryEscape(value), "")
				require.Less(t, r.status, 500, "%s %s=%q %s", path, name, value, r.text)
			}
		}
	}
	for _, path := range []string{"/runs/%s", "/runs/%s/log", "/jobs/%s", "/jobs/%s/next", "/jobs/1/versions/%s", "/groups/%s", "/artifacts/%s"} {
		for _, value := range values {
			r := b.admin.do("GET", fmt.Sprintf(path, url.PathEscape(value)), "")
			require.Less(t, r.status, 500, "%s %q %s", path, value, r.text)
		}
	}
}
