package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/gluewheel/gluewheel/admin/audit"
	"github.com/gluewheel/gluewheel/admin/auth"
	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/admin/store"
)

// userCmd manages accounts. For operators who cannot log in any more, reset-password goes
// straight to the database.
type userCmd struct {
	List   listCmd[userNoun]   `cmd:"" help:"List accounts."`
	Show   showCmd[userNoun]   `cmd:"" help:"Show an account."`
	Create userCreate          `cmd:"" help:"Create an account, its password from stdin."`
	Edit   editCmd[userNoun]   `cmd:"" help:"Change an account: -s role=auditor -s disabled=true."`
	Delete deleteCmd[userNoun] `cmd:"" help:"Delete an account."`

	ResetPassword resetPasswordCmd `cmd:"" help:"Give a user another password, straight in the database."`
}

type resetPasswordCmd struct {
	databaseFlag
	Name  string `arg:"" help:"User name."`
	Stdin bool   `help:"Read the new password from standard input; made up by default."`
}

// maxPasswordInput bounds what is read from standard input.
const maxPasswordInput = 4096

// Run sets the password, which ends the user's sessions, and prints one that was made up.
func (c *resetPasswordCmd) Run(ctx context.Context, s *streams) error {
	password, err := c.password(s.in)
	if err != nil {
		return err
	}
	db, err := store.Open(store.Config{URL: c.DatabaseURL})
	if err != nil {
		return err
	}
	defer db.Close()
	accounts, err := auth.New(ctx, db)
	if err != nil {
		return err
	}
	u, err := db.UserByName(ctx, c.Name)
	if errors.Is(err, job.ErrNotFound) {
		return fmt.Errorf("there is no user %q", c.Name)
	}
	if err != nil {
		return err
	}
	hash, err := accounts.Hash(ctx, password)
	if err != nil {
		return err
	}
	ctx = audit.With(ctx, job.AuditEntry{Actor: "command line", ActorKind: job.ActorSystem, Action: "resetPassword"})
	if err := db.SetPassword(ctx, u.ID, hash, nil); err != nil {
		return err
	}
	return c.tell(s.out, u, password)
}

func (c *resetPasswordCmd) password(in io.Reader) (string, error) {
	if !c.Stdin {
		return rand.Text(), nil
	}
	text, err := io.ReadAll(io.LimitReader(in, maxPasswordInput))
	if err != nil {
		return "", fmt.Errorf("read password: %w", err)
	}
	return strings.TrimRight(string(text), "\r\n"), nil
}

func (c *resetPasswordCmd) tell(out io.Writer, u job.User, password string) error {
	text := fmt.Sprintf("%s has another password and is logged out everywhere.\n", u.Username)
	if !c.Stdin {
		text = fmt.Sprintf("The new password of %s is %s\nChange it after the next login.\n", u.Username, password)
	}
	if u.Disabled {
		text += "The account is disabled; an admin has to enable it.\n"
	}
	_, err := io.WriteString(out, text)
	return err
}
