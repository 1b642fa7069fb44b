package proc

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// findHierarchies reads where the kernel has mounted control groups, and in which of
// each this process is. Nothing is assumed: /sys/fs/cgroup may be one tree, many, or
// missing.
func findHierarchies(mountinfo, own string) ([]hierarchy, error) {
	mounts, err := os.ReadFile(mountinfo)
	if err != nil {
		return nil, fmt.Errorf("find control groups: %w", err)
	}
	memberships, err := os.ReadFile(own)
	if err != nil {
		return nil, fmt.Errorf("find own control group: %w", err)
	}
	paths := ownPaths(string(memberships))
	var found []hierarchy
	for line := range strings.Lines(string(mounts)) {
		m, ok := parseMount(line)
		if !ok {
			continue
		}
		for _, controller := range m.controllers {
			if dir, ok := m.locate(paths[controller]); ok {
				h := hierarchy{version2: controller == "", home: dir}
				if !h.version2 {
					h.controllers = m.controllers
				}
				found = append(found, h)
				break // memory and pids may share one tree
			}
		}
	}
	return found, nil
}

// mount is a mounted tree: root is the group that is seen at point.
type mount struct {
	root, point string
	controllers []string // of version 1 memory and pids; of version 2 the empty name
}

// parseMount reads a line such as
//
//	35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory
func parseMount(line string) (mount, bool) {
	left, right, ok := strings.Cut(strings.TrimSpace(line), " - ")
	place, kind := strings.Fields(left), strings.Fields(right)
	if !ok || len(place) < 6 || len(kind) < 3 {
		return mount{}, false
	}
	m := mount{root: unescape(place[3]), point: unescape(place[4])}
	switch kind[0] {
	case "cgroup2":
		m.controllers = []string{""}
	case "cgroup":
		for option := range strings.SplitSeq(kind[2], ",") {
			if option == "memory" || option == "pids" {
				m.controllers = append(m.controllers, option)
			}
		}
	}
	return m, len(m.controllers) > 0
}

// locate is the directory of the group path, if this mount shows it.
func (m mount) locate(path string) (dir string, ok bool) {
	if path == "" || strings.HasPrefix(path, "/..") {
		return "", false
	}
	rel, err := filepath.Rel(m.root, path)
	if err != nil || rel == ".." || strings.HasPrefix(rel, "../") {
		return "", false
	}
	return filepath.Join(m.point, rel), true
}

// ownPaths reads lines such as "4:memory:/user" by controller; version 2 has none.
func ownPaths(memberships string) map[string]string {
	paths := make(map[string]string)
	for line := range strings.Lines(memberships) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) != 3 {
			continue
		}
		for controller := range strings.SplitSeq(parts[1], ",") {
			paths[controller] = parts[2]
		}
	}
	return paths
}

// unescape undoes mountinfo's octal escapes of white space.
func unescape(path string) string {
	return strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`).Replace(path)
}
