package job_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/job"
)

func TestValidateSecret(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, key, value     string
		asSecret, asVariable []string
	}{
		{"valid", "API_KEY", "s3cret", nil, nil},
		{"largest", strings.Repeat("A", 64), strings.Repeat("x", job.MaxSecretValue), nil, nil},
		{"smallest", "_", "abcd", nil, nil},
		{"lines", "pem", "-----BEGIN-----\n…\n", nil, nil},
		{"too short to be hidden", "A", "abc", []string{"value"}, nil},
		{"empty", "A", "", []string{"value"}, nil},
		{"too large", "A", strings.Repeat("x", job.MaxSecretValue+1), []string{"value"}, []string{"value"}},
		{"NUL", "A", "abc\x00d", []string{"value"}, []string{"value"}},
		{"not UTF-8", "A", "abc\xff", []string{"value"}, []string{"value"}},
		{"no name", "", "s3cret", []string{"path.name"}, []string{"path.name"}},
		{"a long name", strings.Repeat("A", 65), "s3cret", []string{"path.name"}, []string{"path.name"}},
		{"a digit first", "1A", "s3cret", []string{"path.name"}, []string{"path.name"}},
		{"a hyphen", "API-KEY", "s3cret", []string{"path.name"}, []string{"path.name"}},
		{"a line after the name", "A\n", "s3cret", []string{"path.name"}, []string{"path.name"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.asSecret, wrongFields(t, job.ValidateSecret(c.key, c.value)))
			require.Equal(t, c.asVariable, wrongFields(t, job.ValidateVariable(c.key, c.value)))
		})
	}
}

func TestValidateJob_NamesTheLimitsOfConcurrency(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		max   int32
		route job.RouteStrategy
		want  string
	}{
		{0, job.RouteFirst, ""},
		{job.MaxConcurrent, job.RouteFirst, ""},
		{0, job.RouteBroadcast, ""},
		{-1, job.RouteFirst, "-1 is out of range. Use 0 to 10000."},
		{job.MaxConcurrent + 1, job.RouteFirst, "10001 is out of range. Use 0 to 10000."},
		{1, job.RouteBroadcast, "A broadcast runs on all executors at once. Use 0, or another route strategy."},
	} {
		j := validJob()
		j.MaxConcurrent, j.RouteStrategy = c.max, c.route
		list := job.ValidateJob(j, anySchedule)
		if c.want == "" {
			require.Empty(t, list)
			continue
		}
		require.Equal(t, []*job.FieldError{{Field: "max_concurrent", Message: c.want}}, list)
	}
}
