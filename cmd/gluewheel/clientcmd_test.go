package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// commandLine runs the program against a server, with a token in a context file.
type commandLine struct{ dir string }

// newCommandLine makes a token and a context for it.
func newCommandLine(t *testing.T, s standalone, password string) commandLine {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("GLUEWHEEL_CONTEXTS", filepath.Join(dir, "contexts.yaml"))
	var made struct {
		Token string `json:"token"`
	}
	in := object{"name": "cli", "role": "admin", "group_ids": []int{}}
	require.NoError(t, loggedIn(t, s.url, password).call(t.Context(), http.MethodPost, "/tokens", in, &made))
	cl := commandLine{dir}
	cl.ok(t, "context", "set", "test", "--server", s.url, "--token-file", cl.file(t, "token", made.Token))
	require.NotContains(t, cl.ok(t, "context", "list"), made.Token)
	return cl
}

func (cl commandLine) file(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(cl.dir, name)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func (commandLine) ok(t *testing.T, args ...string) (stdout string) {
	t.Helper()
	code, stdout, stderr := command(t, args...)
	require.Equal(t, exitOK, code, "%s\n%s", stdout, stderr)
	return stdout
}

func (commandLine) fails(t *testing.T, args ...string) (stderr string) {
	t.Helper()
	code, _, stderr := command(t, args...)
	require.Equal(t, exitFailed, code, stderr)
	return stderr
}

// TestClientCommands is a day with the command line; not parallel, since the contexts'
// file is named by the environment.
func TestClientCommands(t *testing.T) {
	s := startStandalone(t, openDir(t), "--no-samples", "--admin-password=correct horse battery")
	cl := newCommandLine(t, s, "correct horse battery")

	cl.ok(t, "group", "create", "-s", "app_name=gluewheel-executor", "-s", "title=Own")
	require.Contains(t, cl.ok(t, "group", "list"), "gluewheel-executor")
	require.Contains(t, cl.fails(t, "group", "create", "-s", "app_name=X", "-s", "title=Bad"), "body.app_name")

	job := cl.file(t, "job.yaml", `
group_id: 1
name: nightly
author: test
glue_type: GLUE_LUA
schedule_type: NONE
route_strategy: FIRST
block_strategy: SERIAL_EXECUTION
`)
	cl.ok(t, "job", "create", "-F", job)
	require.Contains(t, cl.ok(t, "job", "list", "-f", "q=night"), "nightly")
	require.Contains(t, cl.fails(t, "job", "edit", "nightly", "-s", "retry_count=-1"), "retry_count")
	cl.ok(t, "job", "edit", "nightly", "-s", "timeout_s=30", "-s", "tags=[b, a]")
	require.Contains(t, cl.ok(t, "job", "show", "nightly"), "timeout_s: 30")
	require.Contains(t, cl.fails(t, "job", "show", "daily"), `no job named "daily": see gluewheel job list`)

	source := cl.file(t, "a.lua", `gw.log("one " .. gw.param()); return "done"`)
	require.Contains(t, cl.ok(t, "glue", "push", "-j", "nightly", source, "-m", "the first one"), "Version 1")
	require.Contains(t, cl.ok(t, "job", "trigger", "nightly", "--param", "p1", "--follow"), "one p1")
	broken := cl.file(t, "b.lua", `gw.log("two"); error("boom")`)
	require.Contains(t, cl.fails(t, "glue", "run", "-j", "nightly", broken), "boom")
	code, changes, stderr := command(t, "glue", "diff", "-j", "nightly", broken)
	require.Equal(t, exitFailed, code)
	require.Contains(t, stderr, "they differ")
	require.Contains(t, changes, `+gw.log("two")`, "what a push would add")
	mistaken := cl.file(t, "c.lua", "local x = = 1")
	require.Regexp(t, `\b1 mistake\b`, cl.fails(t, "glue", "check", mistaken))
	require.Contains(t, cl.fails(t, "glue", "push", "-j", "nightly", mistaken, "-m", "a mistake"), "line 1")

	secret := cl.file(t, "secret", "sup3rs3cret")
	cl.ok(t, "secret", "set", "-g", "gluewheel-executor", "API_KEY", "-F", secret)
	cl.ok(t, "secret", "set", "-g", "1", "API_KEY", "-F", secret)
	cl.ok(t, "variable", "set", "-g", "1", "REGION", "us")
	cl.ok(t, "variable", "set", "-g", "1", "REGION", "eu")
	require.Contains(t, cl.ok(t, "variable", "list", "-g", "1"), "eu")
	require.Contains(t, cl.ok(t, "variable", "set", "-g", "1", "REGION", "tried", "--dry-run"), "could be set")
	require.Contains(t, cl.ok(t, "variable", "delete", "-g", "1", "REGION", "--dry-run"), "could be deleted")
	require.Contains(t, cl.ok(t, "variable", "show", "-g", "1", "REGION"), "value: eu\n")
	require.Regexp(t, `name: API_KEY\n(.*\n)*updated_by: admin\n`, cl.ok(t, "secret", "show", "-g", "1", "API_KEY"))
	require.Contains(t, cl.fails(t, "secret", "show", "-g", "1", "NONE"), "no such object")
	reads := cl.file(t, "d.lua", `gw.log("key " .. gw.secret("API_KEY") .. " in " .. gw.secret("REGION"))`)
	require.Contains(t, cl.fails(t, "glue", "run", "-j", "nightly", reads), "API_KEY", "not granted")
	log := cl.ok(t, "glue", "run", "-j", "nightly", reads, "-s", "secrets=[API_KEY, REGION]")
	require.Contains(t, log, "key *** in eu")
	require.NotContains(t, cl.ok(t, "secret", "list", "-g", "1"), "sup3rs3cret")

	cl.ok(t, "glue", "push", "-j", "nightly", reads, "-m", "reads a secret", "-s", "secrets=[API_KEY, REGION]")
	require.Contains(t, cl.ok(t, "job", "trigger", "nightly", "--version=1", "--param=p2", "--follow"), "one p2")
	require.Contains(t, cl.fails(t, "job", "trigger", "nightly", "--version=9"), "The job has no version 9")
	require.Contains(t, cl.ok(t, "glue", "rollback", "-j", "nightly", "1"), "Version 3")
	require.Equal(t, cl.ok(t, "glue", "show", "-j", "nightly", "1"), cl.ok(t, "glue", "show", "-j", "nightly"))

	cl.pulls(t)
	cl.reviews(t, s)

	started := cl.ok(t, "job", "trigger", "nightly")
	id := regexp.MustCompile(`\d{10,}`).FindString(started)
	require.NotEmpty(t, id, started)
	require.Contains(t, cl.ok(t, "run", "tail", id), "one")
	require.Contains(t, cl.ok(t, "run", "list", "--job", "nightly", "--state", "succeeded"), id)
	require.Contains(t, cl.ok(t, "run", "show", id), "state: succeeded")
	require.Contains(t, cl.ok(t, "run", "again", id, "--follow"), "one")
	require.Contains(t, cl.fails(t, "run", "kill", id), "already ended")
	require.True(t, strings.HasPrefix(cl.ok(t, "run", "list", "--json"), "["))

	cl.ok(t, "alarm-channel", "create", "-s", "name=hook", "-s", "kind=webhook", "-s", `config={url: "http://127.0.0.1:9/hook"}`)
	tried := cl.ok(t, "alarm-channel", "create", "--dry-run", "-s", "name=tried", "-s", "kind=webhook", "-s", `config={url: "http://127.0.0.1:9/hook"}`)
	require.Contains(t, tried, "would be created")
	require.NotContains(t, cl.ok(t, "alarm-channel", "list"), "tried")
	cl.ok(t, "alarm-rule", "create", "-s", "name=all", "-s", "on=[failure, recovery]", "-s", "channel_ids=[1]")
	require.NotContains(t, cl.ok(t, "alarm-channel", "show", "hook"), "127.0.0.1:9/hook")
	require.Contains(t, cl.fails(t, "alarm-channel", "delete", "hook", "-y"), "Alarm rules use this channel")
	require.Contains(t, cl.fails(t, "alarm-channel", "delete", "hook", "--dry-run"), "Alarm rules use this channel")
	require.Contains(t, cl.ok(t, "alarm-rule", "delete", "all", "--dry-run"), "could be deleted")
	cl.looks(t)

	bundle := filepath.Join(cl.dir, "bundle.yaml")
	cl.ok(t, "export", "-o", bundle)
	require.Contains(t, cl.ok(t, "import", "plan", bundle), "0 of ")
	cl.ok(t, "job", "edit", "nightly", "-s", "timeout_s=31")
	require.Contains(t, cl.ok(t, "import", "plan", bundle), "timeout_s: 31 -> 30")
	cl.ok(t, "import", "apply", bundle, "--yes")
	require.Contains(t, cl.ok(t, "job", "show", "nightly"), "timeout_s: 30")
	require.Contains(t, cl.fails(t, "import", "plan", cl.file(t, "bad.yaml", "nonsense: [")), "line")

	password := cl.file(t, "password", "correct horse battery 2")
	cl.ok(t, "user", "create", "li", "--password-file", password, "--grant", "gluewheel-executor=operator")
	require.Contains(t, cl.ok(t, "user", "list"), "operator")
	cl.ok(t, "user", "edit", "li", "-s", "disabled=true")
	cl.ok(t, "user", "delete", "li", "--yes")

	require.Contains(t, cl.fails(t, "job", "delete", "nightly"), "nothing was deleted")
	require.Contains(t, cl.ok(t, "job", "delete", "nightly", "--dry-run"), "job nightly could be deleted")
	require.Contains(t, cl.ok(t, "job", "edit", "nightly", "--dry-run", "-s", "timeout_s=77"), "could be changed so")
	require.Contains(t, cl.ok(t, "job", "show", "nightly"), "timeout_s: 30")
	cl.ok(t, "job", "delete", "nightly", "--yes")
	cl.ok(t, "context", "delete", "test")
	require.Contains(t, cl.fails(t, "job", "list"), "no server")
	require.Equal(t, exitOK, s.stop())
}

// looks asks for what happened.
func (cl commandLine) looks(t *testing.T) {
	t.Helper()
	require.Contains(t, cl.fails(t, "alarm-channel", "test", "hook"), "It was not delivered")
	require.Contains(t, cl.ok(t, "alarm", "list", "-f", "state=delivered"), "CHANNEL")
	require.Contains(t, cl.fails(t, "alarm", "list", "-f", "state=lost"), "query.state")
	require.Contains(t, cl.ok(t, "node", "list", "-f", "alive=true"), "gluewheel-executor")
	require.NotContains(t, cl.ok(t, "node", "list", "-f", "q=nowhere"), "gluewheel-executor")

	require.Contains(t, cl.ok(t, "audit", "list", "-f", "action=createGroup"), "Own")
	require.NotContains(t, cl.ok(t, "audit", "list", "-f", "actor=nobody"), "createGroup")
	lines := cl.ok(t, "audit", "export", "-f", "action=createGroup")
	require.Equal(t, 1, strings.Count(lines, "\n"), lines)
	require.True(t, strings.HasPrefix(lines, "{"), lines)
	file := filepath.Join(cl.dir, "audit.csv")
	cl.ok(t, "audit", "export", "--format", "csv", "-o", file)
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Contains(t, string(text), "id,at,actor")
	require.Contains(t, string(text), "createAlarmChannel")
	require.Contains(t, cl.fails(t, "audit", "export", "-f", "from=yesterday"), "query.from")
}

// TestClient_SaysWhatToDoAboutTokensAndAddresses needs no admin: any 401 will do.
func TestClient_SaysWhatToDoAboutTokensAndAddresses(t *testing.T) {
	t.Setenv("GLUEWHEEL_CONTEXTS", filepath.Join(t.TempDir(), "contexts.yaml"))
	cl := commandLine{t.TempDir()}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/problem+json")
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = w.Write([]byte(`{"title":"Unauthorized","status":401,"detail":"You are not logged in, or the session has expired. Log in."}`))
	}))
	refused := cl.fails(t, "job", "list", "--server", s.URL, "--token", "gw_abcdefghijklmnopqrstuvwxyz")
	require.Contains(t, refused, "does not take the API token gw_abcdef…")
	require.Contains(t, refused, "under Tokens")
	require.Contains(t, refused, "gluewheel context set NAME --server "+s.URL)
	require.NotContains(t, refused, "Log in")
	require.NotContains(t, refused, "gw_abcdefg")

	s.Close()
	away := cl.fails(t, "job", "list", "--server", s.URL, "--token", "gw_abcdefghijklmnopqrstuvwxyz")
	require.Contains(t, away, "no admin answers at "+s.URL)
	require.Contains(t, away, "--server, GLUEWHEEL_SERVER or the context")
	require.Equal(t, 1, strings.Count(away, s.URL))
}

// reviews publishes to a group that asks for a second pair of eyes, for as long as it takes.
func (cl commandLine) reviews(t *testing.T, s standalone) {
	t.Helper()
	cl.ok(t, "group", "edit", "1", "-s", "require_review=true")
	for _, remark := range []string{"not so good", "a good one"} {
		changed := cl.file(t, "changed.lua", `gw.log("one"); return "`+remark+`"`)
		require.Contains(t, cl.ok(t, "glue", "push", "-j", "nightly", changed, "-m", remark), "waits for another publisher")
	}
	require.Contains(t, cl.ok(t, "review", "list"), "a good one")
	require.Contains(t, cl.fails(t, "glue", "approve", "-j", "nightly", "5"), "yourself")

	cl.ok(t, "user", "create", "mo", "--password-file", cl.file(t, "password", "a long password"), "--grant", "gluewheel-executor=publisher")
	mo, err := newClient(s.url)
	require.NoError(t, err)
	defer mo.close()
	require.NoError(t, mo.login(t.Context(), "mo", "a long password"))
	var made struct {
		Token string `json:"token"`
	}
	require.NoError(t, mo.call(t.Context(), http.MethodPost, "/tokens", object{"name": "cli", "role": "publisher", "group_ids": []int{}}, &made))
	cl.ok(t, "context", "set", "mo", "--server", s.url, "--token-file", cl.file(t, "token", made.Token))
	cl.ok(t, "context", "use", "mo")
	require.Contains(t, cl.ok(t, "glue", "reject", "-j", "nightly", "4", "-m", "too loud"), "rejected")
	require.Contains(t, cl.ok(t, "glue", "approve", "-j", "nightly", "5"), "Version 5 of job nightly is live")
	require.Contains(t, cl.ok(t, "glue", "list", "-j", "nightly"), "rejected")
	cl.ok(t, "context", "use", "test")
	cl.ok(t, "context", "delete", "mo")
	cl.ok(t, "group", "edit", "1", "-s", "require_review=false")
	cl.ok(t, "user", "delete", "mo", "--yes")
}

func TestCompletion(t *testing.T) {
	t.Parallel()
	for _, shell := range []string{"bash", "zsh", "fish"} {
		code, stdout, _ := command(t, "completion", shell)
		require.Equal(t, exitOK, code)
		require.Contains(t, stdout, "gluewheel __complete")
	}
	_, stdout, _ := command(t, "__complete", "job")
	require.Contains(t, stdout, "trigger\n")
	_, stdout, _ = command(t, "__complete", "run", "again", "--version")
	require.Equal(t, "same\nnewest\n", stdout)
}

func TestContexts_ATokenIsForItsOwnServer(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("GLUEWHEEL_CONTEXTS", filepath.Join(dir, "contexts.yaml"))
	cl := commandLine{dir}
	cl.ok(t, "context", "set", "prod", "--server", "https://jobs.example.com", "--token-file", cl.file(t, "token", "gw_secret\n"))
	require.Contains(t, cl.fails(t, "job", "list", "--server", "http://127.0.0.1:1"), "no API token for http://127.0.0.1:1: make one in the page under Tokens, then give it with --token, GLUEWHEEL_API_TOKEN")
	info, err := os.Stat(filepath.Join(dir, "contexts.yaml"))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	require.Contains(t, cl.fails(t, "context", "use", "dev"), "there is no context")
	two := cl.file(t, "two", "gw_secret\ngw_other\n")
	require.Contains(t, cl.fails(t, "context", "set", "dev", "--server", "http://127.0.0.1:1", "--token-file", two), "holds more than an API token")
}

// pulls wants back what was pushed.
func (cl commandLine) pulls(t *testing.T) {
	t.Helper()
	file := filepath.Join(cl.dir, "pulled")
	require.Contains(t, cl.ok(t, "glue", "pull", "-j", "nightly", "2", "-o", file), "Version 2 of job nightly")
	same := func(want string) {
		t.Helper()
		got, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Equal(t, want, string(got))
	}
	same(`gw.log("key " .. gw.secret("API_KEY") .. " in " .. gw.secret("REGION"))`)

	const command = "\x00asm\x01\x00\x00\x00\x01\x04\x01\x60\x00\x00\x03\x02\x01\x00" + // (func) and a function of it …
		"\x07\x0a\x01\x06_start\x00\x00\x0a\x04\x01\x02\x00\x0b" // … that is exported and does nothing
	cl.ok(t, "job", "create", "-s", "group_id=1", "-s", "name=module", "-s", "author=test", "-s", "glue_type=GLUE_WASM")
	cl.ok(t, "glue", "push", "-j", "module", cl.file(t, "m.wasm", command), "-m", "a module")
	cl.ok(t, "glue", "pull", "-j", "module", "-o", file)
	same(command)
	require.Contains(t, cl.fails(t, "glue", "pull", "-j", "module", "7", "-o", file), "no such object")
}
