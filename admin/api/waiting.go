package api

import (
	"cmp"
	"context"

	"github.com/gluewheel/gluewheel/admin/job"
)

type waitingStore interface {
	WaitingApps(ctx context.Context) ([]job.WaitingApp, error)
}

// WaitingApp is an app name without a group, whose executors register all the same.
type WaitingApp struct {
	AppName     string   `json:"app_name"`
	Addresses   []string `json:"addresses" nullable:"false"`
	Dialect     string   `json:"dialect" enum:"A,B,C,gluewheel," doc:"Of XXL-JOB's protocol; empty when not known yet."`
	FirstSeenAt Time     `json:"first_seen_at"`
	LastSeenAt  Time     `json:"last_seen_at"`
}

func waitingAppOf(w job.WaitingApp) WaitingApp {
	return WaitingApp{
		AppName: w.AppName, Addresses: notNil(w.Addresses), Dialect: w.Dialect,
		FirstSeenAt: instant(w.FirstSeenAt), LastSeenAt: instant(w.LastSeenAt),
	}
}

// listWaiting shows all: there are at most job.MaxWaiting.
func (s *server) listWaiting(ctx context.Context, _ *struct{}) (*body[List[WaitingApp]], error) {
	apps, err := s.deps.Store.WaitingApps(ctx)
	if err != nil {
		return nil, err
	}
	return answer(List[WaitingApp]{Items: mapped(apps, waitingAppOf), Total: len(apps)}), nil
}

// AcceptInput names the new group.
type AcceptInput struct {
	Title string `json:"title,omitempty" doc:"The app name when it is left out."`
}

type acceptWaitingInput struct {
	Trial
	AppName string `path:"app_name" maxLength:"255"`
	Body    *AcceptInput
}

// acceptWaiting makes the group; its executors are known already, and live at once.
func (s *server) acceptWaiting(ctx context.Context, in *acceptWaitingInput) (*tagged[Group], error) {
	apps, err := s.deps.Store.WaitingApps(ctx)
	if err != nil {
		return nil, err
	}
	title := in.AppName
	if in.Body != nil {
		title = cmp.Or(in.Body.Title, title)
	}
	for _, w := range apps {
		if w.AppName == in.AppName {
			return s.createGroup(ctx, &createGroupInput{Body: GroupInput{AppName: w.AppName, Title: title}})
		}
	}
	return nil, job.ErrNotFound
}
