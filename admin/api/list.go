package api

import "github.com/gluewheel/gluewheel/admin/job"

// List is one page of a list.
type List[T any] struct {
	Items       []T    `json:"items" nullable:"false"`
	Total       int    `json:"total" doc:"Of the whole filter, exact up to 10000."`
	TotalCapped bool   `json:"total_capped" doc:"There are more than total says."`
	NextCursor  string `json:"next_cursor,omitempty" doc:"Cursor of the next page; absent on the last one."`
}

// Paging asks for a page.
type Paging struct {
	Limit  int    `query:"limit" minimum:"1" maximum:"500" default:"50" doc:"Entries a page."`
	Cursor string `query:"cursor" maxLength:"200" doc:"next_cursor of the page before; leave it out for the first."`
}

func (p *Paging) paging() job.Paging { return job.Paging{Limit: p.Limit, Cursor: p.Cursor} }

// body is an answer with nothing but a JSON body.
type body[T any] struct{ Body T }

func answer[T any](v T) *body[T] { return &body[T]{Body: v} }

// none is an answer without a body.
type none struct{}

// listOf turns a page of the store into one of the API.
func listOf[A, B any](p job.Page[A], convert func(A) B) *body[List[B]] {
	return answer(List[B]{Items: mapped(p.Items, convert), Total: p.Total, TotalCapped: p.TotalCapped, NextCursor: p.NextCursor})
}

// mapped never is nil, so that it is [] in JSON and not null.
func mapped[A, B any](in []A, convert func(A) B) []B {
	out := make([]B, len(in))
	for i, v := range in {
		out[i] = convert(v)
	}
	return out
}

// notNil keeps an empty list from becoming null in JSON.
func notNil[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
