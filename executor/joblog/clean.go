package joblog

import (
	"io/fs"
	"slices"
	"strings"
	"time"
)

// logFile is any file of ours.
type logFile struct {
	name  string
	hour  time.Time
	bytes int64
}

// clean removes what is too old, and then the oldest until the rest fits. The hour that
// is being written always stays.
func (s *Store) clean(now time.Time) {
	files, err := s.files()
	if err != nil {
		s.log.Warn("old job logs cannot be listed", "error", err)
		return
	}
	var total int64
	for _, f := range files {
		total += f.bytes
	}
	var oldest time.Time // hours before it leave
	if s.cfg.RetentionDays > 0 {
		oldest = now.UTC().AddDate(0, 0, -s.cfg.RetentionDays).Truncate(time.Hour)
	}
	present := now.UTC().Truncate(time.Hour)
	for _, f := range files {
		if !f.hour.Before(oldest) && (total <= s.cfg.MaxBytes || !f.hour.Before(present)) {
			continue
		}
		total -= f.bytes
		s.remove(f.name)
	}
}

// files lists everything, oldest first.
func (s *Store) files() ([]logFile, error) {
	entries, err := fs.ReadDir(s.root.FS(), ".")
	if err != nil {
		return nil, err
	}
	var files []logFile
	for _, e := range entries {
		hour, ok := hourOfFile(e.Name())
		info, err := e.Info()
		if ok && err == nil {
			files = append(files, logFile{name: e.Name(), hour: hour, bytes: info.Size()})
		}
	}
	slices.SortStableFunc(files, func(a, b logFile) int { return a.hour.Compare(b.hour) })
	return files, nil
}

func (s *Store) remove(name string) {
	if id, ok := parseSegment(name); ok {
		s.mu.Lock()
		current := s.segment != nil && s.segment.id == id
		s.sealed = slices.DeleteFunc(s.sealed, func(other segmentID) bool { return other == id })
		s.mu.Unlock()
		if current {
			return
		}
	}
	if err := s.root.Remove(name); err != nil {
		s.log.Warn("old job log cannot be removed", "file", strings.TrimSpace(name), "error", err)
	}
}
