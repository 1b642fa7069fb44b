package joblog

import (
	"io"
	"os"
	"slices"
	"sync"
)

// maxIndexed is how many runs' own files are remembered. The index of one holds some
// 50 bytes for each 32 KiB of text: 1.5 MB at most.
const maxIndexed = 8

// ownIndex remembers where the frames of runs' own files lie, so that a reader who comes
// back for the next part does not go through all headers again. Its methods may be
// called concurrently.
type ownIndex struct {
	mu    sync.Mutex
	files []*indexed // the one read last comes last
}

// indexed is what is known of a file.
type indexed struct {
	name   string
	frames []frame
	end    int64 // of the last whole frame
}

// frames lists those of a file, also what was added since the last time. Frames are only
// ever added, so that the slice stays as it is.
func (x *ownIndex) frames(root *os.Root, name string) ([]frame, error) {
	f, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	x.mu.Lock()
	defer x.mu.Unlock()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	file := x.take(name)
	if file.end > info.Size() { // another file of that name
		file.frames, file.end = nil, 0
	}
	if err := file.goOn(f, info.Size()); err != nil {
		return nil, err
	}
	x.files = append(x.files, file)
	return slices.Clip(file.frames), nil
}

// take finds a file, which is no longer listed then, and makes room for it.
func (x *ownIndex) take(name string) *indexed {
	i := slices.IndexFunc(x.files, func(file *indexed) bool { return file.name == name })
	if i < 0 && len(x.files) < maxIndexed {
		return &indexed{name: name}
	}
	file := x.files[max(i, 0)]
	x.files = slices.Delete(x.files, max(i, 0), max(i, 0)+1)
	if i < 0 {
		return &indexed{name: name}
	}
	return file
}

// goOn reads the headers from where it stopped.
func (file *indexed) goOn(r io.ReaderAt, size int64) error {
	more, end, err := scan(io.NewSectionReader(r, file.end, size-file.end), size-file.end)
	for i := range more {
		more[i].offset += file.end
	}
	file.frames = append(file.frames, more...)
	file.end += end
	return err
}
