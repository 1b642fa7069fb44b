package job

import (
	"errors"
	"fmt"
	"net/mail"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/gluewheel/gluewheel/glue"
)

// Limits on what a job or a group may say. Lengths in characters.
const (
	MaxName        = 200
	MaxDescription = 2000
	MaxAuthor      = 64
	MaxAlarmEmail  = 1000 // XXL-JOB keeps 255
	MaxConf        = 500
	MaxTimeZone    = 64
	MaxHandler     = 255      // as in XXL-JOB
	MaxParam       = 64 << 10 // it goes into every trigger; XXL-JOB keeps 512
	MaxTimeoutS    = 7 * 24 * 3600
	MaxRetryCount  = 100
	MaxRetryDelayS = 24 * 3600
	MaxCatchUp     = 1000
	MaxConcurrent  = 10000 // runs of a job at the same time
	MaxChildren    = 100
	MaxTitle       = 100
	MaxAddresses   = 500
	MaxAddress     = 500
	MinAppName     = 4 // as in XXL-JOB
	MaxAppName     = 64
	MaxGrants      = 100 // hosts, or secrets, of a manifest
)

// CheckSchedule says what is wrong with a schedule, with a FieldError where it knows the
// field; nil = nothing.
type CheckSchedule func(t Timing) error

var (
	scheduleTypes     = []ScheduleType{ScheduleNone, ScheduleCron, ScheduleFixRate, ScheduleFixDelay, ScheduleOnce}
	dstPolicies       = []DSTPolicy{DSTXXL, DSTRunOnce}
	retryBackoffs     = []RetryBackoff{RetryFixed, RetryExponential}
	misfireStrategies = []MisfireStrategy{MisfireDoNothing, MisfireFireOnce, MisfireCatchUp}
	routeStrategies   = []RouteStrategy{
		RouteFirst, RouteLast, RouteRound, RouteRandom, RouteHash,
		RouteLFU, RouteLRU, RouteFailover, RouteBusyover, RouteBroadcast,
	}
	blockStrategies = []string{"SERIAL_EXECUTION", "DISCARD_LATER", "COVER_EARLY"} // protocol.Block…
)

// ScheduleTypes lists the words for Job.ScheduleType, in the order that people see.
func ScheduleTypes() []ScheduleType { return slices.Clone(scheduleTypes) }

// DSTPolicies lists the words for Job.DSTPolicy.
func DSTPolicies() []DSTPolicy { return slices.Clone(dstPolicies) }

// RetryBackoffs lists the words for Job.RetryBackoff.
func RetryBackoffs() []RetryBackoff { return slices.Clone(retryBackoffs) }

// MisfireStrategies lists the words for Job.MisfireStrategy.
func MisfireStrategies() []MisfireStrategy { return slices.Clone(misfireStrategies) }

// RouteStrategies lists the words for Job.RouteStrategy.
func RouteStrategies() []RouteStrategy { return slices.Clone(routeStrategies) }

// BlockStrategies lists the words for Job.BlockStrategy.
func BlockStrategies() []string { return slices.Clone(blockStrategies) }

// fields collects what is wrong.
type fields []*FieldError

func (f *fields) add(field, format string, args ...any) {
	*f = append(*f, &FieldError{Field: field, Message: fmt.Sprintf(format, args...)})
}

func (f *fields) length(field, text string, least, most int) {
	switch n := utf8.RuneCountInString(text); {
	case least > 0 && strings.TrimSpace(text) == "":
		f.add(field, "This is required. Fill it in.")
	case n < least:
		f.add(field, "It has %d characters. Use at least %d.", n, least)
	case n > most:
		f.add(field, "It has %d characters. Use at most %d.", n, most)
	}
}

func (f *fields) between(field string, n, least, most int32) {
	if n < least || n > most {
		f.add(field, "%d is out of range. Use %d to %d.", n, least, most)
	}
}

func oneOf[T ~string](f *fields, field string, value T, known []T) {
	if slices.Contains(known, value) {
		return
	}
	words := make([]string, len(known))
	for i, k := range known {
		words[i] = string(k)
	}
	f.add(field, "%q is not known. Use one of %s.", value, strings.Join(words, ", "))
}

// ValidateJob says what is wrong with a job as somebody entered it. It looks at the job
// alone: whether its group and its children exist is for the caller to find out.
func ValidateJob(j *Job, schedule CheckSchedule) []*FieldError {
	var f fields
	f.length("name", j.Name, 1, MaxName)
	f.length("description", j.Description, 0, MaxDescription)
	f.length("author", j.Author, 1, MaxAuthor)
	f.emails("alarm_email", j.AlarmEmail)
	f = append(f, ValidateSchedule(j.Timing(), schedule)...)
	oneOf(&f, "misfire_strategy", j.MisfireStrategy, misfireStrategies)
	f.between("catch_up_limit", j.CatchUpLimit, 1, MaxCatchUp)
	oneOf(&f, "route_strategy", j.RouteStrategy, routeStrategies)
	oneOf(&f, "block_strategy", j.BlockStrategy, blockStrategies)
	f.concurrent(j)
	f.length("param", j.Param, 0, MaxParam)
	f.between("timeout_s", j.TimeoutS, 0, MaxTimeoutS)
	f.between("retry_count", j.RetryCount, 0, MaxRetryCount)
	f.between("retry_delay_s", j.RetryDelayS, 0, MaxRetryDelayS)
	oneOf(&f, "retry_backoff", j.RetryBackoff, retryBackoffs)
	f.between("retry_max_delay_s", j.RetryMaxDelayS, 0, MaxRetryDelayS)
	f.between("retry_jitter_pct", j.RetryJitterPct, 0, 100)
	if j.RetryMaxDelayS != 0 && j.RetryMaxDelayS < j.RetryDelayS {
		f.add("retry_max_delay_s", "It is less than the delay itself, %d. Use at least that, or 0 for no bound of the job's own.", j.RetryDelayS)
	}
	f.code(j)
	f.children(j)
	j.Tags = CleanTags(j.Tags)
	f = append(f, ValidateTags("tags", j.Tags)...)
	return f
}

// ValidateSchedule says what is wrong with a schedule as somebody entered it.
func ValidateSchedule(t Timing, check CheckSchedule) []*FieldError {
	var f fields
	oneOf(&f, "schedule_type", t.Type, scheduleTypes)
	f.length("schedule_conf", t.Conf, 0, MaxConf)
	f.zone(t.Zone)
	oneOf(&f, "dst_policy", t.DST, dstPolicies)
	if t.ValidFrom != nil && t.ValidUntil != nil && t.ValidUntil.Before(*t.ValidFrom) {
		f.add("valid_until", "It ends before it begins. Choose an instant from valid_from on.")
	}
	if len(f) > 0 {
		return f
	}
	f.wrong("schedule_conf", check(t))
	return f
}

// wrong adds an error, at the field that it names itself if it does.
func (f *fields) wrong(field string, err error) {
	if named, ok := errors.AsType[*FieldError](err); ok {
		f.add(named.Field, "%s", sentence(named.Message))
	} else if err != nil {
		f.add(field, "%s", sentence(err.Error()))
	}
}

func (f *fields) zone(name string) {
	// "Local" would mean another zone on each admin.
	_, err := time.LoadLocation(name)
	if err != nil || name == "Local" || len(name) > MaxTimeZone {
		f.add("time_zone", "%q is not a time zone. Use an IANA name such as Asia/Shanghai, or leave it empty for the server's.", name)
	}
}

func (f *fields) concurrent(j *Job) {
	f.between("max_concurrent", j.MaxConcurrent, 0, MaxConcurrent)
	if j.MaxConcurrent > 0 && j.RouteStrategy == RouteBroadcast {
		f.add("max_concurrent", "A broadcast runs on all executors at once. Use 0, or another route strategy.")
	}
}

func (f *fields) code(j *Job) {
	info, ok := glue.Lookup(j.GlueType)
	switch {
	case !ok:
		f.add("glue_type", "%q is not known. Use BEAN or one of the GLUE types.", j.GlueType)
	case !info.Type.Live() && strings.TrimSpace(j.Handler) == "":
		f.add("handler", "A BEAN job needs the name of a handler. Fill it in.")
	}
	f.length("handler", j.Handler, 0, MaxHandler)
}

func (f *fields) children(j *Job) {
	if len(j.ChildJobIDs) > MaxChildren {
		f.add("child_job_ids", "There are %d. Use at most %d.", len(j.ChildJobIDs), MaxChildren)
		return
	}
	for i, id := range j.ChildJobIDs {
		field := fmt.Sprintf("child_job_ids[%d]", i)
		switch {
		case id <= 0:
			f.add(field, "%d is not the id of a job.", id)
		case id == j.ID:
			f.add(field, "A job cannot be its own child: it would run for ever. Take it out.")
		case slices.Contains(j.ChildJobIDs[:i], id):
			f.add(field, "Job %d stands here twice. Take one out.", id)
		}
	}
}

func (f *fields) emails(field, list string) {
	f.length(field, list, 0, MaxAlarmEmail)
	if strings.TrimSpace(list) == "" {
		return
	}
	for _, one := range strings.Split(list, ",") {
		one = strings.TrimSpace(one)
		if a, err := mail.ParseAddress(one); err != nil || a.Address != one || a.Name != "" {
			f.add(field, "%q is not an e-mail address. Write them as a@example.com, b@example.com.", one)
		}
	}
}

var appName = regexp.MustCompile(`^[a-z][a-z0-9-]*$`)

// ValidateGroup says what is wrong with a group as somebody entered it.
func ValidateGroup(g *Group) []*FieldError {
	var f fields
	f.length("app_name", g.AppName, MinAppName, MaxAppName)
	if g.AppName != "" && !appName.MatchString(g.AppName) {
		f.add("app_name", "Use a small letter first, then small letters, digits and hyphens.")
	}
	f.length("title", g.Title, 1, MaxTitle)
	if g.AddressType != 0 && g.AddressType != 1 {
		f.add("address_type", "%d is not known. Use 0 (executors register) or 1 (entered by hand).", g.AddressType)
	}
	if g.Manual() && len(g.AddressList) == 0 {
		f.add("address_list", "A group whose addresses are entered by hand needs at least one. Add one such as http://10.0.0.5:9999.")
	}
	f = append(f, ValidateAddresses("address_list", g.AddressList)...)
	return f
}

// ValidateAddresses says which executor addresses are not usable.
func ValidateAddresses(field string, addresses []string) []*FieldError {
	var f fields
	if len(addresses) > MaxAddresses {
		f.add(field, "There are %d. Use at most %d.", len(addresses), MaxAddresses)
		return f
	}
	for i, a := range addresses {
		if !validAddress(a) {
			f.add(fmt.Sprintf("%s[%d]", field, i), "%q is not an executor's address. Write it as http://10.0.0.5:9999.", a)
		} else if slices.ContainsFunc(addresses[:i], func(b string) bool { return SameAddress(a) == SameAddress(b) }) {
			f.add(fmt.Sprintf("%s[%d]", field, i), "This address stands here twice. Take one out.")
		}
	}
	return f
}

func validAddress(address string) bool {
	u, err := url.Parse(address)
	return err == nil && len(address) <= MaxAddress &&
		(u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" &&
		u.User == nil && u.RawQuery == "" && !u.ForceQuery && u.Fragment == "" && !strings.Contains(address, "#")
}

// Bounds of what a manifest may ask for; the executor may allow less.
const (
	MinManifestMemory = 1 << 20 // bytes; no engine starts in less
	MaxManifestMemory = 4 << 30 // bytes
	MaxManifestCPU    = MaxTimeoutS
	MaxManifestLog    = 1 << 30 // bytes
)

var secretName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,63}$`)

// hostName is a DNS name or an IPv4 address, with a leading "*." for all below it, and
// a port after a colon.
var hostName = regexp.MustCompile(`^(\*\.)?[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?(:([1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5]))?$`)

// ValidateManifest says what is wrong with a manifest; fields are named below "manifest".
func ValidateManifest(m glue.Manifest) []*FieldError {
	var f fields
	size := func(field string, n, least, most int64) {
		if n != 0 && (n < least || n > most) {
			f.add("manifest."+field, "%d is out of range. Use %d to %d, or 0 for the executor's default.", n, least, most)
		}
	}
	size("memory_bytes", m.MemoryBytes, MinManifestMemory, MaxManifestMemory)
	size("cpu_seconds", m.CPUSeconds, 1, MaxManifestCPU)
	size("log_bytes", m.LogBytes, 1, MaxManifestLog)
	names := func(field string, list []string, valid *regexp.Regexp, example string) {
		if len(list) > MaxGrants {
			f.add("manifest."+field, "There are %d. Use at most %d.", len(list), MaxGrants)
			return
		}
		for i, name := range list {
			if !valid.MatchString(name) {
				f.add(fmt.Sprintf("manifest.%s[%d]", field, i), "%q does not fit. Write it like %s.", name, example)
			}
		}
	}
	names("hosts", m.Hosts, hostName, "api.example.com")
	names("secrets", m.Secrets, secretName, "API_KEY")
	if m.Isolation != "" && m.Isolation != glue.IsolationInproc {
		f.add("manifest.isolation", "%q does not fit. Use inproc, or leave it out for the sandbox.", m.Isolation)
	}
	return f
}

// ValidateRemark says what is wrong with the remark of a version; nil = nothing.
func ValidateRemark(remark string) []*FieldError {
	var f fields
	f.length("remark", remark, glue.MinRemark, glue.MaxRemark)
	return f
}

var digest = regexp.MustCompile(`^sha256:[0-9a-f]{64}$`)

// ValidateGrants says what code of a type is granted in vain. Only the sandbox asks for
// what a manifest grants: a script would seem to be held to its hosts, and is not. It is
// not part of ValidatePublish, because versions from before stay as they are.
func ValidateGrants(t glue.Type, m glue.Manifest) []*FieldError {
	var f fields
	if info, ok := glue.Lookup(t); !ok || info.Sandbox {
		return f
	}
	const advice = "or write the job in Lua, JavaScript or WebAssembly."
	if len(m.Secrets) > 0 {
		f.add("manifest.secrets", "Scripts run outside the sandbox and get no secrets. Take them out, "+advice)
	}
	if len(m.Hosts) > 0 {
		f.add("manifest.hosts", "Scripts run outside the sandbox, and no list of hosts binds them. Take them out, "+advice)
	}
	if m.KV {
		f.add("manifest.kv", "Scripts run outside the sandbox and get no kv. Take it out, "+advice)
	}
	return f
}

// ValidatePublish says what is wrong with new code of a type, and cleans its source.
// Whether the code can run, and whether the module exists, is for the caller to find out.
func ValidatePublish(t glue.Type, p *Publish) []*FieldError {
	f := fields(ValidateRemark(p.Remark))
	return append(f, ValidateCode(t, &p.Source, p.Artifact, p.Manifest)...)
}

// sentence makes an error's text one for people.
func sentence(text string) string {
	r, n := utf8.DecodeRuneInString(text)
	text = strings.ToUpper(string(r)) + text[n:]
	if !strings.HasSuffix(text, ".") {
		text += "."
	}
	return text
}

// ValidateParam says what is wrong with a run's own parameter.
func ValidateParam(param string) []*FieldError {
	var f fields
	f.length("param", param, 0, MaxParam)
	return f
}
