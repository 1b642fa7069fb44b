package protocol

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestInt_ReadsWhatJavaReads(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]Int{
		`7`: 7, `"7"`: 7, `-7`: -7, `7.0`: 7, `"7.0"`: 7, `1e3`: 1000, `null`: 0, `""`: 0,
		`9007199254740993`: 9007199254740993, `"9007199254740993"`: 9007199254740993,
	} {
		var got struct{ N Int }
		require.NoError(t, json.Unmarshal([]byte(`{"N":`+in+`}`), &got), in)
		require.Equal(t, want, got.N, in)
	}
	for _, in := range []string{`"x"`, `1.5`, `true`, `{}`, `[]`, `"`, `99999999999999999999`} {
		var i Int
		require.Error(t, i.UnmarshalJSON([]byte(in)), in)
	}
	out, err := json.Marshal(struct{ N Int }{7})
	require.NoError(t, err)
	require.Equal(t, `{"N":7}`, string(out), "always written as a number")
}

func TestCallback_ResultOfEveryDialect(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		in   string
		code int
		msg  string
	}{
		"A":          {`{"logId":101,"logDateTim":1586629003729,"handleCode":200,"handleMsg":"ok"}`, 200, "ok"},
		"no message": {`{"logId":700,"logDateTim":1586629003729,"handleCode":200}`, 200, ""},
		"escaped":    {`{"logId":1,"handleCode":500,"handleMsg":"ok \u003cb\u003e\u0026\u003d\u0027"}`, 500, "ok <b>&='"},
		"A0":         {`{"logId":1,"logDateTim":0,"executeResult":{"code":500,"msg":"boom"}}`, 500, "boom"},
		"Go client":  {`{"logId":1,"logDateTim":0,"executeResult":{"code":1,"msg":"x"},"handleCode":502,"handleMsg":"late"}`, 502, "late"},
		"nothing":    {`{"logId":1}`, 0, ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var cb Callback
			require.NoError(t, json.Unmarshal([]byte(c.in), &cb))
			code, msg := cb.Result()
			require.Equal(t, c.code, code)
			require.Equal(t, c.msg, msg)
		})
	}
}

func TestEnvelope_PayloadOfBothGenerations(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`{"code":200}`:                                       "",
		`{"code":200,"msg":null,"content":null}`:             "",
		`{"code":200,"content":{"a":1}}`:                     `{"a":1}`,
		`{"code":200,"data":{"b":2},"content":{"a":1}}`:      `{"b":2}`,
		`{"code":"200","data":null,"content":"x","more":[]}`: `"x"`,
	} {
		var e Envelope
		require.NoError(t, json.Unmarshal([]byte(in), &e), in)
		require.EqualValues(t, CodeOK, e.Code)
		require.Equal(t, want, string(e.Payload()), in)
		require.Empty(t, e.Text())
	}
}

func TestTrigger_IsWrittenInJavasOrder(t *testing.T) {
	t.Parallel()
	out, err := json.Marshal(Trigger{
		JobID: 1, ExecutorHandler: "demo", BlockStrategy: BlockSerial, LogID: 101, LogDateTimeMS: 1586629003729,
		GlueType: "BEAN", GlueUpdateMS: 1586629003727, BroadcastTotal: 1,
	})
	require.NoError(t, err)
	require.Equal(t, `{"jobId":1,"executorHandler":"demo","executorParams":"","executorBlockStrategy":"SERIAL_EXECUTION",`+
		`"executorTimeout":0,"logId":101,"logDateTime":1586629003729,"glueType":"BEAN","glueSource":"",`+
		`"glueUpdatetime":1586629003727,"broadcastIndex":0,"broadcastTotal":1}`, string(out))
}
