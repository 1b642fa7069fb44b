package frame_test

import (
	"bytes"
	"encoding/binary"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/runtime/frame"
)

func TestConn_RoundTrip(t *testing.T) {
	t.Parallel()
	var wire bytes.Buffer
	conn := frame.New(&wire, frame.MaxToWorker)
	large := bytes.Repeat([]byte("x"), 200_000)
	require.NoError(t, conn.Write(frame.Cancel, nil))
	require.NoError(t, conn.Write(frame.Code, large))
	require.NoError(t, conn.Send(frame.Progress, frame.ProgressBody{Percent: 50, Note: "half"}))

	kind, payload, err := conn.Read()
	require.NoError(t, err)
	require.Equal(t, frame.Cancel, kind)
	require.Empty(t, payload)
	kind, payload, err = conn.Read()
	require.NoError(t, err)
	require.Equal(t, frame.Code, kind)
	require.Equal(t, large, payload)
	var body frame.ProgressBody
	require.NoError(t, conn.Expect(frame.Progress, &body))
	require.Equal(t, frame.ProgressBody{Percent: 50, Note: "half"}, body)
	_, _, err = conn.Read()
	require.ErrorIs(t, err, io.EOF)
}

func TestConn_Refuses(t *testing.T) {
	t.Parallel()
	header := func(size uint32, kind frame.Kind) []byte {
		return append(binary.BigEndian.AppendUint32(nil, size), byte(kind))
	}
	for name, c := range map[string]struct {
		wire []byte
		want string
	}{
		"a frame above the limit": {header(1<<31, frame.Log), "frame is too large"},
		"a frame cut off":         {append(header(10, frame.Log), 'x'), "unexpected EOF"},
		"a header cut off":        {[]byte{0, 0}, "unexpected EOF"},
		"another kind":            {header(0, frame.Log), "frame of kind 6 came, 8 was expected"},
		"broken JSON":             {append(header(1, frame.Result), '{'), "decode frame"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var body frame.ResultBody
			err := frame.New(bytes.NewBuffer(c.wire), frame.MaxToSupervisor).Expect(frame.Result, &body)
			require.ErrorContains(t, err, c.want)
		})
	}
}
