package main

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

var users = noun{
	path: "/users", edit: "UserEdit", name: "username", word: "user",
	columns: []column{{"id", "ID"}, {"username", "NAME"}, {"role", "ROLE"}, {"grants", "GRANTS"}, {"disabled", "DISABLED"}, {"last_login_at", "LAST LOGIN"}},
}

type userList struct{ listFlags }

// Run prints accounts.
func (c *userList) Run(ctx context.Context, s *streams) error { return c.list(ctx, s, users) }

type userShow struct{ oneFlags }

// Run prints an account.
func (c *userShow) Run(ctx context.Context, s *streams) error { return c.print(ctx, s, users) }

type userEdit struct{ editFlags }

// Run changes an account.
func (c *userEdit) Run(ctx context.Context, s *streams) error { return c.change(ctx, s, users) }

type userDelete struct{ deleteFlags }

// Run deletes an account.
func (c *userDelete) Run(ctx context.Context, s *streams) error { return c.remove(ctx, s, users) }

type userCreate struct {
	remote
	Name         string   `arg:"" help:"User name."`
	Role         string   `enum:"admin,auditor,user" default:"user" help:"admin, auditor or user; a user may do what the grants say (${default})."`
	PasswordFile string   `placeholder:"FILE" default:"-" help:"File with the password, - for stdin (${default})."`
	Grant        []string `sep:"none" placeholder:"GROUP=ROLE" help:"Role in a group, by its id or app name: viewer, operator, editor, publisher or group_admin."`
}

// Run creates an account; the password stands in no history.
func (c *userCreate) Run(ctx context.Context, s *streams) error {
	password, err := readSecretFile(c.PasswordFile, s.in)
	if err != nil {
		return fmt.Errorf("password-file: %w", err)
	}
	cl, err := c.client()
	if err != nil {
		return err
	}
	defer cl.close()
	grants, err := grantsOf(ctx, cl, c.Grant)
	if err != nil {
		return err
	}
	in := object{"username": c.Name, "password": password, "role": c.Role, "grants": grants}
	var made object
	if err := cl.call(ctx, http.MethodPost, users.path, in, &made); err != nil {
		return err
	}
	if c.JSON {
		return printJSON(s.out, made)
	}
	fmt.Fprintf(s.out, "Created user %s.\n", c.Name)
	return nil
}

// grantsOf reads GROUP=ROLE texts.
func grantsOf(ctx context.Context, c *client, texts []string) ([]object, error) {
	grants := []object{}
	for _, text := range texts {
		group, role, ok := strings.Cut(text, "=")
		if !ok {
			return nil, fmt.Errorf("grant: %q is not GROUP=ROLE", text)
		}
		path, err := groups.find(ctx, c, group)
		if err != nil {
			return nil, fmt.Errorf("grant: %w", err)
		}
		id, err := strconv.Atoi(strings.TrimPrefix(path, groups.path+"/"))
		if err != nil {
			return nil, fmt.Errorf("grant: %w", err)
		}
		grants = append(grants, object{"group_id": id, "role": role})
	}
	return grants, nil
}
