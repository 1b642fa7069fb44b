package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"

	"go.yaml.in/yaml/v4"
)

// noun is a kind of object of the API that the command line creates, lists, shows, edits
// and deletes.
type noun struct {
	path    string // of the list
	edit    string // name of the schema that an edit takes
	name    string // field that people know it by
	word    string // such as "group"
	columns []column
}

// listFlags are those of every list.
type listFlags struct {
	remote
	Limit  int               `default:"50" help:"Most entries to print (${default})."`
	Filter map[string]string `short:"f" placeholder:"FIELD=VALUE" help:"Filters of the list, such as -f group_id=1; the API's description names them."`
}

func (l *listFlags) list(ctx context.Context, s *streams, n noun) error {
	c, err := l.client()
	if err != nil {
		return err
	}
	defer c.close()
	query := url.Values{}
	for k, v := range l.Filter {
		query.Set(k, v)
	}
	page, err := c.all(ctx, n.path, query, max(l.Limit, 1))
	if err != nil {
		return err
	}
	if err := l.show(s.out, n.columns, page.Items...); err != nil || l.JSON {
		return err
	}
	if rest := page.Total - len(page.Items); rest > 0 {
		fmt.Fprintf(s.err, "%d more; --limit shows more of them.\n", rest)
	}
	return nil
}

// oneFlags name an object.
type oneFlags struct {
	remote
	ID string `arg:"" help:"Its id, or its name when only one has it."`
}

func (o *oneFlags) get(ctx context.Context, c *client, n noun) (object, error) {
	path, err := n.find(ctx, c, o.ID)
	if err != nil {
		return nil, err
	}
	var it object
	return it, c.call(ctx, http.MethodGet, path, nil, &it)
}

func (o *oneFlags) print(ctx context.Context, s *streams, n noun) error {
	c, err := o.client()
	if err != nil {
		return err
	}
	defer c.close()
	it, err := o.get(ctx, c, n)
	if err != nil {
		return err
	}
	if o.JSON {
		return printJSON(s.out, it)
	}
	return printYAML(s.out, it)
}

// find turns an id or a name into a path.
func (n noun) find(ctx context.Context, c *client, idOrName string) (string, error) {
	if strings.Trim(idOrName, "0123456789") == "" && idOrName != "" {
		return n.path + "/" + idOrName, nil
	}
	query := url.Values{}
	if n.path == "/jobs" {
		query.Set("q", idOrName)
	}
	page, err := c.all(ctx, n.path, query, 10_000)
	if err != nil {
		return "", err
	}
	var found []string
	for _, it := range page.Items {
		if it[n.name] == idOrName {
			found = append(found, n.path+"/"+cell(it["id"]))
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return "", fmt.Errorf("there is no %s named %q", n.word, idOrName)
	default:
		return "", fmt.Errorf("%d have the name %q: use the id of one, see gluewheel %s list", len(found), idOrName, n.word)
	}
}

// fieldFlags say what an object is to be.
type fieldFlags struct {
	File string   `short:"F" placeholder:"FILE" help:"Fields as YAML or JSON; - reads stdin."`
	Set  []string `short:"s" sep:"none" placeholder:"FIELD=VALUE" help:"One field, its value as YAML: --set retry_count=3 --set tags=[a,b]. After --file."`
}

// apply writes the fields into an object.
func (f *fieldFlags) apply(s *streams, into object) error {
	if f.File != "" {
		var text []byte
		var err error
		if f.File == "-" {
			text, err = io.ReadAll(s.in)
		} else {
			text, err = os.ReadFile(f.File)
		}
		if err != nil {
			return fmt.Errorf("file: %w", err)
		}
		fields := object{}
		if err := yaml.Unmarshal(text, &fields); err != nil {
			return fmt.Errorf("file: %w", err)
		}
		for k, v := range fields {
			into[k] = v
		}
	}
	if f.File == "" && len(f.Set) == 0 {
		return errors.New("no fields: give them with --set FIELD=VALUE or --file")
	}
	return setFields(f.Set, into)
}

// setFields writes FIELD=VALUE texts into an object.
func setFields(fields []string, into object) error {
	for _, one := range fields {
		name, value, ok := strings.Cut(one, "=")
		if !ok || name == "" {
			return fmt.Errorf("set: %q is not FIELD=VALUE", one)
		}
		var v any
		if err := yaml.Unmarshal([]byte(value), &v); err != nil {
			return fmt.Errorf("set: the value of %s: %w", name, err)
		}
		if v == nil {
			v = ""
		}
		into[name] = v
	}
	return nil
}

type createFlags struct {
	remote
	fieldFlags
	DryRun bool `help:"Check everything, store nothing."`
}

func (f *createFlags) create(ctx context.Context, s *streams, n noun) error {
	in := object{}
	if err := f.apply(s, in); err != nil {
		return err
	}
	c, err := f.client()
	if err != nil {
		return err
	}
	defer c.close()
	var made object
	if err := c.call(ctx, http.MethodPost, n.path+dryRun(f.DryRun), in, &made); err != nil {
		return err
	}
	if f.JSON {
		return printJSON(s.out, made)
	}
	if f.DryRun {
		fmt.Fprintf(s.out, "The %s would be created.\n", n.word)
		return nil
	}
	fmt.Fprintf(s.out, "Created %s %s.\n", n.word, cell(made["id"]))
	if token, ok := made["token"].(string); ok {
		fmt.Fprintf(s.out, "It is shown this once: %s\n", token)
	}
	return nil
}

func dryRun(dry bool) string {
	if dry {
		return "?dry_run=true"
	}
	return ""
}

type editFlags struct {
	oneFlags
	fieldFlags
	DryRun bool `help:"Check everything, store nothing."`
}

// change reads the object, changes the fields and writes it back; somebody else's change
// in between is a conflict, and nothing is lost.
func (f *editFlags) change(ctx context.Context, s *streams, n noun) error {
	c, err := f.client()
	if err != nil {
		return err
	}
	defer c.close()
	it, err := f.get(ctx, c, n)
	if err != nil {
		return err
	}
	id := cell(it["id"])
	in, err := c.editable(ctx, n.edit, it)
	if err != nil {
		return err
	}
	if err := f.apply(s, in); err != nil {
		return err
	}
	var made object
	if err := c.call(ctx, http.MethodPut, n.path+"/"+id+dryRun(f.DryRun), in, &made); err != nil {
		return err
	}
	if f.JSON {
		return printJSON(s.out, made)
	}
	if f.DryRun {
		fmt.Fprintf(s.out, "%s %s could be changed so.\n", n.word, id)
		return nil
	}
	fmt.Fprintf(s.out, "Changed %s %s.\n", n.word, id)
	return nil
}

// editable keeps the fields of an object that an edit takes, as the API describes it.
func (c *client) editable(ctx context.Context, schema string, it object) (object, error) {
	var document struct {
		Components struct {
			Schemas map[string]struct {
				Properties object `json:"properties"`
			} `json:"schemas"`
		} `json:"components"`
	}
	if err := c.call(ctx, http.MethodGet, "/openapi.json", nil, &document); err != nil {
		return nil, err
	}
	fields := document.Components.Schemas[schema].Properties
	if len(fields) == 0 {
		return nil, fmt.Errorf("the server does not describe %s: is it of another version?", schema)
	}
	in := object{}
	for k, v := range it {
		if _, ok := fields[k]; ok && v != nil {
			in[k] = v
		}
	}
	return in, nil
}

type deleteFlags struct {
	oneFlags
	Yes bool `short:"y" help:"Do not ask."`
}

func (f *deleteFlags) remove(ctx context.Context, s *streams, n noun) error {
	c, err := f.client()
	if err != nil {
		return err
	}
	defer c.close()
	path, err := n.find(ctx, c, f.ID)
	if err != nil {
		return err
	}
	if !f.Yes && !confirmed(s, fmt.Sprintf("Delete %s %s? This cannot be undone.", n.word, f.ID)) {
		return errors.New("nothing was deleted")
	}
	if err := c.call(ctx, http.MethodDelete, path, nil, nil); err != nil {
		return err
	}
	if !f.JSON {
		fmt.Fprintf(s.out, "Deleted %s %s.\n", n.word, f.ID)
	}
	return nil
}

// confirmed asks; without an answer it is no.
func confirmed(s *streams, question string) bool {
	fmt.Fprintf(s.err, "%s [y/N] ", question)
	line, _ := bufio.NewReader(s.in).ReadString('\n') // the end of input is an empty answer
	answer := strings.ToLower(strings.TrimSpace(line))
	return answer == "y" || answer == "yes"
}

func printYAML(w io.Writer, v any) error {
	text, err := yaml.Marshal(v)
	if err != nil {
		return fmt.Errorf("print: %w", err)
	}
	_, err = w.Write(text)
	return err
}
