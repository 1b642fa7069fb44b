package api

import (
	"context"
	"net/http"
	"strings"

	"github.com/gluewheel/gluewheel/admin/job"
)

// RunLog is a piece of a log.
type RunLog struct {
	FromLine int    `json:"from_line" doc:"Number of the first line in content, from 1 on."`
	ToLine   int    `json:"to_line" doc:"Number of the last line in content; less than from_line when there is none yet."`
	Content  string `json:"content"`
	End      bool   `json:"end" doc:"Nothing more will come."`
	Note     string `json:"note,omitempty" doc:"What to know about the content, for people."`
}

type getRunLogInput struct {
	RunID
	FromLine int `query:"from_line" minimum:"1" maximum:"2147483647" default:"1"`
}

func (s *server) getRunLog(ctx context.Context, r job.RunSummary, in *getRunLogInput) (*body[RunLog], error) {
	log, err := s.runLog(ctx, r, in.FromLine)
	if err != nil {
		return nil, err
	}
	return answer(log), nil
}

// runLog asks the executor. When that does not answer, the end of the log stands in for
// it, if it was kept.
func (s *server) runLog(ctx context.Context, r job.RunSummary, from int) (RunLog, error) {
	ended := r.State.Terminal()
	if r.Address == "" {
		return RunLog{FromLine: from, ToLine: from - 1, End: ended, Note: "The run was not sent to an executor."}, nil
	}
	piece, err := s.deps.ReadLog(ctx, r.Run, from)
	if err == nil {
		// XXL-JOB's executors say "not the end" of every log that is there, and "the end"
		// of one that has no line yet: only a run that has ended is at its end.
		end := ended && (piece.End || piece.ToLine < piece.FromLine)
		return RunLog{FromLine: piece.FromLine, ToLine: piece.ToLine, Content: piece.Content, End: end}, nil
	}
	if r.LogTail != nil && ended {
		return keptTail(*r.LogTail, from), nil
	}
	s.log.InfoContext(ctx, "executor gave no log", "run_id", r.ID, "addr", r.Address, "err", err)
	return RunLog{}, newProblem(http.StatusBadGateway, "The executor at "+r.Address+" did not give the log. Try again when it is back.")
}

// keptTail numbers the lines of the tail from 1 on: where they stood in the whole log
// is not known.
func keptTail(tail string, from int) RunLog {
	lines := strings.SplitAfter(strings.TrimSuffix(tail, "\n"), "\n")
	log := RunLog{FromLine: from, ToLine: from - 1, End: true, Note: "The executor did not answer. This is the end of the log, which was kept."}
	if from <= len(lines) {
		log.ToLine, log.Content = len(lines), strings.Join(lines[from-1:], "")
	}
	return log
}
