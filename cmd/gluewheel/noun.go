package main

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// noun is a kind of object of the API that the command line creates, lists, shows, edits
// and deletes.
type noun struct {
	path    string // of the list
	edit    string // name of the schema that an edit takes
	name    string // field that people know it by
	search  string // filter of the list that narrows it to a name; none by default
	word    string // such as "group"
	columns []column
}

// named tells a noun by a type: commands are types, so a command that serves every noun
// takes the noun's type as its parameter.
type named interface{ noun() noun }

func nounOf[N named]() noun {
	var n N
	return n.noun()
}

// maxNamed bounds how many objects are looked through for a name.
const maxNamed = 10_000

// find turns an id or a name into a path.
func (n noun) find(ctx context.Context, c *client, idOrName string) (string, error) {
	if strings.Trim(idOrName, "0123456789") == "" && idOrName != "" {
		return n.path + "/" + idOrName, nil
	}
	query := url.Values{}
	if n.search != "" {
		query.Set(n.search, idOrName)
	}
	page, err := c.all(ctx, n.path, query, maxNamed)
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
		return "", fmt.Errorf("there is no %s named %q: see gluewheel %[1]s list", n.word, idOrName)
	default:
		return "", fmt.Errorf("%d have the name %q: use the id of one, see gluewheel %s list", len(found), idOrName, n.word)
	}
}

// findID is find for a request that wants the id alone.
func (n noun) findID(ctx context.Context, c *client, idOrName string) (string, error) {
	path, err := n.find(ctx, c, idOrName)
	return strings.TrimPrefix(path, n.path+"/"), err
}

// one names an object.
type one[N named] struct {
	remote
	ID string `arg:"" help:"Its id, or its name when only one has it."`
}

// at opens a client and finds the object.
func (o *one[N]) at(ctx context.Context) (c *client, path string, err error) {
	if c, err = o.client(); err != nil {
		return nil, "", err
	}
	if path, err = nounOf[N]().find(ctx, c, o.ID); err != nil {
		c.close()
		return nil, "", err
	}
	return c, path, nil
}

// read opens a client and reads the object.
func (o *one[N]) read(ctx context.Context) (c *client, it object, err error) {
	c, path, err := o.at(ctx)
	if err != nil {
		return nil, nil, err
	}
	if err := c.call(ctx, http.MethodGet, path, nil, &it); err != nil {
		c.close()
		return nil, nil, err
	}
	return c, it, nil
}
