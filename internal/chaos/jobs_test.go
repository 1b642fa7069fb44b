//go:build chaos

package chaos

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"
)

// people make the jobs, edit them while they fire, and remember what they did.
type people struct {
	api   *api
	group int32
	// foreign is the group of the executors of XXL-JOB's kind.
	foreign int32
	rand    *rand.Rand
	log     func(format string, args ...any)
	fields  map[int32]map[string]any // of each job, as it was made

	mu       sync.Mutex
	jobs     []*Job
	edited   []*Job // those that are edited
	lua      []*Job
	triggers []Trigger
	renewed  int
}

func rate(n int) Schedule { return Schedule{"FIX_RATE", fmt.Sprint(n)} }
func cron(n int) Schedule { return Schedule{"CRON", fmt.Sprintf("*/%d * * * * ?", n)} }

// shellJob writes the witness as handlers do; HOME is the executor's directory.
const shellJob = `
mark() { printf '%s %s %s %s %s\n' "$1" "$GW_RUN_ID" "$GW_JOB_ID" "$(date +%s%6N)" "$2" >> "$HOME/witness"; sync "$HOME/witness"; }
mark start -
echo "shell run $GW_RUN_ID"
mark end ok
`

// nothingModule is (module (memory (export "memory") 1) (func (export "_start"))).
var nothingModule = []byte("\x00asm\x01\x00\x00\x00\x01\x04\x01\x60\x00\x00\x03\x02\x01\x00\x05\x03\x01\x00\x01" +
	"\x07\x13\x02\x06memory\x02\x00\x06_start\x00\x00\x0a\x04\x01\x02\x00\x0b")

// kind is a kind of job in the mix.
type kind struct {
	name     string
	n        int
	schedule Schedule
	fields   map[string]any
	source   string
	module   []byte // instead of source
	adjust   func(j *Job)
}

func mix() []kind {
	return []kind{
		{name: "every second", n: 12, schedule: rate(1)},
		{name: "cron 2", n: 4, schedule: cron(2), fields: map[string]any{"route_strategy": "CONSISTENT_HASH"}},
		{name: "cron 5 once", n: 2, schedule: cron(5), fields: map[string]any{"misfire_strategy": "FIRE_ONCE_NOW", "route_strategy": "RANDOM"}},
		{name: "cron 5 catch up", n: 2, schedule: cron(5), fields: map[string]any{"misfire_strategy": "CATCH_UP", "catch_up_limit": 1000}},
		{name: "broadcast", n: 1, schedule: cron(3), fields: map[string]any{"route_strategy": "SHARDING_BROADCAST"}, adjust: func(j *Job) { j.Broadcast = true }},
		{name: "serial", n: 2, schedule: rate(1), fields: map[string]any{"param": "sleep=600ms", "route_strategy": "FIRST"}, adjust: func(j *Job) { j.Serial = true }},
		{name: "discard", n: 1, schedule: rate(1), fields: map[string]any{"param": "sleep=1500ms", "block_strategy": "DISCARD_LATER", "route_strategy": "FIRST"}},
		{name: "cover", n: 1, schedule: rate(2), fields: map[string]any{"param": "sleep=3s", "block_strategy": "COVER_EARLY", "route_strategy": "LAST"}},
		{name: "fails first", n: 2, schedule: rate(2), fields: map[string]any{"param": "fail=first", "retry_count": 2}},
		{name: "fails always", n: 1, schedule: rate(3), fields: map[string]any{"param": "fail=always", "retry_count": 1, "retry_delay_s": 1, "idempotent": true}, adjust: func(j *Job) { j.Idempotent = true }},
		{name: "slow", n: 2, schedule: rate(5), fields: map[string]any{"param": "sleep=4s", "route_strategy": "LEAST_RECENTLY_USED"}},
		{name: "times out", n: 1, schedule: rate(4), fields: map[string]any{"param": "sleep=10s", "timeout_s": 1}},
		{name: "failover", n: 1, schedule: rate(2), fields: map[string]any{"route_strategy": "FAILOVER"}},
		{name: "lua", n: 1, schedule: rate(2), fields: map[string]any{"glue_type": "GLUE_LUA", "handler": ""}, source: `gw.log("version 0")`},
		{name: "wasm", n: 1, schedule: rate(3), fields: map[string]any{"glue_type": "GLUE_WASM", "handler": ""}, module: nothingModule},
		{name: "shell", n: 1, schedule: rate(3), fields: map[string]any{"glue_type": "GLUE_SHELL", "handler": ""}, source: shellJob},
	}
}

// arrive makes the groups, and no job.
func arrive(ctx context.Context, w *world, seed uint64) (*people, error) {
	c, err := login(ctx, w)
	if err != nil {
		return nil, err
	}
	p := &people{api: c, rand: rand.New(rand.NewPCG(seed, 1)), log: w.t.Logf, fields: map[int32]map[string]any{}}
	if p.group, err = c.group(ctx, map[string]any{"app_name": appName, "title": appName, "address_type": 0}); err != nil {
		return nil, err
	}
	p.foreign, err = c.group(ctx, map[string]any{"app_name": foreignApp, "title": foreignApp, "address_type": 0})
	return p, err
}

// newPeople makes and starts the mix.
func newPeople(ctx context.Context, w *world, seed uint64) (*people, error) {
	p, err := arrive(ctx, w, seed)
	if err != nil {
		return nil, err
	}
	liars, err := p.api.group(ctx, map[string]any{"app_name": "liars", "title": "liars", "address_type": 1, "address_list": []string{w.addLiar()}})
	if err != nil {
		return nil, err
	}
	for _, k := range append(mix(),
		kind{
			name: "foreign", n: 2, schedule: rate(1), fields: map[string]any{"group_id": p.foreign, "param": "sleep=300ms"},
			adjust: func(j *Job) { j.Foreign = true },
		},
		kind{
			name: "at a liar", n: 1, schedule: rate(4), fields: map[string]any{"group_id": liars},
			adjust: func(j *Job) { j.Witnessed, j.Mute = false, true },
		},
	) {
		for i := range k.n {
			j, err := p.make(ctx, k, i)
			if err != nil {
				return nil, fmt.Errorf("make job %s: %w", k.name, err)
			}
			if k.name == "lua" {
				p.lua = append(p.lua, j)
			}
		}
	}
	if err := p.makeFamilies(ctx); err != nil {
		return nil, err
	}
	for i := range 4 {
		j, err := p.make(ctx, kind{name: "edited", schedule: rate(1 + i%3)}, i)
		if err != nil {
			return nil, err
		}
		p.edited = append(p.edited, j)
	}
	for _, j := range p.jobs {
		if len(j.Edits) == 0 && p.scheduleOf(j).Type != "NONE" {
			if err := p.edit(ctx, j, EditStart, p.scheduleOf(j)); err != nil {
				return nil, err
			}
		}
	}
	return p, nil
}

// makeFamilies makes jobs that fire children.
func (p *people) makeFamilies(ctx context.Context) error {
	for i := range 2 {
		child, err := p.make(ctx, kind{name: "child", schedule: Schedule{Type: "NONE"}}, i)
		if err != nil {
			return err
		}
		k := kind{name: "parent", schedule: rate(2), fields: map[string]any{"child_job_ids": []int32{child.ID}}}
		if i == 1 {
			k.name, k.schedule = "broadcast parent", cron(6)
			k.fields["route_strategy"] = "SHARDING_BROADCAST"
		}
		k.adjust = func(j *Job) { j.Children = []int32{child.ID} }
		if _, err := p.make(ctx, k, i); err != nil {
			return err
		}
	}
	return nil
}

func (p *people) make(ctx context.Context, k kind, i int) (*Job, error) {
	fields := map[string]any{
		"group_id": p.group, "name": fmt.Sprintf("%s %d", k.name, i), "author": "chaos",
		"schedule_type": k.schedule.Type, "schedule_conf": k.schedule.Conf,
		"glue_type": "BEAN", "handler": handlerName, "route_strategy": "ROUND", "block_strategy": "SERIAL_EXECUTION",
		"misfire_strategy": "DO_NOTHING",
	}
	for key, v := range k.fields {
		fields[key] = v
	}
	id, err := p.api.create(ctx, fields)
	if err != nil {
		return nil, err
	}
	j := &Job{ID: id, Name: fields["name"].(string), Misfire: fields["misfire_strategy"].(string), Witnessed: true}
	if k.adjust != nil {
		k.adjust(j)
	}
	if k.source != "" {
		if err := p.api.publish(ctx, id, map[string]any{"source": k.source}); err != nil {
			return nil, err
		}
	}
	if k.module != nil {
		digest, err := p.api.upload(ctx, k.module)
		if err != nil {
			return nil, err
		}
		if err := p.api.publish(ctx, id, map[string]any{"artifact": digest}); err != nil {
			return nil, err
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.jobs = append(p.jobs, j)
	p.fields[id] = fields
	return j, nil
}

func (p *people) scheduleOf(j *Job) Schedule {
	f := p.fields[j.ID]
	return Schedule{f["schedule_type"].(string), f["schedule_conf"].(string)}
}

// edit does one edit and remembers between which moments it took effect.
func (p *people) edit(ctx context.Context, j *Job, kind EditKind, s Schedule) error {
	e := Edit{Kind: kind, Schedule: s, Before: time.Now()}
	var err error
	switch kind {
	case EditStart, EditStop:
		err = p.api.do(ctx, "POST", fmt.Sprintf("/jobs/%d/%s", j.ID, kind), map[string]any{}, nil)
	case EditReschedule:
		err = p.api.reschedule(ctx, j.ID, p.fields[j.ID], s)
	case EditDelete:
		err = p.api.do(ctx, "DELETE", fmt.Sprintf("/jobs/%d", j.ID), nil, nil)
		if refusedWith(err, http.StatusNotFound) {
			err = nil // our first try had done it
		}
	}
	if err != nil {
		return fmt.Errorf("%s job %d: %w", kind, j.ID, err)
	}
	e.After = time.Now()
	p.mu.Lock()
	defer p.mu.Unlock()
	j.Edits = append(j.Edits, e)
	if s.Type != "" {
		p.fields[j.ID]["schedule_type"], p.fields[j.ID]["schedule_conf"] = s.Type, s.Conf
	}
	return nil
}

// work edits and triggers until ctx ends. What it has begun it finishes.
func (p *people) work(ctx context.Context) error {
	for {
		pause := time.Duration(400+p.rand.IntN(1200)) * time.Millisecond
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(pause):
		}
		if err := p.oneThing(context.WithoutCancel(ctx)); err != nil {
			return err
		}
	}
}

func (p *people) oneThing(ctx context.Context) error {
	i := p.rand.IntN(len(p.edited))
	j := p.edited[i]
	running := j.Edits[len(j.Edits)-1].Kind != EditStop
	switch n := p.rand.IntN(10); {
	case n < 3:
		p.triggerOne(ctx)
		return nil
	case n < 5:
		l := p.lua[p.rand.IntN(len(p.lua))]
		return p.api.publish(ctx, l.ID, map[string]any{"source": fmt.Sprintf("gw.log(%q)", fmt.Sprint("version ", p.rand.Uint32()))})
	case !running:
		return p.edit(ctx, j, EditStart, p.scheduleOf(j))
	case n < 7:
		return p.edit(ctx, j, EditStop, Schedule{})
	case n < 9:
		s := rate(1 + p.rand.IntN(4))
		if p.rand.IntN(2) == 0 {
			s = cron(2 + p.rand.IntN(3))
		}
		if s == p.scheduleOf(j) {
			return nil
		}
		return p.edit(ctx, j, EditReschedule, s)
	default:
		return p.replace(ctx, i)
	}
}

// replace deletes a job and starts a new one.
func (p *people) replace(ctx context.Context, i int) error {
	if err := p.edit(ctx, p.edited[i], EditDelete, Schedule{}); err != nil {
		return err
	}
	p.renewed++
	j, err := p.make(ctx, kind{name: "renewed", schedule: rate(1)}, p.renewed)
	if err != nil {
		return err
	}
	p.edited[i] = j
	return p.edit(ctx, j, EditStart, p.scheduleOf(j))
}

func (p *people) triggerOne(ctx context.Context) {
	p.mu.Lock()
	j := p.jobs[p.rand.IntN(8)] // of those that fire every second: they are never deleted
	tag := fmt.Sprintf("m%d", len(p.triggers))
	p.mu.Unlock()
	id, err := p.api.trigger(ctx, j.ID, "tag="+tag)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.triggers = append(p.triggers, Trigger{Job: j.ID, Tag: tag, Run: id, Acked: err == nil})
}

// stopAll stops every job that runs.
func (p *people) stopAll(ctx context.Context) error {
	for _, j := range p.jobs {
		if len(j.Edits) == 0 {
			continue
		}
		if k := j.Edits[len(j.Edits)-1].Kind; k == EditStop || k == EditDelete {
			continue
		}
		if err := p.edit(ctx, j, EditStop, Schedule{}); err != nil {
			return err
		}
	}
	return nil
}
