package api

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humafiber"

	"github.com/gluewheel/gluewheel/admin/job"
)

const (
	// exportPage is how many entries are read at once.
	exportPage = 500
	// exportTime bounds an export, as the server's write timeout does.
	exportTime = writeTimeout
)

type exportAuditInput struct {
	AuditQuery
	Format string `query:"format" enum:"ndjson,csv" default:"ndjson"`
}

// exportAudit sends all that the filter selects, the newest first. It is read page by
// page while it is sent; what fails on the way cuts the answer off before its end.
func (s *server) exportAudit(ctx context.Context, in *exportAuditInput) (*huma.StreamResponse, error) {
	e := &auditExport{
		read: func(ctx context.Context, p job.Paging) (job.Page[job.AuditEntry], error) {
			return s.deps.Store.Audit(ctx, in.filter(ctx), p)
		},
		// The body is sent after the handler has returned and its context has ended.
		ctx: context.WithoutCancel(ctx), end: time.Now().Add(exportTime), write: writeNDJSON,
	}
	media := "application/x-ndjson"
	if in.Format == "csv" {
		media, e.write = "text/csv; charset=utf-8", writeCSV
		e.rest.WriteString(strings.Join(auditHeader, ",") + "\n")
	}
	if err := e.next(); err != nil {
		return nil, err
	}
	return &huma.StreamResponse{Body: func(hc huma.Context) {
		hc.SetHeader("Content-Type", media)
		hc.SetHeader("Content-Disposition", `attachment; filename="audit.`+in.Format+`"`)
		humafiber.Unwrap(hc).Context().SetBodyStream(e, -1)
	}}, nil
}

// auditExport is the text of a list of entries, as a stream.
type auditExport struct {
	ctx    context.Context
	end    time.Time
	read   func(context.Context, job.Paging) (job.Page[job.AuditEntry], error)
	write  func(io.Writer, AuditEntry) error
	cursor string
	done   bool
	rest   bytes.Buffer // not yet sent
}

// Read gives what is left, and reads the next page when nothing is.
func (e *auditExport) Read(p []byte) (int, error) {
	for e.rest.Len() == 0 && !e.done {
		if err := e.next(); err != nil {
			return 0, err
		}
	}
	return e.rest.Read(p) // io.EOF when empty
}

func (e *auditExport) next() error {
	ctx, cancel := context.WithDeadline(e.ctx, e.end)
	defer cancel()
	page, err := e.read(ctx, job.Paging{Limit: exportPage, Cursor: e.cursor})
	if err != nil {
		return fmt.Errorf("export audit log: %w", err)
	}
	for _, entry := range page.Items {
		if err := e.write(&e.rest, auditEntryOf(entry)); err != nil {
			return fmt.Errorf("export audit entry %d: %w", entry.ID, err)
		}
	}
	e.cursor, e.done = page.NextCursor, page.NextCursor == ""
	return nil
}

func writeNDJSON(w io.Writer, e AuditEntry) error { return json.NewEncoder(w).Encode(e) }

var auditHeader = []string{
	"id", "at", "actor", "actor_kind", "action", "object_type", "object_id", "object_name", "group_id", "before", "after",
	"address", "request_id",
}

func writeCSV(w io.Writer, e AuditEntry) error {
	group := ""
	if e.GroupID != nil {
		group = strconv.Itoa(int(*e.GroupID))
	}
	at, err := e.At.MarshalText()
	if err != nil {
		return err
	}
	out := csv.NewWriter(w)
	record := []string{
		strconv.FormatInt(e.ID, 10), string(at), e.Actor, string(e.ActorKind), e.Action, e.ObjectType, e.ObjectID,
		e.ObjectName, group, compact(e.Before), compact(e.After), e.Address, e.RequestID,
	}
	for i := range record {
		record[i] = inert(record[i])
	}
	if err := out.Write(record); err != nil {
		return err
	}
	out.Flush()
	return out.Error()
}

// inert keeps a spreadsheet from taking a text for a formula: names in the log are
// chosen by those whom it watches.
func inert(text string) string {
	if text != "" && strings.ContainsRune("=+-@\t\r", rune(text[0])) {
		return "'" + text
	}
	return text
}

func compact(m map[string]any) string {
	if m == nil {
		return ""
	}
	text, err := json.Marshal(m)
	if err != nil {
		return ""
	}
	return string(text)
}
