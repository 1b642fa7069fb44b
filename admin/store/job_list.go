package store

import (
	"context"
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"

	"github.com/gluewheel/gluewheel/admin/job"
)

// jobFilter selects the jobs of a job.Filter as j. In the order of their ids it walks the
// jobs of the page; a rare match among many jobs, or another order, costs a scan. Tags
// have job_tags_idx.
const jobFilter = ` FROM job j WHERE (@groups::int[] IS NULL OR j.group_id = ANY(@groups))
	AND (@query::text = '' OR j.name ILIKE @query)
	AND (@enabled::boolean IS NULL OR j.enabled = @enabled)
	AND (@glue_type::text = '' OR j.glue_type = @glue_type)
	AND (@handler::text = '' OR j.handler ILIKE @handler)
	AND (@author::text = '' OR j.author ILIKE @author)
	AND (@tag::text = '' OR j.tags @> ARRAY[@tag])`

func filterArgs(f job.Filter) pgx.StrictNamedArgs {
	return pgx.StrictNamedArgs{
		"groups": f.GroupIDs, "query": containing(f.Query), "enabled": f.Enabled, "glue_type": f.GlueType,
		"handler": containing(f.Handler), "author": containing(f.Author), "tag": f.Tag,
	}
}

// containing is the LIKE pattern of texts that contain part; empty for an empty part.
func containing(part string) string {
	if part == "" {
		return ""
	}
	return "%" + strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(part) + "%"
}

// summaryRow is a job.Summary as one row.
type summaryRow struct {
	job.Job
	AppName     string     `db:"app_name"`
	GroupTitle  string     `db:"group_title"`
	LastID      *int64     `db:"last_id"`
	LastState   *job.State `db:"last_state"`
	LastFireAt  *time.Time `db:"last_fire_at"`
	LastEndedAt *time.Time `db:"last_ended_at"`
}

func (r summaryRow) summary() job.Summary {
	s := job.Summary{Job: r.Job, AppName: r.AppName, GroupTitle: r.GroupTitle}
	if r.LastID != nil {
		s.LastRun = &job.LastRun{ID: *r.LastID, State: *r.LastState, FireAt: *r.LastFireAt, EndedAt: r.LastEndedAt}
	}
	return s
}

// summarise adds to picked jobs what a summary shows beside them. Runs that are planned or
// about to be sent hide no result, and test-runs are not the job's. Reads run_job_idx. The
// order is for the caller to add.
const summarise = `
	SELECT j.*, g.app_name, g.title AS group_title, last.id AS last_id, last.state AS last_state,
		last.fire_at AS last_fire_at, last.ended_at AS last_ended_at
	FROM picked j
	JOIN job_group g ON g.id = j.group_id
	LEFT JOIN LATERAL (
		SELECT r.id, r.state, r.fire_at, r.ended_at FROM run r
		WHERE r.job_id = j.id AND r.state > @dispatching AND NOT r.is_test
		ORDER BY r.id DESC LIMIT 1
	) last ON true
	ORDER BY `

// jobOrder is an order of jobs: key of the job, and its id where keys are the same.
type jobOrder struct {
	key  string // an expression over j, never null
	kind string // of the key
	desc bool
	of   func(j *job.Summary) string // the key as text; nil when it is the id
}

var jobOrders = map[job.Sort]jobOrder{
	job.SortID:   {key: "j.id", kind: "bigint"},
	job.SortName: {key: "lower(j.name)", kind: "text", of: func(j *job.Summary) string { return j.Name }},
	job.SortNext: {key: "coalesce(j.next_fire, 'infinity')", kind: "timestamptz", of: func(j *job.Summary) string {
		if j.NextFire == nil {
			return "infinity"
		}
		return j.NextFire.UTC().Format(time.RFC3339Nano)
	}},
}

// orderOf finds the order of a filter; the newest jobs come first when it names none.
func orderOf(f job.Filter) (jobOrder, error) {
	if f.Sort == "" {
		f.Sort, f.Descending = job.SortID, true
	}
	o, ok := jobOrders[f.Sort]
	if !ok {
		return o, &job.FieldError{Field: "sort", Message: fmt.Sprintf("%q is not known.", f.Sort)}
	}
	o.desc = f.Descending
	return o, nil
}

func (o jobOrder) by() string {
	if o.desc {
		return o.key + " DESC, j.id DESC"
	}
	return o.key + ", j.id"
}

// after is the condition for what comes behind a cursor.
func (o jobOrder) after() string {
	sign := ">"
	if o.desc {
		sign = "<"
	}
	after := "@after::" + o.kind
	if o.kind == "text" {
		after = "lower(" + after + ")"
	}
	return fmt.Sprintf(" AND (%s, j.id) %s (%s, @after_id::bigint)", o.key, sign, after)
}

// cursor keeps the key and the id of a page's last job; read is the inverse.
func (o jobOrder) cursor(j *job.Summary) string {
	if o.of == nil {
		return strconv.Itoa(int(j.ID))
	}
	return base64.RawURLEncoding.EncodeToString([]byte(strconv.Itoa(int(j.ID)) + " " + o.of(j)))
}

func (o jobOrder) read(cursor string) (key string, id int64, err error) {
	if o.of == nil {
		id, err = cursorID(cursor, 0)
		return cursor, id, err
	}
	text, err := base64.RawURLEncoding.DecodeString(cursor)
	first, key, found := strings.Cut(string(text), " ")
	id, idErr := strconv.ParseInt(first, 10, 64)
	if err != nil || idErr != nil || id < 1 || !found || !utf8.ValidString(key) || strings.ContainsRune(key, 0) {
		return "", 0, errBadCursor()
	}
	return key, id, nil
}

// Jobs lists jobs in the order that f asks for, the newest first when it names none.
func (s *Store) Jobs(ctx context.Context, f job.Filter, p job.Paging) (job.Page[job.Summary], error) {
	const count = `SELECT count(*) FROM (SELECT` + jobFilter + ` LIMIT @limit) AS counted`
	var page job.Page[job.Summary]
	order, err := orderOf(f)
	if err != nil {
		return page, err
	}
	limit := pageLimit(p)
	args := filterArgs(f)
	args["limit"], args["dispatching"] = limit+1, job.Dispatching
	where := jobFilter
	if p.Cursor != "" {
		if args["after"], args["after_id"], err = order.read(p.Cursor); err != nil {
			return page, err
		}
		where += order.after()
	}
	list := `WITH picked AS (SELECT ` + jobColumns + where + ` ORDER BY ` + order.by() + ` LIMIT @limit)` + summarise + order.by()
	page.Items, err = s.summaries(ctx, list, args)
	if p.Cursor != "" && badData(err) { // a cursor that was made up, or made for another order
		return page, errBadCursor()
	}
	if err != nil {
		return page, fmt.Errorf("list jobs: %w", err)
	}
	if len(page.Items) > limit {
		page.Items = page.Items[:limit]
		page.NextCursor = order.cursor(&page.Items[limit-1])
	}
	args = filterArgs(f)
	args["limit"] = job.TotalCap + 1
	if err := s.countPage(ctx, &page.Total, &page.TotalCapped, count, args); err != nil {
		return page, fmt.Errorf("count jobs: %w", err)
	}
	return page, nil
}

// JobSummary returns one job as lists show it, or job.ErrNotFound.
func (s *Store) JobSummary(ctx context.Context, id int32) (job.Summary, error) {
	const sql = `WITH picked AS (SELECT ` + jobColumns + ` FROM job WHERE id = @id)` + summarise + "j.id"
	items, err := s.summaries(ctx, sql, pgx.StrictNamedArgs{"id": id, "dispatching": job.Dispatching})
	if err == nil && len(items) == 0 {
		err = job.ErrNotFound
	}
	if err != nil {
		return job.Summary{}, fmt.Errorf("read job %d: %w", id, err)
	}
	return items[0], nil
}

func (s *Store) summaries(ctx context.Context, sql string, args pgx.StrictNamedArgs) ([]job.Summary, error) {
	rows, err := many[summaryRow](ctx, s.db(ctx), sql, args)
	if err != nil {
		return nil, err
	}
	items := make([]job.Summary, len(rows))
	for i, r := range rows {
		items[i] = r.summary()
	}
	return items, nil
}
