package main

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// dataDir is where a daemon keeps what outlives it.
type dataDir string

// openDataDir makes the directory. Empty means the default: /var/lib/gluewheel for root,
// else gluewheel below XDG_DATA_HOME, which is ~/.local/share unless set.
func openDataDir(path string) (dataDir, error) {
	if path == "" {
		base, err := dataHome()
		if err != nil {
			return "", err
		}
		path = filepath.Join(base, "gluewheel")
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("find data directory: %w", err)
	}
	mode := os.FileMode(0o700)
	if os.Geteuid() == 0 {
		// The private PostgreSQL of root runs as another user, who has to pass through.
		mode = 0o711
	}
	if err := os.MkdirAll(path, mode); err != nil {
		return "", fmt.Errorf("make data directory (choose another with GLUEWHEEL_DATA_DIR): %w", err)
	}
	return dataDir(path), nil
}

func dataHome() (string, error) {
	if os.Geteuid() == 0 {
		return "/var/lib", nil
	}
	if base := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(base) {
		return base, nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("find data directory: no home directory, so name one with GLUEWHEEL_DATA_DIR: %w", err)
	}
	return filepath.Join(home, ".local", "share"), nil
}

func (d dataDir) postgres() string     { return filepath.Join(string(d), "postgres") }
func (d dataDir) executor() string     { return filepath.Join(string(d), "executor") }
func (d dataDir) moduleCache() string  { return filepath.Join(string(d), "modules") }
func (d dataDir) scripts() string      { return filepath.Join(string(d), "scripts") }
func (d dataDir) samplesFile() string  { return filepath.Join(string(d), "samples-pending") }
func (d dataDir) tokenFile() string    { return filepath.Join(string(d), "executor-token") }
func (d dataDir) sealKeyFile() string  { return filepath.Join(string(d), "seal-key") }
func (d dataDir) passwordFile() string { return filepath.Join(string(d), "first-password") }

// markSamples notes that the sample jobs are to be made, until unmarkSamples: a first
// start that is cut off goes on at the next.
func (d dataDir) markSamples() error {
	if err := os.WriteFile(d.samplesFile(), nil, 0o600); err != nil {
		return fmt.Errorf("note the samples to make: %w", err)
	}
	return nil
}

func (d dataDir) samplesMarked() bool {
	_, err := os.Stat(d.samplesFile())
	return err == nil
}

func (d dataDir) unmarkSamples() error { return os.Remove(d.samplesFile()) }

// secret returns the secret in a file that only we may read, making it up at first use.
func secret(path string, makeUp func() string) (value string, isNew bool, err error) {
	text, err := os.ReadFile(path)
	if value := strings.TrimSpace(string(text)); err == nil && value != "" {
		return value, false, nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", false, fmt.Errorf("read secret: %w", err)
	}
	value = makeUp()
	// Whole or not at all: half a secret would lock everybody out.
	draft := path + ".new"
	if err := os.WriteFile(draft, []byte(value+"\n"), 0o600); err != nil {
		return "", false, fmt.Errorf("write secret: %w", err)
	}
	if err := os.Rename(draft, path); err != nil {
		return "", false, fmt.Errorf("write secret: %w", err)
	}
	return value, true, nil
}

// newToken is for machines: 26 characters, 130 bits.
func newToken() string { return rand.Text() }

// newPassword is for people who type it once: 80 bits in groups of four.
func newPassword() string {
	text := strings.ToLower(rand.Text())
	return strings.Join([]string{text[:4], text[4:8], text[8:12], text[12:16]}, "-")
}
