package proc

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFindHierarchies(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		mounts, own string
		want        []hierarchy
	}{
		"version 2 alone": {
			"29 23 0:26 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n",
			"0::/system.slice/gluewheel.service\n",
			[]hierarchy{{version2: true, home: "/sys/fs/cgroup/system.slice/gluewheel.service"}},
		},
		"both": {
			"35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n" +
				"39 31 0:36 / /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids\n" +
				"36 31 0:33 / /sys/fs/cgroup/devices rw - cgroup cgroup rw,devices\n" +
				"41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n",
			"8:pids:/\n5:devices:/\n4:memory:/api/x\n0::/\n",
			[]hierarchy{
				{home: "/sys/fs/cgroup/memory/api/x", controllers: []string{"memory"}},
				{home: "/sys/fs/cgroup/pids", controllers: []string{"pids"}},
				{version2: true, home: "/sys/fs/cgroup/unified"},
			},
		},
		"version 1 with two controllers in one tree": {
			"35 31 0:32 / /cg rw - cgroup cgroup rw,pids,memory\n",
			"4:pids,memory:/a\n",
			[]hierarchy{{home: "/cg/a", controllers: []string{"pids", "memory"}}},
		},
		"a container sees its own part": {
			"35 31 0:32 /docker/1 /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n",
			"0::/docker/1/init\n",
			[]hierarchy{{version2: true, home: "/sys/fs/cgroup/init"}},
		},
		"a group outside the part that is seen": {
			"35 31 0:32 /docker/1 /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n", "0::/docker/2\n", nil,
		},
		"a group outside the namespace": {
			"35 31 0:32 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n", "0::/../other\n", nil,
		},
		"a path with a blank": {
			"35 31 0:32 / /sys/fs/c\\040g rw - cgroup2 cgroup2 rw\n", "0::/\n",
			[]hierarchy{{version2: true, home: "/sys/fs/c g"}},
		},
		"none":     {"22 1 0:20 / / rw - ext4 /dev/sda1 rw\n", "", nil},
		"nonsense": {"a b\n - \n", "x\n", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			mounts, own := filepath.Join(dir, "mountinfo"), filepath.Join(dir, "cgroup")
			require.NoError(t, os.WriteFile(mounts, []byte(c.mounts), 0o600))
			require.NoError(t, os.WriteFile(own, []byte(c.own), 0o600))
			found, err := findHierarchies(mounts, own)
			require.NoError(t, err)
			if len(c.want) == 0 {
				require.Empty(t, found)
				return
			}
			require.Equal(t, c.want, found)
		})
	}
}
