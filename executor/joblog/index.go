package joblog

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"slices"
	"sort"
)

// An index is the headers of a segment with the offset of each text behind it, sorted
// by log id and then by place, so that a look-up is a binary search on disk.
const indexEntry = headerBytes + 8

func encodeIndex(frames []frame) []byte {
	slices.SortStableFunc(frames, func(a, b frame) int { return cmp.Compare(a.logID, b.logID) })
	buf := make([]byte, 0, len(frames)*indexEntry)
	for _, f := range frames {
		buf = f.appendHeader(buf)
		buf = binary.LittleEndian.AppendUint64(buf, uint64(f.offset))
	}
	return buf
}

func writeIndex(root *os.Root, id segmentID, frames []frame) error {
	temp := id.base() + indexSuffix + ".tmp"
	if err := root.WriteFile(temp, encodeIndex(frames), 0o600); err != nil {
		return err
	}
	return root.Rename(temp, id.base()+indexSuffix)
}

// reindex writes the index of a segment that was not sealed, from its whole frames.
func reindex(root *os.Root, id segmentID) error {
	f, err := root.Open(id.base() + segmentSuffix)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	frames, _, err := scan(f, info.Size())
	if err != nil {
		return err
	}
	return writeIndex(root, id, frames)
}

// search finds the frames of a run in a sealed segment.
func search(root *os.Root, id segmentID, logID int64) ([]frame, error) {
	f, err := root.Open(id.base() + indexSuffix)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	return lookup(f, info.Size(), logID)
}

// lookup finds the frames of a run in an index of size bytes.
func lookup(r io.ReaderAt, size, logID int64) ([]frame, error) {
	n := int(size / indexEntry)
	var failure error
	at := func(i int) frame {
		var b [indexEntry]byte
		if _, err := r.ReadAt(b[:], int64(i)*indexEntry); err != nil {
			failure = cmp.Or(failure, err)
			return frame{}
		}
		f, ok := parseHeader(b[:], int64(binary.LittleEndian.Uint64(b[headerBytes:])))
		if !ok {
			failure = cmp.Or(failure, fmt.Errorf("index entry %d is damaged", i))
		}
		return f
	}
	first := sort.Search(n, func(i int) bool { return at(i).logID >= logID })
	var frames []frame
	for i := first; i < n && failure == nil; i++ {
		f := at(i)
		if f.logID != logID {
			break
		}
		frames = append(frames, f)
	}
	return frames, failure
}
