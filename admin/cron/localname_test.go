package cron

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLocalName(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		tz   *string
		link string
		want string
	}{
		{nil, "/usr/share/zoneinfo/Europe/Berlin", "Europe/Berlin"},
		{nil, "../usr/share/zoneinfo/Asia/Shanghai", "Asia/Shanghai"},
		{nil, "/var/db/timezone/zoneinfo/America/Argentina/Ushuaia", "America/Argentina/Ushuaia"},
		{nil, "/usr/share/zoneinfo/posix/Asia/Tokyo", "Asia/Tokyo"},
		{nil, "/usr/share/zoneinfo/Mars/Olympus", ""},
		{nil, "/usr/share/zoneinfo/", ""},
		{nil, "", ""},
		{new("Asia/Shanghai"), "/usr/share/zoneinfo/Europe/Berlin", "Asia/Shanghai"},
		{new(":Asia/Shanghai"), "", "Asia/Shanghai"},
		{new(":/usr/share/zoneinfo/Asia/Shanghai"), "", "Asia/Shanghai"},
		{new("/etc/my-zone"), "/usr/share/zoneinfo/Europe/Berlin", ""},
		{new(""), "/usr/share/zoneinfo/Europe/Berlin", "UTC"},
		{new("CET-1CEST"), "/usr/share/zoneinfo/Europe/Berlin", "UTC"},
		{new("Local"), "", "UTC"},
	} {
		name, ok := LocalName(c.tz, c.link)
		require.Equal(t, c.want != "", ok, "%+v", c)
		if ok {
			require.Equal(t, c.want, name, "%+v", c)
		}
	}
}
