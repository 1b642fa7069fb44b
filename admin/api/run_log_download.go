package api

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humafiber"

	"github.com/gluewheel/gluewheel/admin/job"
)

const mediaText = "text/plain; charset=utf-8"

// downloadTime bounds the download of one log. A gigabyte, the most that is kept of a run,
// comes through 2.5 Mbit/s in that time.
const downloadTime = time.Hour

// downloadRunLog sends all that there is of a log now, from its first line on. It is read
// from the executor while it is sent; what fails on the way cuts the answer off before
// its end.
func (s *server) downloadRunLog(ctx context.Context, r job.RunSummary, _ *RunID) (*huma.StreamResponse, error) {
	d := &logDownload{
		read: func(ctx context.Context, from int) (RunLog, error) { return s.runLog(ctx, r, from) },
		// The body is sent after the handler has returned and its context has ended.
		ctx: context.WithoutCancel(ctx), end: time.Now().Add(downloadTime), line: 1,
	}
	if err := d.next(); err != nil {
		return nil, err
	}
	return &huma.StreamResponse{Body: func(hc huma.Context) {
		hc.SetHeader("Content-Type", mediaText)
		hc.SetHeader("Content-Disposition", fmt.Sprintf(`attachment; filename="run-%d.log"`, r.ID))
		c := humafiber.Unwrap(hc).Context()
		d.conn = c.Conn()
		c.SetBodyStream(d, -1)
	}}, nil
}

// logDownload is the text of a log, as a stream.
type logDownload struct {
	ctx  context.Context
	end  time.Time
	read func(ctx context.Context, from int) (RunLog, error)
	conn net.Conn
	line int // the next one to read
	done bool
	rest strings.Reader // not yet sent
}

// Read gives what is left, and reads the next piece when nothing is.
func (d *logDownload) Read(p []byte) (int, error) {
	for d.rest.Len() == 0 {
		if d.done {
			return 0, io.EOF
		}
		if err := d.next(); err != nil {
			return 0, err
		}
		// Who takes a piece in that time may have the next one.
		if err := d.conn.SetWriteDeadline(time.Now().Add(writeTimeout)); err != nil {
			return 0, fmt.Errorf("go on with a download: %w", err)
		}
	}
	return d.rest.Read(p)
}

// errLogGone keeps a download from going on with the kept end of the log, whose lines
// have other numbers.
var errLogGone = errors.New("the executor does not answer any more")

func (d *logDownload) next() error {
	if time.Now().After(d.end) {
		return fmt.Errorf("download log: not done within %v", downloadTime)
	}
	ctx, cancel := context.WithTimeout(d.ctx, requestTime)
	defer cancel()
	piece, err := d.read(ctx, d.line)
	if err == nil && piece.Note != "" && d.line > 1 {
		err = errLogGone
	}
	if err != nil {
		return fmt.Errorf("download log from line %d: %w", d.line, err)
	}
	if piece.Content != "" && !strings.HasSuffix(piece.Content, "\n") {
		piece.Content += "\n"
	}
	d.rest.Reset(piece.Content)
	d.done = piece.End || piece.ToLine < d.line
	d.line = piece.ToLine + 1
	return nil
}
