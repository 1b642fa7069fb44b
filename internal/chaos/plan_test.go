package chaos

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestMakePlan_SameSeedSamePlan(t *testing.T) {
	t.Parallel()
	faults := []string{"a", "b", "c"}
	plan := MakePlan(7, faults, time.Hour)
	require.Equal(t, plan, MakePlan(7, faults, time.Hour))
	require.NotEqual(t, plan, MakePlan(8, faults, time.Hour))
	var spent time.Duration
	for _, s := range plan {
		spent += s.Calm + s.Hold
	}
	require.LessOrEqual(t, spent, time.Hour)
	require.ElementsMatch(t, faults, []string{plan[0].Fault, plan[1].Fault, plan[2].Fault}, "each once before any again")
	require.Empty(t, MakePlan(7, nil, time.Hour))
	require.Empty(t, WithoutTurn(faults, plan))
	require.Equal(t, []string{"d"}, WithoutTurn([]string{"a", "d"}, plan))
}

func TestChoose(t *testing.T) {
	t.Parallel()
	all := []string{"admin-kill", "db:cut", "db:stall", "run:cut"}
	for list, want := range map[string][]string{
		"":                    all,
		"db:*":                {"db:cut", "db:stall"},
		"run:cut, admin-kill": {"run:cut", "admin-kill"},
		"*:cut,db:*":          {"db:cut", "run:cut", "db:stall"},
	} {
		got, err := Choose(all, list)
		require.NoError(t, err)
		require.Equal(t, want, got, list)
	}
	for _, list := range []string{"nothing", "db:*,", "[", "db:cut,db:cut"} {
		_, err := Choose(all, list)
		require.Error(t, err, list)
	}
}
