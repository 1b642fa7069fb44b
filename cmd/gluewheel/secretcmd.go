package main

import (
	"context"
	"fmt"
	"net/http"
)

// secretCmd keeps secrets of groups.
type secretCmd struct {
	List   secretList   `cmd:"" help:"List a group's secrets, without their values."`
	Set    secretSet    `cmd:"" help:"Set a secret from a file or stdin."`
	Delete secretDelete `cmd:"" help:"Delete a secret."`
}

// variableCmd keeps variables of groups.
type variableCmd struct {
	List   variableList   `cmd:"" help:"List a group's variables."`
	Set    variableSet    `cmd:"" help:"Set a variable."`
	Delete variableDelete `cmd:"" help:"Delete a variable."`
}

// groupFlag names a group.
type groupFlag struct {
	remote
	Group string `required:"" short:"g" help:"Id or app name of the group."`
}

// ask calls a path below the group's.
func (f *groupFlag) ask(ctx context.Context, method, below string, in, out any) error {
	c, err := f.client()
	if err != nil {
		return err
	}
	defer c.close()
	path, err := groups.find(ctx, c, f.Group)
	if err != nil {
		return err
	}
	return c.call(ctx, method, path+below, in, out)
}

type secretList struct{ groupFlag }

// Run prints names.
func (f *secretList) Run(ctx context.Context, s *streams) error {
	var page listed
	if err := f.ask(ctx, http.MethodGet, "/secrets", nil, &page); err != nil {
		return err
	}
	return f.show(s.out, []column{{"name", "NAME"}, {"updated_at", "CHANGED"}, {"updated_by", "BY"}}, page.Items...)
}

type secretSet struct {
	groupFlag
	Name string `arg:"" help:"Name, such as API_KEY."`
	File string `short:"F" default:"-" help:"File with the value, - for stdin (${default}): a value on the command line would stand in the history."`
}

// Run sets a secret.
func (f *secretSet) Run(ctx context.Context, s *streams) error {
	value, err := readSecretFile(f.File, s.in)
	if err != nil {
		return fmt.Errorf("file: %w", err)
	}
	if err := f.ask(ctx, http.MethodPut, "/secrets/"+f.Name, object{"value": value}, nil); err != nil {
		return err
	}
	fmt.Fprintf(s.out, "Secret %s is set. Versions that name it in their manifest may read it.\n", f.Name)
	return nil
}

type secretDelete struct {
	groupFlag
	Name string `arg:"" help:"Name of the secret."`
}

// Run deletes a secret.
func (f *secretDelete) Run(ctx context.Context, s *streams) error {
	if err := f.ask(ctx, http.MethodDelete, "/secrets/"+f.Name, nil, nil); err != nil {
		return err
	}
	fmt.Fprintf(s.out, "Deleted secret %s.\n", f.Name)
	return nil
}

type variableList struct{ groupFlag }

// Run prints variables.
func (f *variableList) Run(ctx context.Context, s *streams) error {
	var page listed
	if err := f.ask(ctx, http.MethodGet, "/variables", nil, &page); err != nil {
		return err
	}
	return f.show(s.out, []column{{"name", "NAME"}, {"value", "VALUE"}, {"updated_at", "CHANGED"}, {"updated_by", "BY"}}, page.Items...)
}

type variableSet struct {
	groupFlag
	Name  string `arg:"" help:"Name, such as REGION."`
	Value string `arg:"" help:"Value."`
}

// Run sets a variable.
func (f *variableSet) Run(ctx context.Context, s *streams) error {
	if err := f.ask(ctx, http.MethodPut, "/variables/"+f.Name, object{"value": f.Value}, nil); err != nil {
		return err
	}
	fmt.Fprintf(s.out, "Variable %s is set.\n", f.Name)
	return nil
}

type variableDelete struct {
	groupFlag
	Name string `arg:"" help:"Name of the variable."`
}

// Run deletes a variable.
func (f *variableDelete) Run(ctx context.Context, s *streams) error {
	if err := f.ask(ctx, http.MethodDelete, "/variables/"+f.Name, nil, nil); err != nil {
		return err
	}
	fmt.Fprintf(s.out, "Deleted variable %s.\n", f.Name)
	return nil
}
