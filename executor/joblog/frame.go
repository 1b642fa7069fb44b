package joblog

import (
	"encoding/binary"
	"hash/crc32"
	"io"
)

// frame is a piece of one run's log: whole lines, each ended by \n.
type frame struct {
	logID  int64
	offset int64 // of its text in the file
	first  int   // number of its first line, from 1
	lines  int
	bytes  int
	flags  byte
}

const (
	flagEnd     byte = 1 // the run ended here: its last frame
	flagSpilled byte = 2 // the run goes on in its own file
)

const (
	frameMagic  = 0x314c5747 // "GWL1"
	headerBytes = 32
	// maxFrame bounds what a damaged header can claim. A frame is a run's buffer plus at
	// most one line.
	maxFrame = 4 * bufferBytes
)

// next is the number of the line after the frame.
func (f frame) next() int { return f.first + f.lines }

func (f frame) appendHeader(buf []byte) []byte {
	start := len(buf)
	buf = binary.LittleEndian.AppendUint32(buf, frameMagic)
	buf = binary.LittleEndian.AppendUint64(buf, uint64(f.logID))
	buf = binary.LittleEndian.AppendUint32(buf, uint32(f.first))
	buf = binary.LittleEndian.AppendUint32(buf, uint32(f.lines))
	buf = binary.LittleEndian.AppendUint32(buf, uint32(f.bytes))
	buf = append(buf, f.flags, 0, 0, 0)
	return binary.LittleEndian.AppendUint32(buf, crc32.ChecksumIEEE(buf[start:]))
}

// parseHeader reads a header whose text begins at offset.
func parseHeader(b []byte, offset int64) (f frame, ok bool) {
	if binary.LittleEndian.Uint32(b) != frameMagic ||
		binary.LittleEndian.Uint32(b[28:]) != crc32.ChecksumIEEE(b[:28]) {
		return frame{}, false
	}
	f = frame{
		logID:  int64(binary.LittleEndian.Uint64(b[4:])),
		offset: offset,
		first:  int(binary.LittleEndian.Uint32(b[12:])),
		lines:  int(binary.LittleEndian.Uint32(b[16:])),
		bytes:  int(binary.LittleEndian.Uint32(b[20:])),
		flags:  b[24],
	}
	return f, f.bytes <= maxFrame
}

// scan lists the frames of a file of size bytes and where the last whole one ends.
func scan(r io.ReaderAt, size int64) (frames []frame, end int64, err error) {
	var head [headerBytes]byte
	for end+headerBytes <= size {
		if _, err := r.ReadAt(head[:], end); err != nil {
			return nil, 0, err
		}
		f, ok := parseHeader(head[:], end+headerBytes)
		if !ok || f.offset+int64(f.bytes) > size {
			break
		}
		frames = append(frames, f)
		end = f.offset + int64(f.bytes)
	}
	return frames, end, nil
}
