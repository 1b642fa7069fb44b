package job

import (
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/gluewheel/gluewheel/glue"
)

// Draft is what a user is writing for a job. Nothing runs it.
type Draft struct {
	JobID       int32         `db:"job_id"`
	UserID      int32         `db:"user_id"`
	Type        glue.Type     `db:"glue_type"`
	Source      string        `db:"source"`
	Artifact    *string       `db:"artifact"` // digest of an uploaded module
	Manifest    glue.Manifest `db:"manifest"`
	BaseVersion int32         `db:"base_version"` // number of the version that is edited, 0 = none
	UpdatedAt   time.Time     `db:"updated_at"`
}

// DraftInfo tells who is writing.
type DraftInfo struct {
	Username    string    `db:"username"`
	BaseVersion int32     `db:"base_version"`
	UpdatedAt   time.Time `db:"updated_at"`
}

// TestRequest asks for one run of code that is not published.
type TestRequest struct {
	JobID      int32
	Type       glue.Type
	Source     string
	Artifact   *string
	Manifest   glue.Manifest
	Param      *string // nil = the job's
	ShardIndex int32
	ShardTotal int32 // at least 1
	Address    string
	Author     string
}

// TestCode is the code of a test-run.
type TestCode struct {
	RunID     int64         `db:"run_id"`
	JobID     int32         `db:"job_id"`
	Type      glue.Type     `db:"glue_type"`
	Source    string        `db:"source"`
	Digest    string        `db:"digest"`
	Artifact  *string       `db:"artifact"`
	Manifest  glue.Manifest `db:"manifest"`
	Author    string        `db:"author"`
	CreatedAt time.Time     `db:"created_at"`
}

// Version is the code as dispatch sends it: with the number 0, which no published
// version has.
func (c *TestCode) Version() glue.Version {
	return glue.Version{
		JobID: c.JobID, Type: c.Type, Source: c.Source, Digest: c.Digest, Artifact: c.Artifact,
		Manifest: c.Manifest, Author: c.Author, CreatedAt: c.CreatedAt,
	}
}

// Limits on drafts and test-runs.
const (
	MaxShards = 10_000 // that a test-run may pretend there are
	MaxTags   = 20     // of a job
	MaxTag    = 50     // characters
)

// ValidateCode says what is wrong with unfinished or finished code of a type, and cleans
// its source. Whether it can run is for the caller to find out.
func ValidateCode(t glue.Type, source *string, artifact *string, m glue.Manifest) []*FieldError {
	f := fields(ValidateManifest(m))
	if m.Isolation == glue.IsolationInproc && t != glue.WASM {
		f.add("manifest.isolation", "Only %s can run in the executor's own process. Leave the isolation out.", glue.WASM)
	}
	f.source(t, source, artifact)
	return f
}

// source checks what a version, a test-run or a draft brings to run.
func (f *fields) source(t glue.Type, source *string, artifact *string) {
	info, _ := glue.Lookup(t)
	switch {
	case !t.Live():
		f.add("source", "A BEAN job has no code here: it is the handler in the executor.")
		return
	case info.Artifact && artifact == nil:
		f.add("artifact", "%s runs an uploaded module. Upload one and give its digest.", t)
		return
	case info.Artifact && !digest.MatchString(*artifact):
		f.add("artifact", "%q is not a digest. Write it as sha256: and 64 hex digits.", *artifact)
		return
	case !info.Artifact && artifact != nil:
		f.add("artifact", "%s has a source and no module. Leave the artifact out.", t)
		return
	case info.Artifact && *source == "":
		return // a module that was compiled elsewhere
	}
	clean, err := glue.CleanSource(t, *source)
	f.wrong("source", err)
	*source = clean
}

// ValidateTest says what is wrong with a test-run, and cleans its source.
func ValidateTest(r *TestRequest) []*FieldError {
	f := fields(ValidateCode(r.Type, &r.Source, r.Artifact, r.Manifest))
	if r.Param != nil {
		f = append(f, ValidateParam(*r.Param)...)
	}
	f.between("shard_total", r.ShardTotal, 1, MaxShards)
	if r.ShardIndex < 0 || r.ShardIndex >= max(r.ShardTotal, 1) {
		f.add("shard_index", "%d is not one of %d shards. Count from 0.", r.ShardIndex, r.ShardTotal)
	}
	if !validAddress(r.Address) {
		f.add("address", "%q is not an executor's address. Write it as http://10.0.0.5:9999.", r.Address)
	}
	return f
}

// Exceeds says which grants of m go beyond those of allowed.
func Exceeds(m, allowed glue.Manifest) []*FieldError {
	var f fields
	const message = "The published version does not have this. Have it published by somebody who may, or take it out."
	for _, grants := range []struct {
		field      string
		want, have []string
	}{{"manifest.hosts", m.Hosts, allowed.Hosts}, {"manifest.secrets", m.Secrets, allowed.Secrets}} {
		if slices.ContainsFunc(grants.want, func(name string) bool { return !slices.Contains(grants.have, name) }) {
			f.add(grants.field, message)
		}
	}
	if m.Isolation != "" && m.Isolation != allowed.Isolation {
		f.add("manifest.isolation", message)
	}
	if m.KV && !allowed.KV {
		f.add("manifest.kv", message)
	}
	return f
}

// CleanTags puts tags in order, each once, without space around them.
func CleanTags(tags []string) []string {
	clean := make([]string, 0, len(tags))
	for _, t := range tags {
		clean = append(clean, strings.TrimSpace(t))
	}
	slices.Sort(clean)
	return slices.Compact(clean)
}

// ValidateTags says what is wrong with tags.
func ValidateTags(field string, tags []string) []*FieldError {
	var f fields
	if len(tags) > MaxTags {
		f.add(field, "There are %d. Use at most %d.", len(tags), MaxTags)
		return f
	}
	for _, t := range tags {
		f.length(field, t, 1, MaxTag)
		if strings.ContainsFunc(t, func(r rune) bool { return r == ',' || unicode.IsControl(r) }) {
			f.add(field, "%q contains a comma or a control character. Take it out.", t)
		}
	}
	return f
}

// ValidateDraft says what is wrong with a draft: it need not be finished, but it must be
// possible to keep it.
func ValidateDraft(d Draft) []*FieldError {
	f := fields(ValidateSourceSize(d.Source))
	f = append(f, ValidateManifest(d.Manifest)...)
	if !d.Type.Live() {
		f.add("source", "A BEAN job has no code here: it is the handler in the executor.")
	}
	if d.Artifact != nil && !digest.MatchString(*d.Artifact) {
		f.add("artifact", "%q is not a digest. Write it as sha256: and 64 hex digits.", *d.Artifact)
	}
	return f
}

// ValidateSourceSize says what is wrong with a source as a text.
func ValidateSourceSize(source string) []*FieldError {
	var f fields
	if len(source) > glue.MaxSource {
		f.add("source", "It has %d bytes. Use at most %d.", len(source), glue.MaxSource)
	}
	return f
}
