package doctor

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/admin/store"
	"github.com/gluewheel/gluewheel/admin/store/storetest"
)

var _ ledger = (*store.Store)(nil)

// ofTheServer are findings about the server that tests run on.
var ofTheServer = []string{"fsync", "full_page_writes", "synchronous_commit", "superuser", "autovacuum"}

// patient is a database in which nothing is wrong: one admin, one executor, and a job
// that has fired every 10 s for five minutes.
type patient struct {
	store *store.Store
	sql   *pgx.Conn
}

const healthy = `
	INSERT INTO admin_node (name) VALUES ('here:8080');
	UPDATE bucket_lock SET planned_at = clock_timestamp();
	INSERT INTO job_group (id, app_name, title) VALUES (1, 'app', 'App');
	INSERT INTO executor_node (app_name, address, dialect, info) VALUES ('app', 'http://10.0.0.1:9999/', 'gluewheel', '{"version":"1"}');
	INSERT INTO job (id, group_id, name, schedule_type, schedule_conf, glue_type, enabled, next_fire, updated_at)
	VALUES (1, 1, 'steady', 'FIX_RATE', '10', 'BEAN', true, date_trunc('minute', clock_timestamp()) + interval '5 minutes', clock_timestamp() - interval '1 hour');
	INSERT INTO run (id, fire_at, due_at, job_id, group_id, cause, state, outcome, claimed_at, ended_at, address)
	SELECT n, t, t, 1, 1, 1, 10, 10, t, t, 'http://10.0.0.1:9999/'
	FROM (SELECT n, date_trunc('minute', clock_timestamp()) + interval '5 minutes' - n * interval '10 s' AS t FROM generate_series(1, 60) n) x`

func newPatient(t *testing.T) *patient {
	t.Helper()
	url := storetest.URL(t)
	p := &patient{store: storetest.Open(t, url)}
	var err error
	p.sql, err = pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	t.Cleanup(func() { _ = p.sql.Close(context.Background()) })
	require.NoError(t, p.store.KeepPartitions(t.Context()))
	p.do(t, healthy)
	return p
}

func (p *patient) do(t *testing.T, sql string) {
	t.Helper()
	_, err := p.sql.Exec(t.Context(), sql)
	require.NoError(t, err)
}

func (p *patient) examine(t *testing.T, edit ...func(*Config)) *Report {
	t.Helper()
	cfg := Config{Ledger: p.store}
	for _, e := range edit {
		e(&cfg)
	}
	d, err := New(cfg)
	require.NoError(t, err)
	r, err := d.Examine(t.Context())
	require.NoError(t, err)
	r.Findings = slices.DeleteFunc(r.Findings, func(f Finding) bool { return slices.Contains(ofTheServer, f.Check) })
	return r
}

func TestDoctor_FindsNothingWhereNothingIsWrong(t *testing.T) {
	t.Parallel()
	r := newPatient(t).examine(t)
	require.Empty(t, r.Findings)
	require.Empty(t, r.Unseen)
	require.Less(t, r.Skew.Abs(), 20*time.Second)
}

func TestDoctor_NamesWhatIsWrong(t *testing.T) {
	t.Parallel()
	const row = `INSERT INTO run (id, fire_at, due_at, job_id, group_id, cause, state, claimed_at, lease_until, address) VALUES
		(1000, clock_timestamp() - interval '%[1]s', clock_timestamp() - interval '%[1]s', 1, 1, 2, %[2]d, clock_timestamp() - interval '%[1]s', %[3]s, 'http://10.0.0.9:9999/')`
	for check, tc := range map[string]struct {
		plant    string
		severity Severity
		run      int64
	}{
		"lost": {`DELETE FROM run WHERE id = 40`, Error, 0},
		job.SuspectDoubledRow: {
			`DROP INDEX run_fire_key; INSERT INTO run (id, fire_at, due_at, job_id, group_id, cause, state, outcome, ended_at)
			SELECT 1000, fire_at, due_at, job_id, group_id, cause, state, outcome, ended_at FROM run WHERE id = 40`, Error, 1000,
		},
		"fire_key": {`DROP INDEX run_fire_key`, Error, 0},
		job.SuspectDoubledFollow: {
			`INSERT INTO run (id, fire_at, due_at, job_id, group_id, cause, state, outcome, ended_at, parent_id)
			SELECT n, clock_timestamp(), clock_timestamp(), 1, 1, 5, 10, 10, clock_timestamp(), 40 FROM generate_series(1000, 1001) n`, Error, 40,
		},
		job.SuspectMissingRetry:   {`UPDATE run SET state = 11, outcome = 11, retries_left = 1, reason = 'handler_failed' WHERE id = 40`, Error, 40},
		job.SuspectInconsistent:   {`UPDATE run SET outcome = 11 WHERE id = 40`, Error, 40},
		job.SuspectStuck:          {fmt.Sprintf(row, "10 minutes", job.Dispatching, "clock_timestamp() - interval '9 minutes'"), Error, 1000},
		job.SuspectForgotten:      {fmt.Sprintf(row, "1 hour", job.Running, "NULL"), Error, 1000},
		job.SuspectOverdue:        {fmt.Sprintf(row, "1 minute", job.Planned, "NULL"), Error, 1000},
		job.SuspectPlanningBehind: {`UPDATE job SET next_fire = clock_timestamp() - interval '1 minute'`, Error, 0},
		job.SuspectLockRow:        {`DELETE FROM bucket_lock`, Error, 0},
		job.SuspectNoExecutor:     {`DELETE FROM executor_node`, Warning, 0},
		"no_admin":                {`DELETE FROM admin_node`, Error, 0},
		"default_partition":       {`CREATE TABLE run_default PARTITION OF run DEFAULT`, Warning, 0},
		"partitions": {
			`DO $$ DECLARE n text; BEGIN
				FOR n IN SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
					WHERE i.inhparent = 'run'::regclass AND c.relname > 'run_' || to_char(clock_timestamp() + interval '1 day', 'YYYYMMDD')
				LOOP EXECUTE 'DROP TABLE ' || n; END LOOP; END $$`, Warning, 0,
		},
		"executor_versions": {`INSERT INTO executor_node (app_name, address, dialect, info) VALUES ('app', 'http://10.0.0.2:9999/', 'gluewheel', '{"version":"2"}')`, Warning, 0},
		"mixed_dialects":    {`INSERT INTO executor_node (app_name, address, dialect) VALUES ('app', 'http://10.0.0.2:9999/', 'B')`, Warning, 0},
	} {
		t.Run(check, func(t *testing.T) {
			t.Parallel()
			p := newPatient(t)
			p.do(t, tc.plant)
			r := p.examine(t)
			i := slices.IndexFunc(r.Findings, func(f Finding) bool { return f.Check == check })
			require.NotEqual(t, -1, i, "%+v", r.Findings)
			f := r.Findings[i]
			require.Equal(t, tc.severity, f.Severity)
			require.NotEmpty(t, f.Message)
			require.NotEmpty(t, f.Remedy)
			require.True(t, r.Has(tc.severity))
			if tc.run != 0 {
				require.Contains(t, f.Runs, tc.run)
			}
		})
	}
}

func TestDoctor_ARangeRowStandsForItsInstants(t *testing.T) {
	t.Parallel()
	p := newPatient(t)
	p.do(t, `UPDATE run SET state = 15, outcome = 15, range_count = 11, range_to = (SELECT fire_at FROM run WHERE id = 40) WHERE id = 50;
		DELETE FROM run WHERE id BETWEEN 40 AND 49`)
	require.Empty(t, p.examine(t).Findings)
}

func TestDoctor_ReadsCronSchedules(t *testing.T) {
	t.Parallel()
	p := newPatient(t)
	p.do(t, `UPDATE job SET schedule_type = 'CRON', schedule_conf = '*/10 * * * * ?', time_zone = 'Asia/Shanghai'`)
	require.Empty(t, p.examine(t).Findings)
	p.do(t, `UPDATE job SET schedule_conf = '*/5 * * * * ?'`)
	require.Equal(t, "lost", p.examine(t).Findings[0].Check)
}

func TestDoctor_JudgesClockAndToken(t *testing.T) {
	t.Parallel()
	p := newPatient(t)
	r := p.examine(t, func(c *Config) {
		c.Clock = func() time.Time { return time.Now().Add(time.Hour) }
		c.Token = "default_token"
	})
	require.Len(t, r.Findings, 2)
	require.Equal(t, "token", r.Findings[0].Check)
	require.Equal(t, "clock_skew", r.Findings[1].Check)
	require.InDelta(t, time.Hour, r.Skew, float64(time.Minute))
}

func TestDoctor_JudgesTheClocksOfAdmins(t *testing.T) {
	t.Parallel()
	p := newPatient(t)
	require.Empty(t, p.examine(t).Findings, "an admin of before does not tell")
	p.do(t, `INSERT INTO admin_node (name, heartbeat_at, clock_ahead, clock_doubt) VALUES
		('exact', clock_timestamp(), '0', '1 ms'), ('fair', clock_timestamp(), '-1.9 s', '0'), ('slow', clock_timestamp(), '-5 s', '4 s'),
		('fast', clock_timestamp(), '2.5 s', '100 ms'), ('late', clock_timestamp(), '-1 hour', '1 s'),
		('dead', clock_timestamp() - interval '1 minute', '1 hour', '0')`)
	r := p.examine(t)
	require.Len(t, r.Findings, 2)
	for i, message := range []string{
		"The clock of admin fast is 2.5s away from the database's.", "The clock of admin late is 1h0m0s away from the database's.",
	} {
		require.Equal(t, "clock_skew", r.Findings[i].Check)
		require.Equal(t, Warning, r.Findings[i].Severity)
		require.Equal(t, message, r.Findings[i].Message)
	}
}

func TestDoctor_JudgesSettings(t *testing.T) {
	t.Parallel()
	r := &Report{}
	r.database(&job.Vitals{
		Remote: true, Superuser: true, Standby: true,
		Settings: map[string]string{"fsync": "off", "full_page_writes": "on", "synchronous_commit": "off", "autovacuum": "off", "server_version_num": "140011"},
	})
	var checks []string
	for _, f := range r.Findings {
		checks = append(checks, f.Check)
	}
	require.ElementsMatch(t, []string{"server_version", "read_only", "fsync", "synchronous_commit", "autovacuum", "no_tls", "superuser"}, checks)
}

func TestNew_NamesWhatIsMissing(t *testing.T) {
	t.Parallel()
	_, err := New(Config{})
	require.ErrorContains(t, err, "Ledger")
	_, err = New(Config{Ledger: (*store.Store)(nil), Since: -1})
	require.ErrorContains(t, err, "Since")
}
