package journal

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/gluewheel/gluewheel/executor/protocol"
)

// Kinds of records. The numbers are stored; they never change.
const (
	recordHeader   byte = 1 // magic: first in every file
	recordSource   byte = 2 // 32 bytes SHA-256, then a GLUE source that triggers refer to
	recordAccepted byte = 3 // acceptedRecord as JSON
	recordStarted  byte = 4 // log id, Unix ms
	recordEnded    byte = 5 // protocol.Callback as JSON
	recordAcked    byte = 6 // log ids
	recordSeen     byte = 7 // hour, then a roaring bitmap of seenKeys: snapshots only
)

const (
	magic      = "gluewheel journal 1"
	frameBytes = 8 // length and CRC before each payload
	// maxRecord bounds what a damaged length can make replay allocate. The largest
	// honest record is a snapshot's bitmap of one hour.
	maxRecord = 256 << 20
)

// errTorn ends the replay of a file: the record is incomplete or damaged.
var errTorn = errors.New("torn record")

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// acceptedRecord is a trigger without its source, which many triggers share.
type acceptedRecord struct {
	AtMS    int64            `json:"at"`
	Source  *[32]byte        `json:"src,omitempty"`
	Trigger protocol.Trigger `json:"t"`
}

// appendRecord frames a payload: length, CRC, kind, body.
func appendRecord(buf []byte, kind byte, body ...[]byte) []byte {
	start := len(buf)
	buf = append(buf, make([]byte, frameBytes)...)
	buf = append(buf, kind)
	for _, b := range body {
		buf = append(buf, b...)
	}
	payload := buf[start+frameBytes:]
	binary.LittleEndian.PutUint32(buf[start:], uint32(len(payload)))
	binary.LittleEndian.PutUint32(buf[start+4:], crc32.Checksum(payload, castagnoli))
	return buf
}

func appendJSON(buf []byte, kind byte, v any) ([]byte, error) {
	body, err := json.Marshal(v)
	if err != nil {
		return buf, fmt.Errorf("encode journal record %d: %w", kind, err)
	}
	return appendRecord(buf, kind, body), nil
}

func appendInts(buf []byte, kind byte, ints ...int64) []byte {
	body := make([]byte, 0, 8*len(ints))
	for _, i := range ints {
		body = binary.LittleEndian.AppendUint64(body, uint64(i))
	}
	return appendRecord(buf, kind, body)
}

// readRecord reads the next payload; io.EOF at a clean end, errTorn otherwise.
func readRecord(r io.Reader) (kind byte, body []byte, err error) {
	var frame [frameBytes]byte
	if _, err := io.ReadFull(r, frame[:]); err != nil {
		if errors.Is(err, io.EOF) {
			return 0, nil, io.EOF
		}
		return 0, nil, errTorn
	}
	size := binary.LittleEndian.Uint32(frame[:])
	if size == 0 || size > maxRecord {
		return 0, nil, errTorn
	}
	payload := make([]byte, size)
	if _, err := io.ReadFull(r, payload); err != nil {
		return 0, nil, errTorn
	}
	if crc32.Checksum(payload, castagnoli) != binary.LittleEndian.Uint32(frame[4:]) {
		return 0, nil, errTorn
	}
	return payload[0], payload[1:], nil
}

func readInts(body []byte) []int64 {
	ints := make([]int64, 0, len(body)/8)
	for ; len(body) >= 8; body = body[8:] {
		ints = append(ints, int64(binary.LittleEndian.Uint64(body)))
	}
	return ints
}

func intBytes(i int64) []byte { return binary.LittleEndian.AppendUint64(nil, uint64(i)) }
