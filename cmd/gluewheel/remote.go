package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"text/tabwriter"
)

// remote is what every command needs that talks to an admin.
type remote struct {
	Server  string `placeholder:"URL" env:"GLUEWHEEL_SERVER" help:"Address of an admin, such as http://127.0.0.1:8080; default: the context's."`
	Token   string `placeholder:"TOKEN" env:"GLUEWHEEL_API_TOKEN" help:"API token (gw_…); default: the context's."`
	Context string `placeholder:"NAME" env:"GLUEWHEEL_CONTEXT" help:"Context to use, see gluewheel context; default: the chosen one."`
	JSON    bool   `name:"json" help:"Print JSON instead of a table."`
}

var errNoServer = errors.New("no server: name one with --server and --token, or make a context with `gluewheel context set`")

// client is one for the admin that flags, variables or the context name.
func (r *remote) client() (*client, error) {
	server, token := r.Server, r.Token
	if server == "" || token == "" {
		file, err := readContexts()
		if err != nil {
			return nil, err
		}
		c, ok := file.Contexts[cmp.Or(r.Context, file.Current)]
		if r.Context != "" && !ok {
			return nil, fmt.Errorf("there is no context %q: see gluewheel context list", r.Context)
		}
		server = cmp.Or(server, c.Server)
		// A token is for its own server: it is not shown to another one.
		if server == c.Server {
			token = cmp.Or(token, c.Token)
		}
	}
	if server == "" {
		return nil, errNoServer
	}
	if token == "" {
		return nil, fmt.Errorf("no API token for %s: make one in the page under Tokens, then give it with --token, GLUEWHEEL_API_TOKEN or `gluewheel context set`", server)
	}
	c, err := newClient(server)
	if err != nil {
		return nil, err
	}
	c.token = token
	return c, nil
}

// object is any answer of the API.
type object = map[string]any

// listed is a page of a list.
type listed struct {
	Items       []object `json:"items"`
	Total       int      `json:"total"`
	TotalCapped bool     `json:"total_capped"`
	NextCursor  string   `json:"next_cursor"`
}

// all reads pages until limit entries are there.
func (c *client) all(ctx context.Context, path string, query url.Values, limit int) (listed, error) {
	var out listed
	for {
		q := url.Values{}
		for k, v := range query {
			q[k] = v
		}
		if out.NextCursor != "" {
			q.Set("cursor", out.NextCursor)
		}
		q.Set("limit", fmt.Sprint(min(max(limit-len(out.Items), 1), 500)))
		var page listed
		if err := c.call(ctx, http.MethodGet, path+"?"+q.Encode(), nil, &page); err != nil {
			return out, err
		}
		page.Items = append(out.Items, page.Items...)
		out = page
		if out.NextCursor == "" || len(out.Items) >= limit {
			return out, nil
		}
	}
}

// column is a field of an object, and its heading.
type column struct{ field, head string }

// show prints objects as a table, or as JSON.
func (r *remote) show(w io.Writer, columns []column, items ...object) error {
	if r.JSON {
		return printJSON(w, items)
	}
	t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	for i, c := range columns {
		fmt.Fprint(t, tab(i), c.head)
	}
	fmt.Fprintln(t)
	for _, it := range items {
		for i, c := range columns {
			fmt.Fprint(t, tab(i), cell(it[c.field]))
		}
		fmt.Fprintln(t)
	}
	return t.Flush()
}

func tab(i int) string {
	if i == 0 {
		return ""
	}
	return "\t"
}

func printJSON(w io.Writer, v any) error {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Errorf("print: %w", err)
	}
	_, err = fmt.Fprintln(w, string(text))
	return err
}

// cell is a value in one line. Control characters cannot reach the terminal: %q where
// there are any.
func cell(v any) string {
	switch v := v.(type) {
	case nil:
		return "-"
	case string:
		if v == "" {
			return "-"
		}
		for _, r := range v {
			if r < ' ' || r == 0x7f {
				return fmt.Sprintf("%q", v)
			}
		}
		return v
	case float64:
		return fmt.Sprintf("%.0f", v)
	case bool:
		if v {
			return "yes"
		}
		return "no"
	case object:
		if state, ok := v["state"].(string); ok {
			return state
		}
	case []any:
		if len(v) == 0 {
			return "-"
		}
	}
	text, err := json.Marshal(v)
	if err != nil {
		return "?"
	}
	return string(text)
}
