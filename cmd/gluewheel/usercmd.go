package main

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

type userCreate struct {
	remote
	trialFlag
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
	if err := cl.call(ctx, http.MethodPost, nounOf[userNoun]().path+c.query(), in, &made); err != nil {
		return err
	}
	if c.JSON {
		return printJSON(s.out, made)
	}
	c.done(s.out, fmt.Sprintf("Created user %s.", c.Name), fmt.Sprintf("The user %s could be created.", c.Name))
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
		found, err := nounOf[groupNoun]().findID(ctx, c, group)
		if err != nil {
			return nil, fmt.Errorf("grant: %w", err)
		}
		id, err := strconv.Atoi(found)
		if err != nil {
			return nil, fmt.Errorf("grant: %w", err)
		}
		grants = append(grants, object{"group_id": id, "role": role})
	}
	return grants, nil
}
