package bundle

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/glue"
)

func withModule(m Module) Bundle {
	return Bundle{Format: Format, Groups: []Group{{AppName: "a", Jobs: []Job{{Name: "n", Code: &Code{Artifact: "x", Module: m}}}}}}
}

func moduleOf(t *testing.T, text []byte) Module {
	t.Helper()
	read, err := Decode(text)
	require.NoError(t, err)
	return read.Groups[0].Jobs[0].Code.Module
}

func TestModule_ComesBackFromItsText(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for _, size := range []int{1, 56, 57, 58, 1000, 1 << 20} {
		module := make(Module, size)
		for i := range module {
			module[i] = byte(random.Uint32())
		}
		text, err := Encode(withModule(module))
		require.NoError(t, err)
		require.Less(t, len(text), 2*size+1000, "base64, and not a list of numbers")
		require.Equal(t, module, moduleOf(t, text))
		crlf := bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n"))
		require.Equal(t, module, moduleOf(t, crlf), "saved by an editor of another system")
	}
}

func TestModule_WhatIsNone(t *testing.T) {
	t.Parallel()
	frame := func(module string) []byte {
		return []byte("gluewheel: 1\ngroups:\n  - app_name: a\n    jobs:\n      - name: n\n        code:\n          module: " + module + "\n")
	}
	require.Equal(t, Module{0, 97, 255}, moduleOf(t, frame("[0, 97, 255]")), "as bundles of before have it")
	for _, wrong := range []string{"'no base64!'", "AAA", "[300]", "[-1]", "[a]", "{a: 1}"} {
		_, err := Decode(frame(wrong))
		require.ErrorContains(t, err, "line", wrong)
	}
}

func TestCheckSize(t *testing.T) {
	t.Parallel()
	var large *TooLargeError
	require.NoError(t, CheckSize(bytes.Repeat([]byte("a"), MaxText)))
	require.ErrorAs(t, CheckSize(bytes.Repeat([]byte("a"), MaxText+1)), &large)
	require.NoError(t, CheckSize([]byte(strings.Repeat("\n", maxItems))))
	require.ErrorAs(t, CheckSize([]byte(strings.Repeat("[", maxItems+1))), &large)
	_, err := Decode([]byte(strings.Repeat("-\n", maxItems+1)))
	require.ErrorAs(t, err, &large)
	_, err = Encode(Bundle{Groups: []Group{{Title: strings.Repeat(",", maxItems+1)}}})
	require.ErrorAs(t, err, &large, "what cannot be read is not written")
}

// hoard has one group of jobs with modules of the largest size.
type hoard struct {
	Reader
	jobs, read int
}

func (h *hoard) GroupsByID(context.Context, []int32) ([]job.Group, error) {
	return []job.Group{{ID: 1, AppName: "a"}}, nil
}

func (h *hoard) JobsOfGroups(context.Context, []int32) (jobs []job.Job, err error) {
	for i := range h.jobs {
		jobs = append(jobs, job.Job{ID: int32(i), GroupID: 1, Name: fmt.Sprint(i), GlueVersion: 1})
	}
	return jobs, nil
}

func (h *hoard) Version(context.Context, int32, int32) (glue.Version, error) {
	digest := "sha256:x"
	return glue.Version{Artifact: &digest}, nil
}

func (h *hoard) ArtifactContent(context.Context, string) ([]byte, error) {
	h.read++
	return make([]byte, glue.MaxArtifact), nil
}

func TestExport_StopsAtWhatCanBeRead(t *testing.T) {
	t.Parallel()
	few, many := &hoard{jobs: 2}, &hoard{jobs: 1000}
	_, err := Export(t.Context(), few, []int32{1})
	require.NoError(t, err)
	_, err = Export(t.Context(), many, []int32{1})
	var large *TooLargeError
	require.ErrorAs(t, err, &large)
	require.Equal(t, 3, many.read, "no more was read into memory than a bundle holds")
}
