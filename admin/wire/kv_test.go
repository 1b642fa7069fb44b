package wire_test

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/job"
)

// OpenRun knows run 7 with epoch 3 only.
func (f *fakes) OpenRun(_ context.Context, h job.Hold) (job.RunPlace, error) {
	if h != (job.Hold{RunID: 7, Epoch: 3}) {
		return job.RunPlace{}, job.ErrNotFound
	}
	return job.RunPlace{JobID: 1, GroupID: 2, Address: "http://e:1"}, f.err
}

// keys is a store of job 1 that holds one key at most.
type keys map[string][]byte

func (f *fakes) store() keys { return keys{} }

func (k keys) KVGet(_ context.Context, _ int32, key string) ([]byte, bool, error) {
	value, found := k[key]
	return value, found, nil
}

func (k keys) KVSet(_ context.Context, jobID int32, key string, value []byte) error {
	switch {
	case jobID != 1:
		return errors.New("not the run's job")
	case len(k) > 0 && k[key] == nil:
		return job.ErrKVFull
	}
	k[key] = value
	return nil
}

func (k keys) KVDelete(_ context.Context, _ int32, key string) (bool, error) {
	_, found := k[key]
	delete(k, key)
	return found, nil
}

func (k keys) KVKeys(context.Context, int32, string) ([]string, error) {
	return slices.Collect(maps.Keys(k)), nil
}

func TestKV(t *testing.T) {
	t.Parallel()
	b := setup(t, "tok")
	for _, c := range []struct {
		body   string
		status int
		want   string
	}{
		{`{"run_id":7,"epoch":3,"op":"get","key":"a"}`, 200, `{"found":false}`},
		{`{"run_id":7,"epoch":3,"op":"set","key":"a","value":"AP8="}`, 200, `{"found":false}`},
		{`{"run_id":7,"epoch":3,"op":"get","key":"a"}`, 200, `{"found":true,"value":"AP8="}`},
		{`{"run_id":7,"epoch":3,"op":"list","key":""}`, 200, `{"found":false,"keys":["a"]}`},
		{`{"run_id":7,"epoch":3,"op":"set","key":"b"}`, 422, "it holds 1000 keys at most"},
		{`{"run_id":7,"epoch":3,"op":"delete","key":"a"}`, 200, `{"found":true}`},
		{`{"run_id":7,"epoch":3,"op":"get","key":""}`, 422, "a key has 1 to 200 bytes"},
		{`{"run_id":7,"epoch":3,"op":"set","key":"a","value":"` + strings.Repeat("AAAA", 22000) + `"}`, 422, "65536 are allowed"},
		{`{"run_id":7,"epoch":3,"op":"drop","key":"a"}`, 422, `no operation "drop"`},
		{`{"run_id":7,"epoch":4,"op":"get","key":"a"}`, 404, "no such open run"},
		{`{"op":"get","key":"a"}`, 404, "no such open run"},
		{`{`, 400, "not as it should be"},
	} {
		status, text := b.call(t, http.MethodPost, "/gw/kv", c.body, "XXL-JOB-APPNAME", "app")
		require.Equal(t, c.status, status, c.body[:min(len(c.body), 80)]+text)
		require.Contains(t, text, c.want)
	}
}

func TestKV_OnlyForTheExecutorOfTheRun(t *testing.T) {
	t.Parallel()
	const body = `{"run_id":7,"epoch":3,"op":"list","key":""}`
	for name, c := range map[string]struct {
		headers []string
		status  int
	}{
		"another app":   {[]string{"XXL-JOB-APPNAME", "other"}, 404},
		"no app":        {nil, 404},
		"a wrong token": {[]string{"XXL-JOB-APPNAME", "app", "XXL-JOB-ACCESS-TOKEN", "x"}, 401},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			status, _ := setup(t, "tok").call(t, http.MethodPost, "/gw/kv", body, c.headers...)
			require.Equal(t, c.status, status)
		})
	}
}
