package joblog

import (
	"errors"
	"os"
)

// ownFile is the file of a run that outgrew the segments: frames of that run only. A
// nil one is closed already.
type ownFile struct {
	file *os.File
	size int64
}

// openOwn opens a run's file and cuts a torn tail off.
func openOwn(root *os.Root, name string) (*ownFile, error) {
	f, err := root.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	_, end, err := scan(f, info.Size())
	if err == nil {
		err = f.Truncate(end)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &ownFile{file: f, size: end}, nil
}

func (o *ownFile) append(f frame, text []byte) error {
	buf := append(f.appendHeader(make([]byte, 0, headerBytes+len(text))), text...)
	if _, err := o.file.WriteAt(buf, o.size); err != nil {
		return err
	}
	o.size += int64(len(buf))
	return nil
}

func (o *ownFile) close() error {
	if o == nil {
		return nil
	}
	return o.file.Close()
}
