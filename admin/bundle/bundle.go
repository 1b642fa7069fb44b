package bundle

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/glue"
)

// Format is the version of the form of bundles.
const Format = 1

// Bundle is groups with all that is in them.
type Bundle struct {
	Format int     `yaml:"gluewheel"`
	Groups []Group `yaml:"groups"`
}

// Group is an executor group with its jobs.
type Group struct {
	AppName       string   `yaml:"app_name"`
	Title         string   `yaml:"title"`
	AddressType   int16    `yaml:"address_type"`
	AddressList   []string `yaml:"address_list,omitempty"`
	RequireReview bool     `yaml:"require_review,omitempty"`
	Jobs          []Job    `yaml:"jobs,omitempty"`
}

// Job is a job with its live code. Fields are those of job.Job.
type Job struct {
	Name             string              `yaml:"name"`
	Description      string              `yaml:"description,omitempty"`
	Author           string              `yaml:"author"`
	AlarmEmail       string              `yaml:"alarm_email,omitempty"`
	Tags             []string            `yaml:"tags,omitempty"`
	Enabled          bool                `yaml:"enabled"`
	ScheduleType     job.ScheduleType    `yaml:"schedule_type"`
	ScheduleConf     string              `yaml:"schedule_conf,omitempty"`
	TimeZone         string              `yaml:"time_zone,omitempty"`
	DSTPolicy        job.DSTPolicy       `yaml:"dst_policy,omitempty"`
	ValidFrom        *time.Time          `yaml:"valid_from,omitempty"`
	ValidUntil       *time.Time          `yaml:"valid_until,omitempty"`
	MisfireStrategy  job.MisfireStrategy `yaml:"misfire_strategy"`
	CatchUpLimit     *int32              `yaml:"catch_up_limit"` // nil only in a text, before defaults
	RouteStrategy    job.RouteStrategy   `yaml:"route_strategy"`
	BlockStrategy    string              `yaml:"block_strategy"`
	MaxConcurrent    int32               `yaml:"max_concurrent,omitempty"`
	Handler          string              `yaml:"handler,omitempty"`
	Param            string              `yaml:"param,omitempty"`
	TimeoutS         int32               `yaml:"timeout_s,omitempty"`
	RetryCount       int32               `yaml:"retry_count,omitempty"`
	RetryDelayS      int32               `yaml:"retry_delay_s,omitempty"`
	RetryBackoff     job.RetryBackoff    `yaml:"retry_backoff,omitempty"`
	RetryMaxDelayS   int32               `yaml:"retry_max_delay_s,omitempty"`
	RetryJitterPct   int32               `yaml:"retry_jitter_pct,omitempty"`
	DiscardIsFailure bool                `yaml:"discard_is_failure,omitempty"`
	Idempotent       bool                `yaml:"idempotent,omitempty"`
	Children         []string            `yaml:"children,omitempty"` // app_name/job name
	ChildrenOnce     bool                `yaml:"children_once,omitempty"`
	PassResult       bool                `yaml:"pass_result,omitempty"`
	GlueType         glue.Type           `yaml:"glue_type"`
	Code             *Code               `yaml:"code,omitempty"` // the live version; absent when there is none
}

// Code is the live version of a job's code.
type Code struct {
	Source   string         `yaml:"source,omitempty"`
	Artifact string         `yaml:"artifact,omitempty"` // digest of the module
	Module   Module         `yaml:"module,omitempty"`   // which may be left out where it is known
	Manifest map[string]any `yaml:"manifest,omitempty"` // glue.Manifest by its JSON names
	Remark   string         `yaml:"remark,omitempty"`   // of the version
}

// defaults are what is taken for fields that a text leaves out.
func (in *Job) defaults() {
	for _, d := range []struct {
		field *string
		value string
	}{
		{(*string)(&in.ScheduleType), string(job.ScheduleNone)},
		{(*string)(&in.DSTPolicy), string(job.DSTXXL)},
		{(*string)(&in.MisfireStrategy), string(job.MisfireDoNothing)},
		{(*string)(&in.RouteStrategy), string(job.RouteFirst)},
		{&in.BlockStrategy, job.BlockStrategies()[0]},
		{(*string)(&in.RetryBackoff), string(job.RetryFixed)},
	} {
		if *d.field == "" {
			*d.field = d.value
		}
	}
	if in.CatchUpLimit == nil {
		in.CatchUpLimit = new(int32(defaultCatchUp))
	}
}

const defaultCatchUp = 100

// Encode writes a bundle as YAML; a *TooLargeError when it could not be read again.
func Encode(b Bundle) ([]byte, error) {
	var out bytes.Buffer
	enc := yaml.NewEncoder(&out)
	enc.SetIndent(2)
	if err := errors.Join(enc.Encode(b), enc.Close()); err != nil {
		return nil, fmt.Errorf("write bundle: %w", err)
	}
	return out.Bytes(), CheckSize(out.Bytes())
}

// Text is a bundle that was read, with the places of what stands in it.
type Text struct {
	Bundle
	root yaml.Node
}

// Decode reads a bundle. Unknown fields, and types that do not fit, are refused with
// their lines, what is too large with a *TooLargeError.
func Decode(text []byte) (*Text, error) {
	if err := CheckSize(text); err != nil {
		return nil, err
	}
	t := &Text{}
	if err := yaml.Unmarshal(text, &t.root); err != nil {
		return nil, unreadable(err)
	}
	dec := yaml.NewDecoder(bytes.NewReader(text))
	dec.KnownFields(true)
	if err := dec.Decode(&t.Bundle); err != nil {
		return nil, unreadable(err)
	}
	if t.Format != Format {
		return nil, t.wrong("gluewheel", fmt.Sprintf("This is %d. Write gluewheel: %d first.", t.Format, Format))
	}
	for g := range t.Groups {
		for j := range t.Groups[g].Jobs {
			t.Groups[g].Jobs[j].defaults()
		}
	}
	return t, nil
}

// goNames are words of Go in the messages of the decoder, which mean nothing to people.
var goNames = regexp.MustCompile(` (in type|into|type) [\w.*\[\]]+`)

func unreadable(err error) error {
	message := strings.ReplaceAll(strings.TrimPrefix(err.Error(), "yaml: "), "\n", " ")
	message = goNames.ReplaceAllString(message, "")
	if len(message) > maxMessage {
		message = message[:maxMessage] + " …"
	}
	return &job.FieldError{Field: "bundle", Message: "This cannot be read: " + strings.ToValidUTF8(message, "?") + ". Correct it."}
}

const maxMessage = 500 // bytes of a decoder's message

// wrong says what is wrong at a path, and where that stands.
func (t *Text) wrong(path, message string) *job.FieldError {
	if line := t.line(path); line > 0 {
		message = fmt.Sprintf("Line %d: %s", line, message)
	}
	return &job.FieldError{Field: path, Message: message}
}

// line is where a path stands, or the nearest thing around it; 0 when nothing does.
func (t *Text) line(path string) int {
	if len(t.root.Content) == 0 {
		return 0
	}
	n := t.root.Content[0]
	line := n.Line
	for step := range strings.SplitSeq(strings.NewReplacer("[", ".", "]", "").Replace(path), ".") {
		if n = child(n, step); n == nil {
			return line
		}
		line = n.Line
	}
	return line
}

func child(n *yaml.Node, step string) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	switch n.Kind {
	case yaml.SequenceNode:
		if i, err := strconv.Atoi(step); err == nil && i >= 0 && i < len(n.Content) {
			return n.Content[i]
		}
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			if n.Content[i].Value == step {
				return n.Content[i+1]
			}
		}
	}
	return nil
}
