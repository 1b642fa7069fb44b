package api

import (
	"context"
	"strings"
	"time"

	"github.com/gluewheel/gluewheel/admin/job"
)

const (
	// searchTime is how long one request searches; the client goes on where it ended.
	searchTime = 2 * time.Second
	// maxMatches is how many lines one answer names.
	maxMatches = 1000
)

// RunLogMatches are lines of a log with a text in them.
type RunLogMatches struct {
	Lines    []int `json:"lines" nullable:"false" doc:"Their numbers, from 1 on."`
	NextLine int   `json:"next_line" doc:"The first line that was not searched."`
	End      bool  `json:"end" doc:"There is no more to search now."`
}

type searchRunLogInput struct {
	RunID
	Query    string `query:"q" maxLength:"200" doc:"Text to look for, in capitals or not. Without it nothing is found."`
	FromLine int    `query:"from_line" minimum:"1" maximum:"2147483647" default:"1"`
}

// searchRunLog reads the log piece by piece, for as long as one request may take.
func (s *server) searchRunLog(ctx context.Context, r job.RunSummary, in *searchRunLogInput) (*body[RunLogMatches], error) {
	out := RunLogMatches{Lines: []int{}, NextLine: in.FromLine, End: in.Query == ""}
	wanted := strings.ToLower(in.Query)
	for end := time.Now().Add(searchTime); !out.End && len(out.Lines) < maxMatches && time.Now().Before(end); {
		piece, err := s.runLog(ctx, r, out.NextLine)
		if err != nil {
			return nil, err
		}
		out.add(piece, wanted)
	}
	return answer(out), nil
}

// add searches a piece, up to the line that makes the answer full.
func (m *RunLogMatches) add(piece RunLog, wanted string) {
	rest, line := strings.ToLower(piece.Content), piece.FromLine
	for {
		at := strings.Index(rest, wanted)
		if at < 0 {
			break
		}
		line += strings.Count(rest[:at], "\n")
		m.Lines = append(m.Lines, line)
		line++
		_, rest, _ = strings.Cut(rest[at:], "\n")
		if len(m.Lines) == maxMatches {
			m.NextLine = line
			return
		}
	}
	m.End = piece.End || piece.ToLine < piece.FromLine
	m.NextLine = max(m.NextLine, piece.ToLine+1)
}
