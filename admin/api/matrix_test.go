package api_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/api"
	"github.com/gluewheel/gluewheel/admin/job"
)

// The matrix: every operation by every kind of caller. A new operation needs a row in
// one of the tables, which says who may call it and with what; rows of a topic may stand
// in a file of their own, with a table that is added to operations.

// access is who may call an operation.
type access string

const (
	everyone   access = "everyone"
	loggedIn   access = "logged in"
	inPerson   access = "in person"   // logged in, and not by a token
	viewers    access = "viewer"      // of the object's group, or with a higher role in it
	operators  access = "operator"    // …
	editors    access = "editor"      // …
	publishers access = "publisher"   // …
	leaders    access = "group_admin" // …
	auditors   access = "auditor"     // of everything
	admins     access = "admin"
)

// operation is a row.
type operation struct {
	access access
	body   string // {…} stand for objects, see fill
	media  string // of the body, when it is not JSON

	anyGroup bool // the role in any group will do: lists show nothing of others
	hidden   bool // for others the object does not exist
	quiet    bool // changes nothing worth an audit entry, though it is no GET
	own      bool // of the caller's own: an auditor, who may read it, has none
	each     bool // judged for each object by itself: it answers 200 and says what was refused
	prepare  func(b *bench, who *caller, o *objects)
}

type table map[string]operation

func operations() table {
	all := table{}
	for _, t := range []table{accountOperations, jobOperations, codeOperations, authoringOperations, alarmOperations, reportOperations, secretOperations, wireOperations} {
		maps.Copy(all, t)
	}
	return all
}

var accountOperations = table{
	"getLoginOptions": {access: everyone},
	"login":           {access: everyone, body: `{"username":"admin","password":"` + adminPassword + `"}`},
	"logout":          {access: everyone, quiet: true}, // nobody's: the others' sessions stay
	"getMe":           {access: loggedIn},
	"changePassword":  {access: inPerson, body: `{"old_password":"{password}","new_password":"{password}"}`},
	"listSessions":    {access: inPerson},
	"endSession":      {access: inPerson, prepare: anotherSession},
	"listUsers":       {access: auditors},
	"createUser":      {access: admins, body: `{"username":"{name}","password":"12345678","role":"user","grants":[{"group_id":{group},"role":"viewer"}]}`},
	"getUser":         {access: auditors, prepare: anotherUser},
	"updateUser":      {access: admins, body: `{"role":"auditor","version":1}`, prepare: anotherUser},
	"deleteUser":      {access: admins, prepare: anotherUser},
	"endUserSessions": {access: admins, prepare: anotherUser},
	"listTokens":      {access: loggedIn},
	"createToken":     {access: loggedIn, body: `{"name":"{name}","role":"viewer","group_ids":{tokengroups}}`},
	"deleteToken":     {access: loggedIn, prepare: ownToken},
	"listAudit":       {access: leaders, anyGroup: true},
	"exportAudit":     {access: leaders, anyGroup: true},
	"getSystem":       {access: loggedIn},
}

var jobOperations = table{
	"listGroups":         {access: loggedIn},
	"createGroup":        {access: admins, body: `{"app_name":"{name}","title":"t"}`},
	"getGroup":           {access: viewers},
	"updateGroup":        {access: leaders, body: `{"app_name":"mine","title":"{name}","version":{groupversion}}`},
	"deleteGroup":        {access: admins, prepare: emptyGroup},
	"listGroupExecutors": {access: viewers},
	"listExecutors":      {access: loggedIn},
	"listJobs":           {access: loggedIn},
	"createJob":          {access: editors, body: `{"group_id":{group},"name":"{name}","author":"a","glue_type":"GLUE_LUA"}`},
	"getJob":             {access: viewers},
	"updateJob":          {access: editors, body: `{"group_id":{group},"name":"{name}","author":"a","version":{version}}`},
	"deleteJob":          {access: editors},
	"startJob":           {access: operators},
	"stopJob":            {access: operators},
	"triggerJob":         {access: operators},
	"nextFires":          {access: viewers},
	"previewSchedule":    {access: loggedIn, body: `{"schedule_type":"FIX_RATE","schedule_conf":"5"}`, quiet: true},
	"listRuns":           {access: loggedIn},
	"getRun":             {access: viewers},
	"getRunLog":          {access: viewers},
	"downloadRunLog":     {access: viewers},
	"searchRunLog":       {access: viewers},
	"killRun":            {access: operators},
}

var codeOperations = table{
	"listVersions":    {access: viewers},
	"publishVersion":  {access: publishers, body: `{"source":"print(2)","remark":"second","base_version":1}`},
	"getVersion":      {access: viewers},
	"rollbackVersion": {access: publishers, body: `{"number":1,"remark":"again","base_version":2}`, prepare: secondVersion},
	"listReviews":     {access: loggedIn},
	"approveVersion":  {access: publishers, body: `{"note":"seen"}`, prepare: pendingVersion},
	"rejectVersion":   {access: publishers, body: `{"note":"not so"}`, prepare: pendingVersion},
	"listArtifacts":   {access: loggedIn},
	"uploadArtifact":  {access: editors, anyGroup: true},
	"getArtifact":     {access: viewers, hidden: true},

	"downloadArtifact": {access: viewers, hidden: true},
}

// caller is one column.
type caller struct {
	name     string
	session  *session
	rank     int  // place of the role in the group among job.GroupRoles, from 1 on; 0 for none
	anyRank  int  // the same of the highest role in any group
	auditor  bool // reads everything
	admin    bool
	token    bool
	loggedIn bool
	password string
	groupID  int32 // some group that it sees; 0 for none
}

// tokenGroups are those of a token that it may make.
func (c *caller) tokenGroups() string {
	if c.groupID == 0 {
		return "[]"
	}
	return fmt.Sprintf("[%d]", c.groupID)
}

// may is what the matrix expects.
func (c *caller) may(op operation) bool {
	switch op.access {
	case everyone:
		return true
	case loggedIn:
		return c.loggedIn
	case inPerson:
		return c.loggedIn && !c.token
	case auditors:
		return c.auditor || c.admin
	case admins:
		return c.admin
	}
	need := 1 + slices.Index(job.GroupRoles(), job.GroupRole(op.access))
	rank := c.rank
	if op.anyGroup {
		rank = c.anyRank
	}
	return c.admin || rank >= need
}

func (c *caller) expects(op operation, method string) string {
	reads := c.auditor && method == "GET"
	switch {
	case reads && op.own && !c.may(op):
		return "404"
	case c.may(op) || reads && op.access != inPerson:
		return "ok"
	case !c.loggedIn:
		return "401"
	case op.hidden:
		return "404"
	default:
		return "403"
	}
}

func (b *bench) callers(mine, theirs int32) []*caller {
	b.t.Helper()
	all := []*caller{
		{name: "anonymous", session: b.anonymous()},
		{name: "nobody", session: b.account(job.User{Username: "nobody", Role: job.RoleUser}), loggedIn: true},
		{name: "foreigner", session: b.account(job.User{Username: "foreigner", Role: job.RoleUser, Grants: []job.Grant{{GroupID: theirs, Role: job.GroupAdmin}}}), anyRank: 5, loggedIn: true, groupID: theirs},
		{name: "auditor", session: b.account(job.User{Username: "auditor", Role: job.RoleAuditor}), rank: 1, anyRank: 1, auditor: true, loggedIn: true, groupID: mine},
		{name: "admin", session: b.admin, admin: true, auditor: true, loggedIn: true, password: adminPassword, groupID: mine},
		{name: "token of one group", session: b.token("editor", mine), rank: 3, anyRank: 3, token: true, loggedIn: true, groupID: mine},
		{name: "token of another group", session: b.token("group_admin", theirs), anyRank: 5, token: true, loggedIn: true, groupID: theirs},
		{name: "token of an admin", session: b.token("admin"), admin: true, auditor: true, token: true, loggedIn: true, groupID: mine},
		{name: "token of an auditor", session: b.token("auditor"), rank: 1, anyRank: 1, auditor: true, token: true, loggedIn: true, groupID: mine},
	}
	for i, role := range job.GroupRoles() {
		u := job.User{Username: string(role), Role: job.RoleUser, Grants: []job.Grant{{GroupID: mine, Role: role}}}
		all = append(all, &caller{name: string(role), session: b.account(u), rank: i + 1, anyRank: i + 1, loggedIn: true, groupID: mine})
	}
	for _, c := range all {
		if c.password == "" {
			c.password = c.name + " password"
		}
	}
	return all
}

// objects are a group's; what a call changes is made anew for it.
type objects struct {
	group   api.Group
	module  api.Artifact
	job     api.Job
	run     api.Triggered
	version int64
	// id stands for {id} where it is none of the above.
	id    string
	extra []string // more to be replaced, as for strings.NewReplacer
}

// module uploads one and puts it into use in a group.
func (b *bench) module(group api.Group) api.Artifact {
	b.t.Helper()
	wasm := b.job(group.ID, anyMap{"name": b.unique("job"), "glue_type": "GLUE_WASM"})
	a := want[api.Artifact](b.admin.upload(wasmModule("of "+group.AppName)), 201)
	post[api.VersionPublished](b.admin, fmt.Sprintf("/jobs/%d/versions", wasm.ID),
		fmt.Sprintf(`{"artifact":%q,"remark":"first","base_version":0}`, a.Digest))
	return a
}

func (b *bench) objects(group api.Group, module api.Artifact) objects {
	b.t.Helper()
	o := objects{group: group, module: module, job: b.job(group.ID, anyMap{"name": b.unique("job")})}
	published := post[api.VersionPublished](b.admin, fmt.Sprintf("/jobs/%d/versions", o.job.ID), `{"source":"print(1)","remark":"first","base_version":0}`)
	o.version = published.JobVersion
	o.run = b.run(o.job.ID)
	return o
}

// fillFor is fill for a caller.
func (o *objects) fillFor(c *caller, text, name string) string {
	b := c.session.b
	if strings.Contains(text, "{groupversion}") || strings.Contains(text, "{title}") {
		g, err := b.store.Group(b.t.Context(), o.group.ID)
		require.NoError(b.t, err)
		text = strings.NewReplacer("{groupversion}", fmt.Sprint(g.Version), "{title}", g.Title).Replace(text)
	}
	text = strings.NewReplacer("{password}", c.password, "{tokengroups}", c.tokenGroups()).Replace(text)
	return o.fill(text, name)
}

// fill puts the ids of objects in their places.
func (o *objects) fill(text, name string) string {
	return strings.NewReplacer(append(slices.Clone(o.extra),
		"/jobs/{id}", fmt.Sprintf("/jobs/%d", o.job.ID), "/groups/{id}", fmt.Sprintf("/groups/%d", o.group.ID),
		"/runs/{id}", fmt.Sprintf("/runs/%d", o.run.RunID), "{id}", o.id, "{number}", "1", "{digest}", o.module.Digest,
		"{group}", fmt.Sprint(o.group.ID), "{job}", fmt.Sprint(o.job.ID), "{version}", fmt.Sprint(o.version), "{name}", name,
	)...).Replace(text)
}

func anotherSession(b *bench, c *caller, o *objects) {
	b.login(c.name, c.password)
	for _, s := range get[api.Sessions](c.session, "/me/sessions").Items {
		if !s.Current {
			o.id = fmt.Sprint(s.ID)
		}
	}
}

func anotherUser(b *bench, _ *caller, o *objects) {
	u, err := b.auth.CreateUser(b.t.Context(), job.User{Username: b.unique("user"), Role: job.RoleUser}, "a password")
	require.NoError(b.t, err)
	o.id = fmt.Sprint(u.ID)
}

func ownToken(b *bench, c *caller, o *objects) {
	o.id = fmt.Sprint(post[api.TokenCreated](c.session, "/tokens", fmt.Sprintf(`{"name":"t","role":"viewer","group_ids":%s}`, c.tokenGroups())).ID)
}

func emptyGroup(b *bench, _ *caller, o *objects) { o.group = b.group(b.unique("empty")) }

func secondVersion(b *bench, _ *caller, o *objects) {
	post[api.VersionPublished](b.admin, fmt.Sprintf("/jobs/%d/versions", o.job.ID), `{"source":"print(3)","remark":"second","base_version":1}`)
}

// pendingVersion is another's than the caller's, in a group that asks for approval.
func pendingVersion(b *bench, _ *caller, o *objects) {
	author := b.user(b.unique("author"), o.group.ID)
	b.requireReview(o.group.ID, true)
	v := post[api.VersionPublished](author, fmt.Sprintf("/jobs/%d/versions", o.job.ID), `{"source":"print(3)","remark":"second","base_version":1}`)
	b.requireReview(o.group.ID, false)
	o.extra = append(o.extra, "{number}", fmt.Sprint(v.Number))
}

// matrix is a run over all operations and callers.
type matrix struct {
	*bench
	shared  objects // for calls that change nothing
	module  api.Artifact
	callers []*caller
	cells   int
	late    lateNotes
}

func TestRoutes_LetInWhoMay(t *testing.T) {
	t.Parallel()
	b := setup(t)
	m := &matrix{bench: b}
	deps := b.deps()
	deps.Log = slog.New(slog.NewMultiHandler(deps.Log.Handler(), &m.late))
	b.keep(&deps)
	b.serve(deps)
	mine, theirs := b.group("mine"), b.group("theirs")
	m.module = b.module(mine)
	m.shared = b.objects(mine, m.module)
	aRule(b, nil, &m.shared)
	m.callers = b.callers(mine.ID, theirs.ID)
	rows := operations()
	seen := map[string]bool{}
	for path, methods := range documented(t) {
		for method, op := range methods {
			row, ok := rows[op.OperationID]
			if !ok {
				t.Errorf("%s stands in no row of the matrix: say who may call it", op.OperationID)
				continue
			}
			seen[op.OperationID] = true
			for _, c := range m.callers {
				m.cell(op.OperationID, strings.ToUpper(method), path, row, c)
			}
		}
	}
	for id := range rows {
		require.True(t, seen[id], "the matrix has a row of %s, which is gone", id)
	}
	require.Empty(t, m.late.actions(), "these changes are not recorded in the transaction that makes them")
}

type operationsOf = map[string]struct{ OperationID string }

func documented(t *testing.T) map[string]operationsOf {
	t.Helper()
	document, err := api.Document()
	require.NoError(t, err)
	var doc struct{ Paths map[string]operationsOf }
	require.NoError(t, json.Unmarshal(document, &doc))
	return doc.Paths
}

// cell makes one call.
func (m *matrix) cell(id, method, path string, row operation, c *caller) {
	m.t.Helper()
	m.cells++
	name := fmt.Sprintf("cell-%d", m.cells)
	o := m.shared
	if c.expects(row, method) == "ok" && (method != "GET" || row.prepare != nil) {
		if method != "GET" {
			o = m.objects(o.group, m.module)
		}
		if row.prepare != nil {
			row.prepare(m.bench, c, &o)
		}
	}
	if o.id == "" {
		o.id = "1"
	}
	// What is refused needs no object; it only has to be a well-formed request.
	o.extra = append(slices.Clone(o.extra), "{token_id}", "1", "{app_name}", "nothing", "{channel}", "1",
		"{secretversion}", "0", "{variableversion}", "0")
	s := &session{b: m.bench, cookie: c.session.cookie, header: c.session.header}
	if id == "login" || id == "logout" {
		s = m.anonymous() // so that the others' sessions stay
	}
	before := m.newest()
	var r reply
	switch {
	case id == "uploadArtifact":
		r = s.upload(wasmModule(name))
	case row.media != "":
		r = s.send(method, path, row.media, strings.NewReader(o.fillFor(c, row.body, name)))
	default:
		r = s.do(method, o.fillFor(c, path, name), o.fillFor(c, row.body, name))
	}
	m.check(c.expects(row, method) == class(r), "%s by %s: %s in place of %s: %s", id, c.name, class(r), c.expects(row, method), r.text)
	if c.rank == 0 && !c.admin && method == "GET" {
		m.check(!strings.Contains(r.text, `"mine"`) && !strings.Contains(r.text, o.module.Digest), "%s by %s: %s", id, c.name, r.text)
	}
	m.audited(id, method, row, c, class(r) == "ok", before)
	if id == "changePassword" && class(r) == "ok" {
		c.session.cookie = strings.Split(r.header.Get("Set-Cookie"), ";")[0] // the old one has ended
	}
}

// check goes on after a failure: one that is alone says more.
func (m *matrix) check(ok bool, format string, args ...any) {
	m.t.Helper()
	if !ok {
		m.t.Errorf(format, args...)
	}
}

// audited wants exactly one entry of each change, that says what it was about.
func (m *matrix) audited(id, method string, row operation, c *caller, done bool, before int64) {
	m.t.Helper()
	page, err := m.store.Audit(m.t.Context(), job.AuditFilter{}, job.Paging{Limit: 10})
	require.NoError(m.t, err)
	entries := slices.DeleteFunc(page.Items, func(e job.AuditEntry) bool { return e.ID <= before })
	want := 1
	if !done || method == "GET" || row.quiet || row.each && c.rank == 0 && !c.admin {
		want = 0
	}
	m.check(len(entries) == want, "%s by %s left %d audit entries in place of %d", id, c.name, len(entries), want)
	for _, e := range entries {
		m.check(e.Action == id && e.Actor != "" && e.Address == "127.0.0.1" && e.RequestID != "", "%s by %s: %+v", id, c.name, e)
		m.check(e.ObjectType != "" && e.ObjectID != "", "%s: record what was changed, see package audit: %+v", id, e)
		m.check(id == "login" || c.token == (e.ActorKind == job.ActorToken), "%s by %s is an act of a %s", id, c.name, e.ActorKind)
		told := string(e.Before) + string(e.After)
		m.check(!wholeToken.MatchString(told), "%s tells a token: %s", id, told)
		for _, secret := range []string{adminPassword, c.password, "12345678", "argon2id", "/hook"} {
			m.check(!strings.Contains(told, secret), "%s tells a secret: %s", id, told)
		}
	}
}

// wholeToken is more than the prefix by which people tell a token.
var wholeToken = regexp.MustCompile(`gwx?_[A-Za-z0-9_-]{15,}`)

func (m *matrix) newest() int64 {
	m.t.Helper()
	page, err := m.store.Audit(m.t.Context(), job.AuditFilter{}, job.Paging{Limit: 1})
	require.NoError(m.t, err)
	if len(page.Items) == 0 {
		return 0
	}
	return page.Items[0].ID
}

func class(r reply) string {
	if r.status < 300 {
		return "ok"
	}
	return fmt.Sprint(r.status)
}

// lateNotes remembers the changes that were written down after they were made.
type lateNotes struct {
	mu   sync.Mutex
	seen []string
}

func (l *lateNotes) Enabled(context.Context, slog.Level) bool { return true }
func (l *lateNotes) WithAttrs([]slog.Attr) slog.Handler       { return l }
func (l *lateNotes) WithGroup(string) slog.Handler            { return l }

func (l *lateNotes) Handle(_ context.Context, r slog.Record) error {
	if r.Message != "change was recorded after it was made" {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	r.Attrs(func(a slog.Attr) bool {
		l.seen = append(l.seen, a.Value.String())
		return true
	})
	return nil
}

func (l *lateNotes) actions() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	slices.Sort(l.seen)
	return slices.Compact(l.seen)
}

// wasmModule is the smallest one with a custom section that says what.
func wasmModule(what string) []byte {
	name := append([]byte{byte(len(what))}, what...)
	return append(append([]byte("\x00asm\x01\x00\x00\x00\x00"), byte(len(name))), name...)
}

func (s *session) upload(module []byte) reply {
	s.b.t.Helper()
	return s.send("POST", "/artifacts", "application/wasm", strings.NewReader(string(module)))
}

func (s *session) uploadFrom(r io.Reader) reply {
	s.b.t.Helper()
	return s.send("POST", "/artifacts", "application/wasm", r)
}

// unique is a name that nothing else in the test has.
func (b *bench) unique(what string) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.names++
	return fmt.Sprintf("%s-%d", what, b.names)
}
