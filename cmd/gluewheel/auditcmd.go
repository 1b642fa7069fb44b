package main

import (
	"context"
	"fmt"
	"net/url"
	"os"
)

// auditCmd looks at who changed what.
type auditCmd struct {
	List   listCmd[auditNoun] `cmd:"" help:"List entries, newest first: -f actor=li -f from=2026-11-01T00:00:00Z."`
	Export auditExport        `cmd:"" help:"Write all entries that a filter selects."`
}

type auditExport struct {
	remote
	Filter map[string]string `short:"f" placeholder:"FIELD=VALUE" help:"Filters, as of the list."`
	Format string            `enum:"ndjson,csv" default:"ndjson" help:"ndjson, a JSON object a line, or csv (${default})."`
	Out    string            `short:"o" placeholder:"FILE" help:"File to write; default: stdout."`
}

// Run copies the export as it comes: it may be longer than fits in memory.
func (f *auditExport) Run(ctx context.Context, s *streams) error {
	c, err := f.client()
	if err != nil {
		return err
	}
	defer c.close()
	query := url.Values{"format": {f.Format}}
	for k, v := range f.Filter {
		query.Set(k, v)
	}
	path := "/audit/export?" + query.Encode()
	if f.Out == "" {
		return c.copy(ctx, path, s.out)
	}
	file, err := os.OpenFile(f.Out, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("write audit log: %w", err)
	}
	defer file.Close()
	if err := c.copy(ctx, path, file); err != nil {
		return err
	}
	return file.Close()
}
