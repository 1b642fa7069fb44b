package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"go.yaml.in/yaml/v4"
)

// nounCmd is a noun that needs no command of its own; ${what} is its plural.
type nounCmd[N named] struct {
	List   listCmd[N]   `cmd:"" help:"List ${what}."`
	Show   showCmd[N]   `cmd:"" help:"Show one."`
	Create createCmd[N] `cmd:"" help:"Create one."`
	Edit   editCmd[N]   `cmd:"" help:"Change fields of one."`
	Delete deleteCmd[N] `cmd:"" help:"Delete one."`
}

type listCmd[N named] struct {
	remote
	Limit  int               `default:"50" help:"Most entries to print (${default})."`
	Filter map[string]string `short:"f" placeholder:"FIELD=VALUE" help:"Filters of the list, such as -f group_id=1; the API's description names them."`
}

// Run prints a table, and how much of the list is not in it.
func (l *listCmd[N]) Run(ctx context.Context, s *streams) error {
	c, err := l.client()
	if err != nil {
		return err
	}
	defer c.close()
	n, query := nounOf[N](), url.Values{}
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

type showCmd[N named] struct{ one[N] }

// Run prints the object with all its fields.
func (f *showCmd[N]) Run(ctx context.Context, s *streams) error {
	c, it, err := f.read(ctx)
	if err != nil {
		return err
	}
	defer c.close()
	if f.JSON {
		return printJSON(s.out, it)
	}
	return printYAML(s.out, it)
}

type createCmd[N named] struct {
	remote
	fieldFlags
}

// Run creates an object, or says whether it could be.
func (f *createCmd[N]) Run(ctx context.Context, s *streams) error {
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
	n := nounOf[N]()
	if err := c.call(ctx, http.MethodPost, n.path+f.query(), in, &made); err != nil {
		return err
	}
	switch {
	case f.JSON:
		return printJSON(s.out, made)
	case f.DryRun:
		fmt.Fprintf(s.out, "The %s would be created.\n", n.word)
		return nil
	}
	fmt.Fprintf(s.out, "Created %s %s.\n", n.word, cell(made["id"]))
	if token, ok := made["token"].(string); ok {
		fmt.Fprintf(s.out, "It is shown this once: %s\n", token)
	}
	return nil
}

type editCmd[N named] struct {
	one[N]
	fieldFlags
}

// Run reads the object, changes the fields and writes it back; somebody else's change in
// between is a conflict, and nothing is lost.
func (f *editCmd[N]) Run(ctx context.Context, s *streams) error {
	c, it, err := f.read(ctx)
	if err != nil {
		return err
	}
	defer c.close()
	n, id := nounOf[N](), cell(it["id"])
	in, err := c.editable(ctx, n.edit, it)
	if err != nil {
		return err
	}
	if err := f.apply(s, in); err != nil {
		return err
	}
	var made object
	if err := c.call(ctx, http.MethodPut, n.path+"/"+id+f.query(), in, &made); err != nil {
		return err
	}
	if f.JSON {
		return printJSON(s.out, made)
	}
	f.done(s.out, fmt.Sprintf("Changed %s %s.", n.word, id), fmt.Sprintf("%s %s could be changed so.", n.word, id))
	return nil
}

type deleteCmd[N named] struct {
	one[N]
	trialFlag
	Yes bool `short:"y" help:"Do not ask."`
}

// Run deletes the object, after a question; a dry run needs none.
func (f *deleteCmd[N]) Run(ctx context.Context, s *streams) error {
	c, path, err := f.at(ctx)
	if err != nil {
		return err
	}
	defer c.close()
	n := nounOf[N]()
	if !f.Yes && !f.DryRun && !confirmed(s, fmt.Sprintf("Delete %s %s? This cannot be undone.", n.word, f.ID)) {
		return errors.New("nothing was deleted")
	}
	if err := c.call(ctx, http.MethodDelete, path+f.query(), nil, nil); err != nil {
		return err
	}
	if !f.JSON {
		f.done(s.out, fmt.Sprintf("Deleted %s %s.", n.word, f.ID), fmt.Sprintf("%s %s could be deleted.", n.word, f.ID))
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

// printYAML goes by way of JSON, which writes the number of a run in full: YAML would make
// it 5.8e+14.
func printYAML(w io.Writer, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("print: %w", err)
	}
	var plain any
	if err := yaml.Unmarshal(text, &plain); err != nil {
		return fmt.Errorf("print: %w", err)
	}
	if text, err = yaml.Marshal(plain); err != nil {
		return fmt.Errorf("print: %w", err)
	}
	_, err = w.Write(text)
	return err
}
