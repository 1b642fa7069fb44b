package script

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
)

// files are the script files of all jobs.
type files struct {
	dir string

	// mu keeps apart the writing of a file and the removal of a job's others.
	mu sync.Mutex
}

// put makes sure that the version's file has that content, and removes the job's older
// files. A file appears whole or not at all.
func (f *files) put(jobID int32, version int64, suffix string, code []byte) (string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	path := filepath.Join(f.dir, fmt.Sprintf("%d_%d%s", jobID, version, suffix))
	if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, code) {
		return path, nil
	}
	if err := f.write(path, code); err != nil {
		return "", fmt.Errorf("write script %s: %w", path, err)
	}
	return path, f.removeOthers(jobID, path)
}

func (f *files) write(path string, code []byte) (err error) {
	temp, err := os.CreateTemp(f.dir, "new-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(temp.Name())
		}
	}()
	_, err = temp.Write(code)
	if err = errors.Join(err, temp.Chmod(0o700), temp.Close()); err != nil {
		return err
	}
	return os.Rename(temp.Name(), path)
}

// removeOthers removes a job's files but one. A run in progress keeps its open file;
// interpreters that read on by name are not known.
func (f *files) removeOthers(jobID int32, keep string) error {
	paths, err := filepath.Glob(filepath.Join(escape(f.dir), fmt.Sprintf("%d_*", jobID)))
	if err != nil {
		return fmt.Errorf("find old scripts: %w", err)
	}
	for _, path := range paths {
		if path == keep {
			continue
		}
		if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("remove old script: %w", err)
		}
	}
	return nil
}

// escape makes a path safe inside a pattern.
func escape(path string) string {
	var b bytes.Buffer
	for _, r := range path {
		if r == '*' || r == '?' || r == '[' || r == '\\' {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}
