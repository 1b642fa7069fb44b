//go:build chaos

package chaos

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/cookiejar"
	"time"
)

// api speaks to whichever admin answers, as a person with a browser would: not through
// the links, so that it knows when an edit took effect.
type api struct {
	w    *world
	http http.Client
	turn int
}

// patience is how long a request may take. It is longer than any freeze, so that a
// request is either answered or died with its admin, and never takes effect later.
const patience = 150 * time.Second

func login(ctx context.Context, w *world) (*api, error) {
	jar, err := cookiejar.New(nil)
	if err != nil {
		return nil, err
	}
	c := &api{w: w, http: http.Client{Jar: jar, Timeout: patience}}
	return c, c.do(ctx, "POST", "/login", map[string]string{"username": "admin", "password": password}, nil)
}

// refusal is an answer that the request itself is to blame for.
type refusal struct {
	status int
	body   string
}

func (r *refusal) Error() string { return fmt.Sprintf("status %d: %s", r.status, r.body) }

func refusedWith(err error, status int) bool {
	var r *refusal
	return errors.As(err, &r) && r.status == status
}

// once asks one admin once. An error that is no refusal leaves open whether the request
// took effect.
func (c *api) once(ctx context.Context, method, path string, in, out any) error {
	c.turn++
	base := c.w.admins[c.turn%len(c.w.admins)].base()
	b, err := json.Marshal(in)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, method, base+"/api/v1"+path, bytes.NewReader(b))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	return c.send(req, out)
}

func (c *api) send(req *http.Request, out any) error {
	resp, err := c.http.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	switch {
	case err != nil:
		return err
	case resp.StatusCode >= 400 && resp.StatusCode < 500:
		return &refusal{resp.StatusCode, string(body)}
	case resp.StatusCode >= 300:
		return fmt.Errorf("%s %s: status %d: %s", req.Method, req.URL.Path, resp.StatusCode, body)
	case out == nil:
		return nil
	}
	return json.Unmarshal(body, out)
}

// do asks until some admin answers, for as long as two requests may take.
func (c *api) do(ctx context.Context, method, path string, in, out any) error {
	ctx, cancel := context.WithTimeout(ctx, 2*patience)
	defer cancel()
	for {
		err := c.once(ctx, method, path, in, out)
		var r *refusal
		if err == nil || errors.As(err, &r) && r.status != http.StatusTooManyRequests {
			return err
		}
		select {
		case <-ctx.Done():
			return errors.Join(err, ctx.Err())
		case <-time.After(300 * time.Millisecond):
		}
	}
}

func (c *api) group(ctx context.Context, fields map[string]any) (int32, error) {
	var g struct {
		ID int32 `json:"id"`
	}
	err := c.do(ctx, "POST", "/groups", fields, &g)
	return g.ID, err
}

func (c *api) create(ctx context.Context, fields map[string]any) (int32, error) {
	var j struct {
		ID int32 `json:"id"`
	}
	err := c.do(ctx, "POST", "/jobs", fields, &j)
	return j.ID, err
}

// upload stores a module and answers its digest.
func (c *api) upload(ctx context.Context, module []byte) (string, error) {
	req, err := http.NewRequestWithContext(ctx, "POST", c.w.admins[0].base()+"/api/v1/artifacts", bytes.NewReader(module))
	if err != nil {
		return "", err
	}
	req.Header.Set("Content-Type", "application/wasm")
	var a struct {
		Digest string `json:"digest"`
	}
	err = c.send(req, &a)
	return a.Digest, err
}

// publish makes something the job's code, whatever is live now.
func (c *api) publish(ctx context.Context, id int32, code map[string]any) error {
	for {
		var j struct {
			GlueVersion int32 `json:"glue_version"`
		}
		if err := c.do(ctx, "GET", fmt.Sprintf("/jobs/%d", id), nil, &j); err != nil {
			return err
		}
		err := c.do(ctx, "POST", fmt.Sprintf("/jobs/%d/versions", id),
			merged(code, map[string]any{"remark": "published by the suite", "base_version": j.GlueVersion}), nil)
		if !refusedWith(err, http.StatusConflict) {
			return err
		}
	}
}

// reschedule gives a job another schedule. A conflict is with our own first try, whose
// answer was lost, and then the schedule is there.
func (c *api) reschedule(ctx context.Context, id int32, fields map[string]any, s Schedule) error {
	for {
		var j struct {
			Version      int64  `json:"version"`
			ScheduleType string `json:"schedule_type"`
			ScheduleConf string `json:"schedule_conf"`
		}
		if err := c.do(ctx, "GET", fmt.Sprintf("/jobs/%d", id), nil, &j); err != nil {
			return err
		}
		if j.ScheduleType == s.Type && j.ScheduleConf == s.Conf {
			return nil
		}
		in := merged(fields, map[string]any{"schedule_type": s.Type, "schedule_conf": s.Conf, "version": j.Version})
		err := c.do(ctx, "PUT", fmt.Sprintf("/jobs/%d", id), in, nil)
		if err != nil && !refusedWith(err, http.StatusConflict) {
			return err
		}
		if err == nil {
			return nil
		}
	}
}

// trigger asks once: a second try would be a second run.
func (c *api) trigger(ctx context.Context, id int32, param string) (int64, error) {
	var out struct {
		RunID int64 `json:"run_id"`
	}
	err := c.once(ctx, "POST", fmt.Sprintf("/jobs/%d/trigger", id), map[string]any{"param": param}, &out)
	return out.RunID, err
}

func merged(a, b map[string]any) map[string]any {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return all
}
