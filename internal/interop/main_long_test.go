//go:build long

package interop

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// work holds what the package builds: the program under test and the Java executors.
var work string

func binary() string { return filepath.Join(work, "gluewheel") }

func TestMain(m *testing.M) {
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "gluewheel-interop-")
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer os.RemoveAll(dir)
		work = dir
		build := exec.Command("go", "build", "-o", binary(), "github.com/gluewheel/gluewheel/cmd/gluewheel")
		build.Stdout, build.Stderr = os.Stderr, os.Stderr
		if err := build.Run(); err != nil {
			fmt.Fprintln(os.Stderr, "build gluewheel:", err)
			return 1
		}
		defer tellPeers()
		return m.Run()
	}())
}

// tellPeers says which of the peers took part, for those who read only the end.
func tellPeers() {
	var ran, missing []string
	for _, b := range builds {
		switch {
		case b.jar != "":
			ran = append(ran, b.version)
		case b.absent != "":
			missing = append(missing, b.version+" ("+b.absent+")")
		}
	}
	fmt.Printf("interop: %d Java peers ran: %s\n", len(ran), strings.Join(ran, ", "))
	if len(missing) > 0 {
		fmt.Printf("interop: %d JAVA PEERS WERE NOT RUN: %s\n", len(missing), strings.Join(missing, ", "))
	}
}
