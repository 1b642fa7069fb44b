package bundle

import (
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/job"
)

// ofTheServer are the fields of a job that a bundle does not carry: they are of one
// server, or written in another way, as children and code are.
var ofTheServer = []string{
	"ID", "GroupID", "Bucket", "GlueVersion", "ChildJobIDs", "Enabled", "LastFire", "NextFire", "Version", "CreatedAt", "UpdatedAt",
}

// TestJob_CarriesEveryField: a new field of a job must not get lost between servers.
func TestJob_CarriesEveryField(t *testing.T) {
	t.Parallel()
	var j job.Job
	v := reflect.ValueOf(&j).Elem()
	for i := range v.NumField() {
		set(t, v.Type().Field(i).Name, v.Field(i), i+1)
	}
	out := jobOf(j, map[int32]string{})
	var back job.Job
	out.fill(&back)
	require.Equal(t, j.Enabled, out.Enabled)
	require.Equal(t, without(j), without(back))
}

// set gives a field a value of its own.
func set(t *testing.T, name string, field reflect.Value, n int) {
	t.Helper()
	switch field.Interface().(type) {
	case *time.Time:
		field.Set(reflect.ValueOf(new(time.Unix(int64(n), 0).UTC())))
		return
	case time.Time:
		return
	case []string:
		field.Set(reflect.ValueOf([]string{name}))
		return
	case []int32:
		field.Set(reflect.ValueOf([]int32{int32(n)}))
		return
	}
	switch field.Kind() {
	case reflect.String:
		field.SetString(fmt.Sprint(name, n))
	case reflect.Bool:
		field.SetBool(true)
	case reflect.Int32, reflect.Int64:
		field.SetInt(int64(n))
	default:
		require.Fail(t, "teach this test", "a field %s of kind %s", name, field.Kind())
	}
}

func without(j job.Job) job.Job {
	v := reflect.ValueOf(&j).Elem()
	for _, name := range ofTheServer {
		v.FieldByName(name).SetZero()
	}
	return j
}
