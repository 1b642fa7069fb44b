package api_test

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/api"
)

// schema is as much of a JSON schema as the test needs.
type schema struct {
	Ref        string `json:"$ref"`
	Type       any
	Enum       []any
	Format     string
	Pattern    string
	MaxLength  int
	Required   []string
	Properties map[string]*schema
	Items      *schema
}

// specification is as much of the OpenAPI document.
type specification struct {
	Paths      map[string]map[string]*operationSpec
	Components struct{ Schemas map[string]*schema }
}

type operationSpec struct {
	OperationID string
	Parameters  []parameterSpec
	RequestBody *struct {
		Required bool
		Content  map[string]struct{ Schema *schema }
	}
	Responses map[string]any
}

type parameterSpec struct {
	Name, In string
	Schema   *schema
}

func readSpecification(t *testing.T) *specification {
	t.Helper()
	document, err := api.Document()
	require.NoError(t, err)
	var spec specification
	require.NoError(t, json.Unmarshal(document, &spec))
	return &spec
}

func (s *specification) resolve(of *schema) *schema {
	for of != nil && of.Ref != "" {
		of = s.Components.Schemas[strings.TrimPrefix(of.Ref, "#/components/schemas/")]
	}
	return of
}

// kind is the JSON type of a schema, or the first of several.
func (s *schema) kind() string {
	if list, ok := s.Type.([]any); ok {
		return fmt.Sprint(list[0])
	}
	return fmt.Sprint(s.Type)
}

// example is a value that a schema lets through.
func (s *specification) example(of *schema) any {
	of = s.resolve(of)
	switch {
	case of == nil:
		return map[string]any{}
	case len(of.Enum) > 0:
		return of.Enum[0]
	}
	switch of.kind() {
	case "string":
		if of.Format == "date-time" {
			return "2026-01-02T15:04:05.000Z"
		}
		return "text"
	case "integer", "number":
		return 1
	case "boolean":
		return false
	case "array":
		return []any{s.example(of.Items)}
	default:
		out := map[string]any{}
		for _, name := range of.Required {
			out[name] = s.example(of.Properties[name])
		}
		return out
	}
}

// wrong are values of all JSON types that a schema does not take.
func (s *specification) wrong(of *schema) []any {
	of = s.resolve(of)
	if of == nil || of.Type == nil {
		return nil
	}
	all := map[string]any{
		"string": "no such thing", "number": 1.5, "boolean": true,
		"array": []any{map[string]any{"no": "such"}}, "object": map[string]any{"no_such_field": 1},
	}
	kind := of.kind()
	if kind == "integer" {
		delete(all, "boolean")
		all["huge"] = json.Number("99999999999999999999999999")
	}
	if len(of.Enum) == 0 && kind == "string" && of.Format != "date-time" && of.Pattern == "" {
		delete(all, "string")
		all["nul"] = "a\x00b"
	}
	if kind == "number" {
		delete(all, "number")
	}
	if kind == "boolean" {
		delete(all, "boolean")
	}
	if kind == "object" && len(of.Properties) == 0 {
		delete(all, "object")
	}
	out := make([]any, 0, len(all))
	for _, name := range slices.Sorted(maps.Keys(all)) {
		out = append(out, all[name])
	}
	return out
}

// attempt is one malformed request.
type attempt struct {
	what, method, path, media, body string
}

// conformance drives the operations of one document.
type conformance struct {
	t      *testing.T
	b      *bench
	spec   *specification
	places map[string]string // what stands for {…} in paths
	client http.Client

	count   int           // of requests refused
	slowest time.Duration // of them
}

// TestConformance_NoMalformedRequestPassesOrBreaksAnything takes all operations from the
// document, those to come as well. Each malformed request gets a 4xx problem within a
// second, and leaves nothing in any table of the database, the audit log included.
func TestConformance_NoMalformedRequestPassesOrBreaksAnything(t *testing.T) {
	t.Parallel()
	b := setup(t)
	o := b.objects(b.group("conform"), api.Artifact{})
	c := &conformance{
		t: t, b: b, spec: readSpecification(t),
		places: map[string]string{
			"/jobs/{id}": fmt.Sprintf("/jobs/%d", o.job.ID), "/groups/{id}": fmt.Sprintf("/groups/%d", o.group.ID),
			"/runs/{id}": fmt.Sprintf("/runs/%d", o.run.RunID), "{number}": "1",
			"{digest}": "sha256:" + strings.Repeat("0", 64),
		},
		client: http.Client{Timeout: 30 * time.Second, Transport: &http.Transport{}},
	}
	defer c.client.CloseIdleConnections()
	before := c.contents()
	for path, methods := range c.spec.Paths {
		for method, op := range methods {
			for _, a := range c.attempts(strings.ToUpper(method), path, op) {
				c.refused(op.OperationID, a)
			}
		}
	}
	after := c.contents()
	require.Len(t, after, len(before))
	for table, was := range before {
		require.Equal(t, was, after[table], "malformed requests have left something in %s", table)
	}
	b.group("well-formed")
	require.NotEqual(t, before, c.contents(), "what is well-formed leaves something")
	t.Logf("%d malformed requests to %d paths were refused, the slowest in %v", c.count, len(c.spec.Paths), c.slowest)
}

// TestConformance_EveryReadAnswers asks every operation that only reads, as an admin.
func TestConformance_EveryReadAnswers(t *testing.T) {
	t.Parallel()
	b := setup(t)
	g := b.group("conform")
	o := b.objects(g, b.module(b.group("another")))
	spec := readSpecification(t)
	for path, methods := range spec.Paths {
		op := methods["get"]
		if op == nil {
			continue
		}
		r := b.admin.do("GET", o.fill(path, "conform"), "")
		switch {
		case strings.Contains(o.fill(path, ""), "{"), r.status == 404:
			r.refused(r.status, "") // an object that the test does not make
		case r.status >= 300 && r.status < 400: // to an identity provider
		default:
			require.NotNil(t, op.Responses[fmt.Sprint(r.status)], "%s answers %d: %s", op.OperationID, r.status, r.text)
		}
	}
}

// attempts are the ways in which a request to an operation can be malformed.
func (c *conformance) attempts(method, path string, op *operationSpec) []attempt {
	var out []attempt
	good := path
	for place, value := range c.places {
		good = strings.ReplaceAll(good, place, value)
	}
	body, media := "", ""
	if op.RequestBody != nil {
		for media = range op.RequestBody.Content {
		}
		if media == "application/json" {
			body = c.json(c.spec.example(op.RequestBody.Content[media].Schema))
		}
	}
	plain := strings.NewReplacer("{id}", "1", "{", "", "}", "")
	good = plain.Replace(good)
	add := func(what, path, media, body string) { out = append(out, attempt{what, method, path, media, body}) }
	add("an unknown parameter", good+"?no_such_parameter=1", media, body)
	add("a query that is not encoded", good+"?a=%zz", media, body)
	for _, p := range op.Parameters {
		of := c.spec.resolve(p.Schema)
		switch p.In {
		case "path":
			for _, value := range badTexts(of) {
				add("path "+p.Name+" = "+value, plain.Replace(strings.ReplaceAll(path, "{"+p.Name+"}", value)), media, body)
			}
		case "query":
			for _, value := range badTexts(of) {
				add("query "+p.Name+" = "+value, good+"?"+p.Name+"="+value, media, body)
			}
			add("query "+p.Name+" twice", good+"?"+p.Name+"=1&"+p.Name+"=2", media, body)
		}
	}
	switch {
	case op.RequestBody == nil && method != "GET":
		add("a body of another type", good, "text/plain", "hello")
	case op.RequestBody == nil:
	case media == "application/json":
		out = append(out, c.badBodies(method, good, op)...)
	default:
		for _, junk := range []string{"", "\x00", "\xff\xfe", "{", "junk: [", "- 1\n- 2", "gluewheel: 7", "gluewheel: 1\nno_such: 1", strings.Repeat("a: &a [*a]\n", 50)} {
			add("junk "+media, good, media, junk)
		}
		add("JSON in place of "+media, good, "application/json", "{}")
	}
	return out
}

// badTexts are parameters that a schema does not take.
func badTexts(of *schema) []string {
	bad := []string{"%00", "%ff"}
	switch {
	case of.kind() == "integer" || of.kind() == "number":
		bad = append(bad, "x", "-1", "1.5", "99999999999999999999999", "1e99", "%27%20OR%201=1")
	case len(of.Enum) > 0 || of.Format == "date-time" || of.kind() == "boolean" || of.Pattern != "":
		bad = append(bad, "nonsense", "%F0%9F%98%80")
	case of.MaxLength > 0:
		bad = append(bad, strings.Repeat("a", of.MaxLength+1))
	}
	return bad
}

// badBodies spoil a JSON body as a whole and field by field.
func (c *conformance) badBodies(method, path string, op *operationSpec) []attempt {
	const media = "application/json"
	var out []attempt
	add := func(what, media, body string) { out = append(out, attempt{what, method, path, media, body}) }
	of := c.spec.resolve(op.RequestBody.Content[media].Schema)
	good, _ := c.spec.example(of).(map[string]any)
	for _, broken := range []string{"{", "[", `{"a":}`, `{"a"`, "nonsense", "[]", "1", `"text"`, "true", "\xff", "{}{}", strings.Repeat("[", 20000), `{"\u0000":1}`} {
		add("the body "+broken[:min(len(broken), 20)], media, broken)
	}
	if op.RequestBody.Required {
		add("no body", media, "")
	}
	add("a body of another type", "text/plain", c.json(good))
	add("a form", "application/x-www-form-urlencoded", "a=1")
	add("a huge body", media, `{"a":"`+strings.Repeat("a", 6<<20)+`"}`)
	with := func(name string, value any) string {
		spoiled := maps.Clone(good)
		spoiled[name] = value
		return c.json(spoiled)
	}
	add("an unknown field", media, with("no_such_field", 1))
	for _, name := range of.Required {
		less := maps.Clone(good)
		delete(less, name)
		add("without "+name, media, c.json(less))
		add("a name in capitals", media, strings.Replace(c.json(good), `"`+name+`"`, `"`+strings.ToUpper(name)+`"`, 1))
	}
	for name, property := range of.Properties {
		for _, value := range c.spec.wrong(property) {
			add(fmt.Sprintf("%s = %v", name, value), media, with(name, value))
		}
		if p := c.spec.resolve(property); p != nil && p.MaxLength > 0 {
			add(name+" too long", media, with(name, strings.Repeat("a", p.MaxLength+1)))
		}
	}
	return out
}

func (c *conformance) json(v any) string {
	text, err := json.Marshal(v)
	require.NoError(c.t, err)
	return string(text)
}

// promised is how long the answer to a malformed request may take.
const promised = time.Second

// refused wants a problem that is the client's fault, within the promised time. A machine
// that runs many tests at once may stand still for longer than that: slow is what is slow
// in each of three tries.
func (c *conformance) refused(id string, a attempt) {
	target := c.b.url + "/api/v1" + a.path
	if _, err := url.Parse(target); err != nil {
		return // no client of Go's sends that
	}
	c.count++
	took := c.send(id, a, target)
	for range 2 {
		if took < promised {
			break
		}
		c.t.Logf("%s with %s took %v: tried again", id, a.what, took)
		took = min(took, c.send(id, a, target))
	}
	require.Less(c.t, took, promised, "%s: %s", id, a.what)
	c.slowest = max(c.slowest, took)
}

// send sends a request once, wants a refusal, and tells how long it took.
func (c *conformance) send(id string, a attempt, target string) time.Duration {
	req, err := http.NewRequestWithContext(c.t.Context(), a.method, target, strings.NewReader(a.body))
	require.NoError(c.t, err)
	req.Header.Set("Cookie", c.b.admin.cookie)
	if a.media != "" {
		req.Header.Set("Content-Type", a.media)
	}
	begin := time.Now()
	resp, err := c.client.Do(req)
	require.NoError(c.t, err, "%s: %s", id, a.what)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	took := time.Since(begin)
	require.NoError(c.t, err)
	require.True(c.t, resp.StatusCode >= 400 && resp.StatusCode < 500, "%s %s with %s answers %d: %.2000s", a.method, a.path, a.what, resp.StatusCode, text)
	require.Equal(c.t, "application/problem+json", resp.Header.Get("Content-Type"), "%s: %s", id, a.what)
	return took
}

// contents tells of each table how many rows it has and what is in them; of sessions,
// which note their use, only how many.
func (c *conformance) contents() map[string]string {
	t := c.t
	t.Helper()
	conn, err := pgx.Connect(t.Context(), c.b.database)
	require.NoError(t, err)
	defer conn.Close(t.Context())
	rows, err := conn.Query(t.Context(), `SELECT c.relname FROM pg_class c WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace ORDER BY 1`)
	require.NoError(t, err)
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	out := map[string]string{}
	for _, table := range tables {
		columns := "t::text"
		if table == "session" {
			columns = "''"
		}
		var text string
		require.NoError(t, conn.QueryRow(t.Context(), fmt.Sprintf(`SELECT count(*) || ' ' || md5(coalesce(string_agg(%s, ',' ORDER BY %[1]s), '')) FROM %s t`, columns, pgx.Identifier{table}.Sanitize())).Scan(&text))
		out[table] = text
	}
	return out
}
