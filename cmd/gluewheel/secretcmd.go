package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
)

// secretCmd keeps secrets of groups.
type secretCmd struct {
	List   keptList[secretNoun]   `cmd:"" help:"List a group's secrets, without their values."`
	Show   keptShow[secretNoun]   `cmd:"" help:"Show when a secret was set and by whom; nobody reads its value."`
	Set    secretSet              `cmd:"" help:"Set a secret from a file or stdin."`
	Delete keptDelete[secretNoun] `cmd:"" help:"Delete a secret."`
}

// variableCmd keeps variables of groups.
type variableCmd struct {
	List   keptList[variableNoun]   `cmd:"" help:"List a group's variables."`
	Show   keptShow[variableNoun]   `cmd:"" help:"Show a variable."`
	Set    variableSet              `cmd:"" help:"Set a variable."`
	Delete keptDelete[variableNoun] `cmd:"" help:"Delete a variable."`
}

// groupFlag names a group, which keeps things of a noun by their names.
type groupFlag[N named] struct {
	remote
	Group string `required:"" short:"g" help:"Id or app name of the group."`
}

// ask calls the path of the group's list, or of what it keeps by a name.
func (f *groupFlag[N]) ask(ctx context.Context, method, name string, in, out any) error {
	return f.at(ctx, name, func(c *client, path string) error { return c.call(ctx, method, path, in, out) })
}

// put sets a value, in place of the one that is there. query may ask for a dry run.
func (f *groupFlag[N]) put(ctx context.Context, name, value, query string) error {
	return f.at(ctx, name, func(c *client, path string) error {
		var there struct {
			Version int64 `json:"version"`
		}
		err := c.call(ctx, http.MethodGet, path, nil, &there)
		if p, ok := errors.AsType[problem](err); err != nil && (!ok || p.Status != http.StatusNotFound) {
			return err
		}
		return c.call(ctx, http.MethodPut, path+query, object{"value": value, "version": there.Version}, nil)
	})
}

func (f *groupFlag[N]) at(ctx context.Context, name string, fn func(c *client, path string) error) error {
	c, err := f.client()
	if err != nil {
		return err
	}
	defer c.close()
	path, err := nounOf[groupNoun]().find(ctx, c, f.Group)
	if err != nil {
		return err
	}
	path += nounOf[N]().path
	if name != "" {
		path += "/" + name
	}
	return fn(c, path)
}

type keptList[N named] struct{ groupFlag[N] }

// Run prints what the group keeps.
func (f *keptList[N]) Run(ctx context.Context, s *streams) error {
	var page listed
	if err := f.ask(ctx, http.MethodGet, "", nil, &page); err != nil {
		return err
	}
	return f.show(s.out, nounOf[N]().columns, page.Items...)
}

// keptShow shows what a group keeps; ${what} is its word.
type keptShow[N named] struct {
	groupFlag[N]
	Name string `arg:"" help:"Name of the ${what}."`
}

// Run prints it with all its fields.
func (f *keptShow[N]) Run(ctx context.Context, s *streams) error {
	var it object
	if err := f.ask(ctx, http.MethodGet, f.Name, nil, &it); err != nil {
		return err
	}
	if f.JSON {
		return printJSON(s.out, it)
	}
	return printYAML(s.out, it)
}

type secretSet struct {
	groupFlag[secretNoun]
	trialFlag
	Name string `arg:"" help:"Name, such as API_KEY."`
	File string `short:"F" default:"-" help:"File with the value, - for stdin (${default}): a value on the command line would stand in the history."`
}

// Run sets a secret.
func (f *secretSet) Run(ctx context.Context, s *streams) error {
	value, err := readSecretFile(f.File, s.in)
	if err != nil {
		return fmt.Errorf("file: %w", err)
	}
	if err := f.put(ctx, f.Name, value, f.query()); err != nil {
		return err
	}
	f.done(s.out, fmt.Sprintf("Secret %s is set. Versions that name it in their manifest may read it.", f.Name), fmt.Sprintf("Secret %s could be set.", f.Name))
	return nil
}

type variableSet struct {
	groupFlag[variableNoun]
	trialFlag
	Name  string `arg:"" help:"Name, such as REGION."`
	Value string `arg:"" help:"Value."`
}

// Run sets a variable.
func (f *variableSet) Run(ctx context.Context, s *streams) error {
	if err := f.put(ctx, f.Name, f.Value, f.query()); err != nil {
		return err
	}
	f.done(s.out, fmt.Sprintf("Variable %s is set.", f.Name), fmt.Sprintf("Variable %s could be set.", f.Name))
	return nil
}

// keptDelete deletes what a group keeps; ${what} is its word.
type keptDelete[N named] struct {
	groupFlag[N]
	trialFlag
	Name string `arg:"" help:"Name of the ${what}."`
}

// Run deletes it.
func (f *keptDelete[N]) Run(ctx context.Context, s *streams) error {
	del := func(c *client, path string) error { return c.call(ctx, http.MethodDelete, path+f.query(), nil, nil) }
	if err := f.groupFlag.at(ctx, f.Name, del); err != nil {
		return err
	}
	word := nounOf[N]().word
	f.done(s.out, fmt.Sprintf("Deleted %s %s.", word, f.Name), fmt.Sprintf("%s %s could be deleted.", word, f.Name))
	return nil
}
