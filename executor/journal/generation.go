package journal

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	filePrefix = "journal-"
	tempSuffix = ".tmp"
)

// file is what a generation needs of a file; tests put a full disk behind it.
type file interface {
	io.WriteCloser
	Sync() error
	Truncate(size int64) error
}

// generation is the file being written. Its zero value is none: the next write begins one.
type generation struct {
	number  int64 // of the newest file on disk
	file    file
	size    int64 // durable bytes
	limit   int64 // size at which the next generation begins
	failing bool
	create  func(path string) (file, error) // nil: on disk
}

func (g *generation) open(path string) (file, error) {
	if g.create != nil {
		return g.create(path)
	}
	return os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
}

// append makes buf durable, or leaves the file as it was as far as the disk lets it.
func (g *generation) append(buf []byte) error {
	err := writeAndSync(g.file, buf)
	if err == nil {
		g.size += int64(len(buf))
		return nil
	}
	// A refused trigger must not come back to life after a crash.
	return errors.Join(err, g.file.Truncate(g.size), g.file.Sync())
}

func writeAndSync(f file, buf []byte) error {
	if _, err := f.Write(buf); err != nil {
		return err
	}
	return f.Sync()
}

// abandon leaves the file: after a failed sync nobody knows what it holds, and the next
// generation is written from memory.
func (g *generation) abandon() {
	if g.file != nil {
		_ = g.file.Close() // its failure adds nothing to the one that led here
		g.file = nil
	}
}

func (g *generation) close() error {
	if g.file == nil {
		return nil
	}
	err := g.file.Close()
	g.file = nil
	return err
}

// ensureGeneration begins the next generation where there is none or it has grown too far.
func (j *Journal) ensureGeneration() error {
	if j.gen.file != nil && j.gen.size < j.gen.limit {
		return nil
	}
	j.mu.Lock()
	snapshot, err := j.state.appendSnapshot(nil, time.Now())
	j.mu.Unlock()
	if err != nil {
		return err
	}
	return j.beginGeneration(snapshot)
}

// beginGeneration writes the snapshot beside the old file and swaps them once it is durable.
func (j *Journal) beginGeneration(snapshot []byte) error {
	path := j.path(j.gen.number + 1)
	f, err := j.gen.open(path + tempSuffix)
	if err != nil {
		return fmt.Errorf("begin journal generation: %w", err)
	}
	err = writeAndSync(f, snapshot)
	if err == nil {
		err = os.Rename(path+tempSuffix, path)
	}
	if err == nil {
		err = syncDir(j.cfg.Dir)
	}
	if err != nil {
		return fmt.Errorf("write journal snapshot: %w", errors.Join(err, f.Close()))
	}
	old := j.gen.number
	j.gen.abandon()
	j.gen.number, j.gen.file, j.gen.size = old+1, f, int64(len(snapshot))
	j.gen.limit = max(j.cfg.GenerationBytes, 2*j.gen.size)
	if err := os.Remove(j.path(old)); err != nil && !errors.Is(err, os.ErrNotExist) {
		j.log.Warn("old journal generation stays behind", "error", err)
	}
	return nil
}

func (j *Journal) path(number int64) string {
	return filepath.Join(j.cfg.Dir, fmt.Sprintf("%s%016x", filePrefix, number))
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// replay rebuilds the state from the newest generation and removes all others.
func (j *Journal) replay() error {
	numbers, err := j.generations()
	if err != nil || len(numbers) == 0 {
		return err
	}
	j.gen.number = numbers[len(numbers)-1]
	for _, n := range numbers[:len(numbers)-1] {
		if err := os.Remove(j.path(n)); err != nil {
			return fmt.Errorf("remove old journal generation: %w", err)
		}
	}
	return j.replayFile(j.path(j.gen.number))
}

// generations lists the numbers of complete files, ascending.
func (j *Journal) generations() ([]int64, error) {
	names, err := filepath.Glob(filepath.Join(j.cfg.Dir, filePrefix+"*"))
	if err != nil {
		return nil, fmt.Errorf("list journal: %w", err)
	}
	var numbers []int64
	for _, name := range names {
		n, err := strconv.ParseInt(strings.TrimPrefix(filepath.Base(name), filePrefix), 16, 64)
		if err == nil {
			numbers = append(numbers, n)
		}
	}
	slices.SortFunc(numbers, cmp.Compare)
	return numbers, nil
}

func (j *Journal) replayFile(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("open journal: %w", err)
	}
	defer f.Close()
	r := bufio.NewReaderSize(f, 1<<20)
	for records := 0; ; records++ {
		kind, body, err := readRecord(r)
		if err == nil {
			err = j.state.apply(kind, body)
		}
		switch {
		case err == nil:
		case errors.Is(err, io.EOF):
			return nil
		case errors.Is(err, errTorn):
			j.log.Warn("journal has a torn tail, which was never acknowledged", "path", path, "records", records)
			return nil
		default:
			return fmt.Errorf("replay journal %s, record %d: %w", path, records, err)
		}
	}
}
