package cron

import (
	"path"
	"strings"
	"time"
)

// zoneInfo is the directory of zone files, wherever a system keeps it.
const zoneInfo = "/zoneinfo/"

// LocalName is the IANA name of the zone that Go calls Local, and knows the rules but
// not the name of. tz is the environment's TZ, nil when it is not set, and link what
// /etc/localtime points at, empty when it is no link. ok is false when they do not tell:
// /etc/localtime is a copy of a zone, or TZ a file elsewhere.
func LocalName(tz *string, link string) (name string, ok bool) {
	if tz == nil {
		return fileZone(link)
	}
	// What package time does: a leading colon means nothing, an absolute path is a file,
	// and all that it cannot load is UTC.
	switch name := strings.TrimPrefix(*tz, ":"); {
	case strings.HasPrefix(name, "/"):
		return fileZone(name)
	case known(name):
		return name, true
	default:
		return "UTC", true
	}
}

// fileZone is the name of a zone by its file's place. The sets posix and right hold the
// same zones again.
func fileZone(file string) (name string, ok bool) {
	_, name, found := strings.Cut(path.Clean("/"+file), zoneInfo)
	name = strings.TrimPrefix(strings.TrimPrefix(name, "posix/"), "right/")
	return name, found && known(name)
}

func known(name string) bool {
	_, err := time.LoadLocation(name)
	return err == nil && name != "" && name != "Local"
}
