package wire

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-json"
	"github.com/gofiber/fiber/v2"

	"github.com/gluewheel/gluewheel/admin/audit"
	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/executor/protocol"
	"github.com/gluewheel/gluewheel/glue"
)

// jobStore holds jobs and their code.
type jobStore interface {
	Group(ctx context.Context, id int32) (job.Group, error)
	Job(ctx context.Context, id int32) (job.Job, error)
	CreateJob(ctx context.Context, j job.Job) (job.Job, error)
	UpdateJob(ctx context.Context, j job.Job, next job.NextFunc) (job.Write, error)
	DeleteJob(ctx context.Context, id int32) (job.Write, error)
	StartJob(ctx context.Context, id int32, next job.NextFunc) (job.Write, error)
	StopJob(ctx context.Context, id int32) (job.Write, error)
	Trigger(ctx context.Context, req job.TriggerRequest) (job.Fire, error)
	PublishVersion(ctx context.Context, p job.Publish) (job.Published, error)
}

// Schedule computes instants.
type Schedule interface {
	Next(t time.Time) time.Time
}

// JobAPI is what the job-management API of 3.5 needs; everything is required.
type JobAPI struct {
	Store jobStore
	// Schedule compiles a schedule.
	Schedule func(t job.Timing) (Schedule, error)
	// Fired hands over a run that was planned.
	Fired func([]job.Fire)
	// CheckSource looks for mistakes in code, without running it.
	CheckSource func(ctx context.Context, t glue.Type, source string) error
	// Addresses are those of a group's executors.
	Addresses func(g *job.Group) []string
}

func (a *JobAPI) check() error {
	if a.Store == nil || a.Schedule == nil || a.Fired == nil || a.CheckSource == nil || a.Addresses == nil {
		return errors.New("mount executor endpoints: Jobs needs Store, Schedule, Fired, CheckSource and Addresses")
	}
	return nil
}

// Texts of the job API.
const (
	msgNoJob      = "The job does not exist, or belongs to another group."
	msgNoSchedule = "The current schedule type disables startup"
	openAPIAuthor = "openapi" // XXL-JOB's name for who calls it
	firstRemark   = "GLUE代码初始化"
)

// jobCall is a call by one group.
type jobCall struct {
	group int32
	body  []byte
}

// jobAction lets a call through to act that names its group in the header of 3.5 and has
// that group's token, or the global one. Unlike in XXL-JOB, where every group may act on
// every job, it acts for that group alone.
func jobAction(act func(h *handler, ctx context.Context, in *jobCall) (*string, error)) action {
	return func(h *handler, ctx context.Context, c *fiber.Ctx, in *call) (*string, error) {
		group := h.Access.Group(in.app)
		switch {
		case in.app == "":
			return nil, refusal(msgNoCredentials)
		case group == 0 || !in.May(in.app):
			return nil, refusal(msgBadCredentials)
		}
		if err := h.rates.take(ctx, group); err != nil {
			return nil, err
		}
		payload, err := act(h, h.audited(ctx, c, in.app), &jobCall{group, in.body})
		return payload, inWords(err)
	}
}

// audited puts the call into the audit log when it changes something.
func (h *handler) audited(ctx context.Context, c *fiber.Ctx, app string) context.Context {
	return audit.With(ctx, job.AuditEntry{
		Actor: app, ActorKind: job.ActorToken, Action: "wire." + c.Params("name"), ObjectType: "job", Address: c.IP(),
	})
}

// inWords makes a refusal of what the caller can mend.
func inWords(err error) error {
	if wrong, ok := errors.AsType[*job.FieldError](err); ok {
		return refusal(wrong.Error())
	}
	if wrong, ok := errors.AsType[*job.CodeError](err); ok {
		return refusal("glueSource: " + wrong.Message)
	}
	switch {
	case errors.Is(err, job.ErrNotFound):
		return refusal(msgNoJob)
	case errors.Is(err, job.ErrConflict):
		return refusal("Somebody else changed the job at the same time. Try again.")
	}
	return err
}

// jobFields are what addJob and updateJob send. What an update leaves out stays as it is.
type jobFields struct {
	ID             protocol.Int `json:"id"`
	JobGroup       protocol.Int `json:"jobGroup"`
	Name           string       `json:"name"`
	Author         string       `json:"author"`
	AlarmEmail     string       `json:"alarmEmail"`
	ScheduleType   string       `json:"scheduleType"`
	ScheduleConf   string       `json:"scheduleConf"`
	Misfire        string       `json:"misfireStrategy"`
	Route          string       `json:"executorRouteStrategy"`
	Handler        string       `json:"executorHandler"`
	Param          string       `json:"executorParam"`
	Block          string       `json:"executorBlockStrategy"`
	TimeoutS       protocol.Int `json:"executorTimeout"`
	FailRetryCount protocol.Int `json:"executorFailRetryCount"`
	GlueType       string       `json:"glueType"`
	GlueSource     string       `json:"glueSource"`
	GlueRemark     string       `json:"glueRemark"`
}

// fieldsOf are the fields of a job, to be overwritten by what a caller sends.
func fieldsOf(j *job.Job) jobFields {
	return jobFields{
		Name: j.Name, Author: j.Author, AlarmEmail: j.AlarmEmail, ScheduleType: string(j.ScheduleType),
		ScheduleConf: j.ScheduleConf, Misfire: string(j.MisfireStrategy), Route: string(j.RouteStrategy),
		Handler: j.Handler, Param: j.Param, Block: j.BlockStrategy,
		TimeoutS: protocol.Int(j.TimeoutS), FailRetryCount: protocol.Int(j.RetryCount),
	}
}

// put writes the fields into a job. What the job API does not know stays as it is.
func (f *jobFields) put(j *job.Job) {
	j.Name, j.Author, j.AlarmEmail = f.Name, f.Author, f.AlarmEmail
	j.ScheduleType = job.ScheduleType(cmp.Or(f.ScheduleType, string(job.ScheduleNone)))
	j.ScheduleConf = f.ScheduleConf
	j.MisfireStrategy = job.MisfireStrategy(cmp.Or(f.Misfire, string(job.MisfireDoNothing)))
	j.RouteStrategy = job.RouteStrategy(cmp.Or(f.Route, string(job.RouteFirst)))
	j.BlockStrategy = cmp.Or(f.Block, protocol.BlockSerial)
	j.Handler, j.Param = f.Handler, f.Param
	j.TimeoutS, j.RetryCount = clip(f.TimeoutS), clip(f.FailRetryCount)
}

// errOver: the schedule has no fire any more.
var errOver = &job.FieldError{Field: "schedule_conf", Message: "It never fires again. Choose instants to come."}

// clip keeps what is out of range out of it.
func clip(n protocol.Int) int32 { return int32(max(min(n, 1<<31-1), -1)) }

func (h *handler) addJob(ctx context.Context, in *jobCall) (*string, error) {
	var f jobFields
	if err := json.Unmarshal(in.body, &f); err != nil {
		return nil, err
	}
	if int64(f.JobGroup) != int64(in.group) {
		return nil, refusal(fmt.Sprintf("jobGroup: %d is not the group of this token, which is %d.", f.JobGroup, in.group))
	}
	j := job.Job{
		GroupID: in.group, GlueType: glue.Type(cmp.Or(f.GlueType, string(glue.Bean))), CatchUpLimit: 100,
		DSTPolicy: job.DSTXXL, RetryBackoff: job.RetryFixed,
	}
	f.put(&j)
	p := job.Publish{Source: f.GlueSource, Remark: cmp.Or(f.GlueRemark, firstRemark), Author: openAPIAuthor}
	live := j.GlueType.Live() && f.GlueSource != "" // BEAN jobs come with a source, too, which nobody runs
	if err := h.checkJob(ctx, &j, &p, live); err != nil {
		return nil, err
	}
	if live {
		if err := h.refuseUnreviewed(ctx, in.group); err != nil {
			return nil, err
		}
	}
	j, err := h.Jobs.Store.CreateJob(ctx, j)
	if err != nil {
		return nil, err
	}
	if p.JobID = j.ID; live {
		if _, err := h.Jobs.Store.PublishVersion(audit.Without(ctx), p); err != nil {
			_, undo := h.Jobs.Store.DeleteJob(audit.Without(ctx), j.ID)
			return nil, errors.Join(err, undo)
		}
	}
	id := strconv.Itoa(int(j.ID))
	return &id, nil
}

// refuseUnreviewed takes no code into a group that asks for a second pair of eyes: a
// token of a group is nobody, so that its holder could approve his own.
func (h *handler) refuseUnreviewed(ctx context.Context, groupID int32) error {
	g, err := h.Jobs.Store.Group(ctx, groupID)
	if err != nil {
		return err
	}
	if g.RequireReview {
		return refusal("glueSource: The group asks that its code is approved. Add the job without a source, and publish the code with an account of your own.")
	}
	return nil
}

func (h *handler) checkJob(ctx context.Context, j *job.Job, p *job.Publish, live bool) error {
	wrong := job.ValidateJob(j, func(t job.Timing) error {
		if t.Type == job.ScheduleNone {
			return nil
		}
		schedule, err := h.Jobs.Schedule(t)
		if err == nil && schedule.Next(time.Now()).IsZero() {
			err = errOver
		}
		return err
	})
	if live {
		wrong = append(wrong, job.ValidatePublish(j.GlueType, p)...)
	}
	if len(wrong) > 0 {
		return wrong[0]
	}
	if !live {
		return nil
	}
	return h.Jobs.CheckSource(ctx, j.GlueType, p.Source)
}

// updateJob changes what the job API knows of. GLUE fields are accepted and ignored, as
// in XXL-JOB; children stay, which XXL-JOB takes away.
func (h *handler) updateJob(ctx context.Context, in *jobCall) (*string, error) {
	j, err := h.job(ctx, in)
	if err != nil {
		return nil, err
	}
	f := fieldsOf(&j)
	if err := json.Unmarshal(in.body, &f); err != nil {
		return nil, err
	}
	f.put(&j)
	if err := h.checkJob(ctx, &j, nil, false); err != nil {
		return nil, err
	}
	_, err = h.Jobs.Store.UpdateJob(ctx, j, h.next(j.Timing()))
	return nil, err
}

// removeJob succeeds for a job that is not there, as in XXL-JOB.
func (h *handler) removeJob(ctx context.Context, in *jobCall) (*string, error) {
	j, err := h.job(ctx, in)
	if err == nil {
		_, err = h.Jobs.Store.DeleteJob(ctx, j.ID)
	}
	if errors.Is(err, job.ErrNotFound) {
		return nil, nil
	}
	return nil, err
}

func (h *handler) startJob(ctx context.Context, in *jobCall) (*string, error) {
	j, err := h.job(ctx, in)
	switch {
	case err != nil:
		return nil, err
	case j.ScheduleType == job.ScheduleNone:
		return nil, refusal(msgNoSchedule)
	}
	_, err = h.Jobs.Store.StartJob(ctx, j.ID, h.next(j.Timing()))
	return nil, err
}

func (h *handler) stopJob(ctx context.Context, in *jobCall) (*string, error) {
	j, err := h.job(ctx, in)
	if err != nil {
		return nil, err
	}
	_, err = h.Jobs.Store.StopJob(ctx, j.ID)
	return nil, err
}

// triggerJob runs a job with the parameter of the call, an absent one being empty as in
// XXL-JOB. A group's token sends runs to that group's executors only.
func (h *handler) triggerJob(ctx context.Context, in *jobCall) (*string, error) {
	j, err := h.job(ctx, in)
	if err != nil {
		return nil, err
	}
	var f struct {
		Param     string `json:"executorParam"`
		Addresses string `json:"addressList"`
	}
	if err := json.Unmarshal(in.body, &f); err != nil {
		return nil, err
	}
	req := job.TriggerRequest{JobID: j.ID, Cause: job.CauseAPI, Param: &f.Param}
	if req.Addresses, err = h.addressList(ctx, in.group, f.Addresses); err != nil {
		return nil, err
	}
	if wrong := append(job.ValidateParam(f.Param), job.ValidateAddresses("addressList", req.Addresses)...); len(wrong) > 0 {
		return nil, wrong[0]
	}
	fire, err := h.Jobs.Store.Trigger(ctx, req)
	if err != nil {
		return nil, err
	}
	h.Jobs.Fired([]job.Fire{fire})
	return nil, nil
}

// addressList reads addresses of a group's executors; nil for none.
func (h *handler) addressList(ctx context.Context, group int32, list string) ([]string, error) {
	addresses := strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' })
	if len(addresses) == 0 {
		return nil, nil
	}
	g, err := h.Jobs.Store.Group(ctx, group)
	if err != nil {
		return nil, err
	}
	own := h.Jobs.Addresses(&g)
	for _, a := range addresses {
		if !slices.ContainsFunc(own, func(b string) bool { return job.SameAddress(a) == job.SameAddress(b) }) {
			return nil, &job.FieldError{Field: "addressList", Message: fmt.Sprintf("%q is not an executor of the group.", a)}
		}
	}
	return addresses, nil
}

// job is the one that the body names, if it is the caller's; job.ErrNotFound otherwise.
func (h *handler) job(ctx context.Context, in *jobCall) (job.Job, error) {
	var body struct {
		ID protocol.Int `json:"id"`
	}
	if err := json.Unmarshal(in.body, &body); err != nil {
		return job.Job{}, err
	}
	if body.ID <= 0 || body.ID > 1<<31-1 {
		return job.Job{}, job.ErrNotFound
	}
	j, err := h.Jobs.Store.Job(ctx, int32(body.ID))
	switch {
	case err != nil:
		return job.Job{}, err
	case j.GroupID != in.group:
		return job.Job{}, job.ErrNotFound
	}
	audit.Record(ctx, audit.Change{Object: "job", ID: strconv.Itoa(int(j.ID)), Name: j.Name, GroupID: j.GroupID, Before: j})
	return j, nil
}

// next computes the first fire of a schedule.
func (h *handler) next(t job.Timing) job.NextFunc {
	return func(after time.Time) (time.Time, error) {
		schedule, err := h.Jobs.Schedule(t)
		if err != nil {
			return time.Time{}, err
		}
		at := schedule.Next(after)
		if at.IsZero() {
			return time.Time{}, errOver
		}
		return at, nil
	}
}
