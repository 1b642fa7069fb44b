package interop

import (
	"fmt"
	"slices"
	"strings"
)

const (
	token   = "interop-token-51c7"
	appName = "app-test"
)

// dialect is how peers of one generation were recorded to talk.
type dialect struct {
	name string
	// head are a request's headers in the order in which the peer sends them.
	head []string
	// base is the path of the admin that the peer has configured.
	base string
	// kept is what our admin calls the dialect.
	kept string
	// bareBeat: /beat comes without a body and without a length; otherwise as two quotes.
	bareBeat bool
	// run is the path of triggers.
	run string
	// taken, killed and logged are an executor's answers.
	taken, killed string
	logged        string // of one log piece: from, to, content as a JSON string
	// logTime is the member of a log request that the executor reads.
	logTime string
	// callback is a report: run id, code, and a message that must arrive as awkward.
	callback string
	// adminOK is the admin's answer to a call; adminRefuses its answer to a callback in
	// another shape, "" when it takes any.
	adminOK, adminRefuses string
}

// awkward is a text that the generations escape differently.
const awkward = "ok <b>&='\u2028"

// How awkward travels: 2.x escapes what HTML knows, everybody escapes U+2028.
const (
	escaped2 = `ok \u003cb\u003e\u0026\u003d\u0027\u2028`
	escaped3 = `ok <b>&='\u2028`
)

var javaTail = []string{
	"Cache-Control: no-cache", "Pragma: no-cache", "User-Agent: Java/17.0.15", "Host: peer",
	"Accept: text/html, image/gif, image/jpeg, */*; q=0.2", "Connection: keep-alive",
}

func java(head ...string) []string { return append(head, javaTail...) }

var (
	head2 = java("Content-Type: application/json;charset=UTF-8", "Accept-Charset: application/json;charset=UTF-8",
		"XXL-JOB-ACCESS-TOKEN: "+token)
	head3 = java("Accept-Charset: UTF-8", "Content-Type: application/json;charset=UTF-8", "XXL-JOB-ACCESS-TOKEN: "+token)
)

const (
	contentLog = `{"code":200,"content":{"fromLineNum":%d,"toLineNum":%d,"logContent":%s,"isEnd":false}}`
	dataLog    = `{"code":200,"msg":"Success","data":{"fromLineNum":%d,"toLineNum":%d,"logContent":%s,"isEnd":false}}`
	array      = `[{"logId":%d,"logDateTim":1586629003729,"handleCode":%d,"handleMsg":"%s"}]`
)

// dialects are all generations, oldest first, and the Go client.
var dialects = []dialect{
	{
		name: "A0 2.2.0", head: head2, base: "/xxl-job-admin", kept: "A", run: "/run", logTime: "logDateTim",
		taken: `{"code":200}`, killed: `{"code":200}`, logged: contentLog,
		callback: `[{"logId":%d,"logDateTim":1586629003729,"executeResult":{"code":%d,"msg":"%s"}}]`,
		adminOK:  `{"code":200,"msg":null,"content":null}`,
	},
	{
		name: "A 2.4.2", head: head2, base: "/xxl-job-admin", kept: "A", run: "/run", logTime: "logDateTim",
		taken: `{"code":200}`, killed: `{"code":200,"msg":"job thread already killed."}`, logged: contentLog,
		callback: array, adminOK: `{"code":200,"msg":null,"content":null}`,
	},
	{
		name: "A′ 3.2.0", head: head2, base: "/xxl-job-admin", kept: "A", run: "/run", logTime: "logDateTim",
		taken:  `{"code":200,"msg":"Success"}`,
		killed: `{"code":200,"msg":"Success","content":"job thread already killed."}`, logged: contentLog,
		callback: array, adminOK: `{"code":200,"msg":"Success","content":null,"success":true}`,
	},
	{
		name: "B 3.4.2", head: head3, base: "", kept: "B", bareBeat: true, run: "/run", logTime: "logDateTim",
		taken:  `{"code":200,"msg":"Success"}`,
		killed: `{"code":200,"msg":"Success","data":"job thread already killed."}`, logged: dataLog,
		callback: array, adminOK: `{"code":200,"data":null,"msg":"Success","success":true}`,
	},
	{
		name: "C 3.5.0", head: append([]string{"XXL-JOB-APPNAME: " + appName}, head3...), base: "", kept: "C",
		bareBeat: true, run: "/trigger", logTime: "logDateTime",
		taken:  `{"code":200,"msg":"Success"}`,
		killed: `{"code":200,"msg":"Success","data":"job thread already killed."}`, logged: dataLog,
		callback:     `{"callbackList":[{"logId":%d,"logDateTime":1586629003729,"handleCode":%d,"handleMsg":"%s"}]}`,
		adminOK:      `{"code":200,"data":null,"msg":"Success","success":true}`,
		adminRefuses: `{"code":500,"data":null,"msg":"openapi invoke error: Expected BEGIN_OBJECT but was BEGIN_ARRAY at line 1 column 2 path $","success":false}`,
	},
	{
		name: "Go client",
		head: []string{
			"Host: peer", "User-Agent: Go-http-client/1.1", "Content-Type: application/json;charset=UTF-8",
			"XXL-JOB-ACCESS-TOKEN: " + token, "Accept-Encoding: gzip",
		},
		base: "/xxl-job-admin", run: "/run", logTime: "logDateTim",
		taken: `{"code":200,"msg":""}`, killed: `{"code":200,"msg":""}`, logged: contentLog,
		callback: `[{"logId":%[1]d,"logDateTim":0,"executeResult":{"code":%[2]d,"msg":"%[3]s"},"handleCode":%[2]d,"handleMsg":"%[3]s"}]`,
		adminOK:  `{"code":200,"msg":null,"content":null}`,
	},
}

// of is the dialect as the executors of an app speak it.
func (d *dialect) of(app string) *dialect {
	own := *d
	own.head = slices.Clone(d.head)
	for i, line := range own.head {
		own.head[i] = strings.Replace(line, appName, app, 1)
	}
	return &own
}

// post is a request as the dialect sends it, with the body's length.
func (d *dialect) post(path, body string) string {
	return d.bare(path, fmt.Sprintf("Content-Length: %d\r\n", len(body)), body)
}

// beat is the probe as the dialect's admins send it.
func (d *dialect) beat() string {
	if d.bareBeat {
		return d.bare("/beat", "", "")
	}
	return d.post("/beat", `""`)
}

func (d *dialect) bare(path, length, body string) string {
	return "POST " + path + " HTTP/1.1\r\n" + strings.Join(d.head, "\r\n") + "\r\n" + length + "\r\n" + body
}

// api is a call of the admin.
func (d *dialect) api(name, body string) string { return d.post(d.base+"/api/"+name, body) }

// report is the dialect's callback for one run.
func (d *dialect) report(run int64, code int) string {
	message := escaped3
	if d.kept == "A" {
		message = escaped2
	}
	return fmt.Sprintf(d.callback, run, code, message)
}
