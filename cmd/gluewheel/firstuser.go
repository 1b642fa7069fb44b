package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/gluewheel/gluewheel/admin/store"
)

// firstUser is what standalone knows of the account that a new database gets.
type firstUser struct {
	created  bool   // this start makes it
	password string // empty when we never knew it or it was changed
	file     string // where a password that was made up is kept
}

// findFirstUser brings the schema up to date, so that it can look whether anybody has an
// account, and makes a password up for the first one unless one was given. The password
// stays in a file that only the operator may read: a terminal that scrolled away would
// otherwise lock the operator out.
func findFirstUser(ctx context.Context, dir dataDir, databaseURL, given string) (firstUser, error) {
	db, err := store.Open(store.Config{URL: databaseURL})
	if err != nil {
		return firstUser{}, err
	}
	defer db.Close()
	if err := db.Migrate(ctx); err != nil {
		return firstUser{}, err
	}
	has, err := db.HasUsers(ctx)
	if err != nil {
		return firstUser{}, err
	}
	if has {
		return knownFirstUser(dir)
	}
	if given != "" {
		return firstUser{created: true, password: given}, nil
	}
	password, _, err := secret(dir.passwordFile(), newPassword)
	return firstUser{created: true, password: password, file: dir.passwordFile()}, err
}

// knownFirstUser is one whose account an earlier start made.
func knownFirstUser(dir dataDir) (firstUser, error) {
	_, err := os.Stat(dir.passwordFile())
	if errors.Is(err, fs.ErrNotExist) {
		return firstUser{}, nil
	}
	if err != nil {
		return firstUser{}, fmt.Errorf("look for the first password: %w", err)
	}
	return firstUser{file: dir.passwordFile()}, nil
}

// login tells a person how to get in.
func (u firstUser) login() string {
	switch {
	case u.created && u.file != "":
		return fmt.Sprintf("admin, password %s (kept in %s until you delete it)", u.password, u.file)
	case u.created:
		return "admin, with the password that you gave"
	case u.file != "":
		return fmt.Sprintf("admin, first password in %s", u.file)
	default:
		return "as before"
	}
}
