package api_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/alarm"
	"github.com/gluewheel/gluewheel/admin/api"
	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/admin/seal"
	"github.com/gluewheel/gluewheel/admin/secret"
)

var authoringOperations = table{
	"bulkJobs":        {access: operators, anyGroup: true, body: `{"action":"stop","ids":[{job}]}`, each: true},
	"exportBundle":    {access: loggedIn},
	"planImport":      {access: editors, media: "application/yaml", body: bundleText, quiet: true},
	"applyImport":     {access: editors, media: "application/yaml", body: bundleText},
	"getDraft":        {access: editors, own: true, prepare: ownDraft},
	"saveDraft":       {access: editors, body: `{"glue_type":"GLUE_LUA","source":"print(4)","base_version":1}`, quiet: true},
	"deleteDraft":     {access: editors, prepare: ownDraft, quiet: true},
	"listDrafts":      {access: viewers},
	"getDraftOf":      {access: editors, prepare: anothersDraft},
	"checkCode":       {access: editors, anyGroup: true, body: `{"glue_type":"GLUE_LUA","source":"print(4)"}`, quiet: true},
	"testRun":         {access: editors, body: `{"glue_type":"GLUE_LUA","source":"print(4)"}`, prepare: liveExecutor},
	"rerun":           {access: operators, body: `{"version":"newest"}`, prepare: endedRun},
	"listRelatedRuns": {access: viewers},
}

// bundleText brings a new job into the group.
const bundleText = `
gluewheel: 1
groups:
- app_name: mine
  title: "{title}"
  address_type: 0
  jobs:
  - {name: "{name}", author: a, glue_type: GLUE_LUA}
`

var alarmOperations = table{
	"listAlarmChannels":  {access: leaders, anyGroup: true},
	"createAlarmChannel": {access: admins, body: `{"name":"{name}","kind":"webhook","config":{"url":"https://192.0.2.1/hook"}}`},
	"getAlarmChannel":    {access: leaders, anyGroup: true, prepare: aChannel},
	"updateAlarmChannel": {access: admins, body: `{"name":"{name}","kind":"webhook","config":{},"version":1}`, prepare: aChannel},
	"deleteAlarmChannel": {access: admins, prepare: aChannel},
	"testAlarmChannel":   {access: admins, prepare: aChannel},
	"listAlarmRules":     {access: leaders, anyGroup: true},
	"createAlarmRule":    {access: leaders, body: `{"name":"{name}","group_id":{group},"on":["failure"],"channel_ids":[{channel}]}`, prepare: aRule},
	"getAlarmRule":       {access: leaders, prepare: aRule},
	"updateAlarmRule":    {access: leaders, body: `{"name":"{name}","group_id":{group},"on":["failure"],"channel_ids":[{channel}],"version":1}`, prepare: aRule},
	"deleteAlarmRule":    {access: leaders, prepare: aRule},
	"listAlarms":         {access: leaders, anyGroup: true},
}

var reportOperations = table{
	"reportSummary":  {access: loggedIn},
	"reportRuns":     {access: loggedIn},
	"reportJobs":     {access: loggedIn},
	"reportUpcoming": {access: loggedIn},
	"jobHistory":     {access: viewers},
}

var secretOperations = table{
	"listSecrets":    {access: leaders},
	"getSecret":      {access: leaders, prepare: aSecret},
	"putSecret":      {access: leaders, body: `{"value":"12345678","version":{secretversion}}`, prepare: aSecret},
	"deleteSecret":   {access: leaders, prepare: aSecret},
	"listVariables":  {access: leaders},
	"getVariable":    {access: leaders, prepare: aSecret},
	"putVariable":    {access: leaders, body: `{"value":"no secret","version":{variableversion}}`, prepare: aSecret},
	"deleteVariable": {access: leaders, prepare: aSecret},
}

var wireOperations = table{
	"listGroupTokens":  {access: leaders},
	"createGroupToken": {access: leaders, body: `{"name":"{name}"}`, prepare: roomForTokens},
	"deleteGroupToken": {access: leaders, prepare: aGroupToken},
	"listWaiting":      {access: auditors},
	"acceptWaiting":    {access: admins, body: `{"title":"t"}`, prepare: aWaitingApp},
}

// deaf delivers nothing.
type deaf struct{ *alarm.Alarms }

func (deaf) Test(context.Context, job.AlarmChannel) error { return nil }

// setupKeeping serves with the parts that keep secrets.
func setupKeeping(t *testing.T) *bench {
	t.Helper()
	b := setup(t)
	deps := b.deps()
	b.keep(&deps)
	b.serve(deps)
	return b
}

// keep adds the parts that keep secrets.
func (b *bench) keep(deps *api.Deps) {
	b.t.Helper()
	ring, err := seal.Parse(seal.NewKey())
	require.NoError(b.t, err)
	alarms, err := alarm.New(alarm.Config{Store: b.store, Seal: ring, Log: deps.Log})
	require.NoError(b.t, err)
	deps.Seal, deps.Vault, deps.Alarms = ring, secret.New(b.store, ring), deaf{alarms}
}

func ownDraft(_ *bench, c *caller, o *objects) {
	put[api.Draft](c.session, fmt.Sprintf("/jobs/%d/draft", o.job.ID), `{"glue_type":"GLUE_LUA","source":"print(4)","base_version":1}`)
}

func anothersDraft(b *bench, _ *caller, o *objects) {
	put[api.Draft](b.admin, fmt.Sprintf("/jobs/%d/draft", o.job.ID), `{"glue_type":"GLUE_LUA","source":"print(4)","base_version":1}`)
	o.extra = append(o.extra, "{username}", "admin")
}

func (b *bench) register(app string) {
	b.t.Helper()
	beat := job.Beat{AppName: app, Address: "http://192.0.2.1:9999", Dialect: "gluewheel"}
	require.NoError(b.t, b.store.StoreBeats(b.t.Context(), []job.Beat{beat}))
}

func liveExecutor(b *bench, _ *caller, o *objects) { b.register(o.group.AppName) }

// endedRun leaves the run of the objects as it is: any may be repeated.
func endedRun(*bench, *caller, *objects) {}

func (b *bench) channel() int32 {
	b.t.Helper()
	return post[api.AlarmChannel](b.admin, "/alarm-channels", fmt.Sprintf(`{"name":%q,"kind":"webhook","config":{"url":"https://192.0.2.1/hook"}}`, b.unique("channel"))).ID
}

func aChannel(b *bench, _ *caller, o *objects) { o.id = fmt.Sprint(b.channel()) }

func aRule(b *bench, _ *caller, o *objects) {
	channel := b.channel()
	o.extra = append(o.extra, "{channel}", fmt.Sprint(channel))
	body := fmt.Sprintf(`{"name":"r","group_id":%d,"on":["failure"],"channel_ids":[%d]}`, o.group.ID, channel)
	o.id = fmt.Sprint(post[api.AlarmRule](b.admin, "/alarm-rules", body).ID)
}

func aSecret(b *bench, _ *caller, o *objects) {
	path, name := fmt.Sprintf("/groups/%d", o.group.ID), strings.ReplaceAll(b.unique("NAME"), "-", "_")
	secret := put[api.Secret](b.admin, path+"/secrets/"+name, `{"value":"a secret","version":0}`)
	variable := put[api.Variable](b.admin, path+"/variables/"+name, `{"value":"a value","version":0}`)
	o.extra = append(o.extra, "{name}", name,
		"{secretversion}", fmt.Sprint(secret.Version), "{variableversion}", fmt.Sprint(variable.Version))
}

// roomForTokens keeps the group from filling up.
func roomForTokens(b *bench, _ *caller, o *objects) {
	tokens, err := b.store.GroupTokens(b.t.Context(), o.group.ID)
	require.NoError(b.t, err)
	for _, t := range tokens {
		require.NoError(b.t, b.store.DeleteGroupToken(b.t.Context(), o.group.ID, t.ID))
	}
}

func aGroupToken(b *bench, c *caller, o *objects) {
	roomForTokens(b, c, o)
	made := post[api.NewGroupToken](b.admin, fmt.Sprintf("/groups/%d/tokens", o.group.ID), `{"name":"t"}`)
	o.extra = append(o.extra, "{token_id}", fmt.Sprint(made.ID))
}

func aWaitingApp(b *bench, _ *caller, o *objects) {
	app := b.unique("waiting")
	b.register(app)
	o.extra = append(o.extra, "{app_name}", app)
}
