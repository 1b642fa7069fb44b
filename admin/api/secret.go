package api

import (
	"context"
	"errors"

	"github.com/gluewheel/gluewheel/admin/audit"
	"github.com/gluewheel/gluewheel/admin/job"
)

type secretStore interface {
	Secrets(ctx context.Context, groupID int32) ([]job.Secret, error)
	Secret(ctx context.Context, groupID int32, name string) (job.Secret, error)
	DeleteSecret(ctx context.Context, groupID int32, name string, version int64) error
	Variables(ctx context.Context, groupID int32) ([]job.Variable, error)
	Variable(ctx context.Context, groupID int32, name string) (job.Variable, error)
	PutVariable(ctx context.Context, v job.Variable) (job.Variable, error)
	DeleteVariable(ctx context.Context, groupID int32, name string, version int64) error
}

// Vault keeps secrets.
type Vault interface {
	Put(ctx context.Context, s job.Secret, value string) (job.Secret, error)
}

// Secret is a secret without its value.
type Secret struct {
	Name      string `json:"name"`
	Version   int64  `json:"version" doc:"Moves with every edit."`
	UpdatedAt Time   `json:"updated_at"`
	UpdatedBy string `json:"updated_by"`
}

func secretOf(v job.Secret) Secret {
	return Secret{Name: v.Name, Version: v.Version, UpdatedAt: instant(v.UpdatedAt), UpdatedBy: v.UpdatedBy}
}

// Variable is a value that code may read and people, too.
type Variable struct {
	Name      string `json:"name"`
	Value     string `json:"value"`
	Version   int64  `json:"version" doc:"Moves with every edit."`
	UpdatedAt Time   `json:"updated_at"`
	UpdatedBy string `json:"updated_by"`
}

func variableOf(v job.Variable) Variable {
	return Variable{Name: v.Name, Value: v.Value, Version: v.Version, UpdatedAt: instant(v.UpdatedAt), UpdatedBy: v.UpdatedBy}
}

// SeenValue is the version of a value that its editor has seen.
type SeenValue struct {
	Version int64 `json:"version" minimum:"0" doc:"As read, 0 for a new name: if it has moved on, nothing is changed (409)."`
}

// SecretInput is a new value.
type SecretInput struct {
	Value string `json:"value" format:"password" doc:"4 bytes to 32 KiB. It is never read back; code gets it with gw.secret, and logs show *** in its place."`
	SeenValue
}

// VariableInput is a new value.
type VariableInput struct {
	Value string `json:"value" doc:"At most 32 KiB. Code gets it with gw.secret; it is not hidden in logs."`
	SeenValue
}

// NamedID is a group and the name of one of its values in a path.
type NamedID struct {
	ObjectID
	Name string `path:"name" maxLength:"64"`
}

// NamedWrite is the input of a write of a value, but for its body.
type NamedWrite struct {
	NamedID
	Condition
	Trial
}

type putSecretInput struct {
	NamedWrite
	Body SecretInput
}

type putVariableInput struct {
	NamedWrite
	Body VariableInput
}

// whole is a list that is never so long that it needs pages.
func whole[A, B any](list []A, convert func(A) B) *body[List[B]] {
	return answer(List[B]{Items: mapped(list, convert), Total: len(list)})
}

func (s *server) listSecrets(ctx context.Context, g job.Group, _ *ObjectID) (*body[List[Secret]], error) {
	list, err := s.deps.Store.Secrets(ctx, g.ID)
	if err != nil {
		return nil, err
	}
	return whole(list, secretOf), nil
}

func (s *server) getSecret(ctx context.Context, g job.Group, in *NamedID) (*tagged[Secret], error) {
	v, err := s.deps.Store.Secret(ctx, g.ID, in.Name)
	if err != nil {
		return nil, err
	}
	return withTag(secretOf(v), v.Version), nil
}

func (s *server) putSecret(ctx context.Context, g job.Group, in *putSecretInput) (*tagged[Secret], error) {
	before, err := s.deps.Store.Secret(ctx, g.ID, in.Name)
	if err := beginWrite(ctx, &in.NamedWrite, before, before.Version, err); err != nil {
		return nil, err
	}
	if err := invalid(job.ValidateSecret(in.Name, in.Body.Value)).orNil(); err != nil {
		return nil, err
	}
	v := job.Secret{GroupID: g.ID, Name: in.Name, UpdatedBy: callerOf(ctx).Username, Version: in.Body.Version}
	if v, err = s.deps.Vault.Put(ctx, v, in.Body.Value); err != nil {
		return nil, err
	}
	return withTag(secretOf(v), v.Version), nil
}

// beginWrite judges the condition of a write to a value that may not be there yet, and
// has the audit log tell of the value, not of its group.
func beginWrite[T any](ctx context.Context, in *NamedWrite, was T, version int64, read error) error {
	switch {
	case errors.Is(read, job.ErrNotFound):
		noteValue[T](ctx, in.Name, nil)
	case read != nil:
		return read
	default:
		noteValue(ctx, in.Name, &was)
	}
	return in.met(version)
}

// noteValue tells of the value as it was, nil for a new one.
func noteValue[T any](ctx context.Context, name string, was *T) {
	c := audit.Object(new(T))
	c.ID, c.Name, c.Before = name, name, was
	c.After = (*T)(nil) // what the store makes of it
	audit.Record(ctx, c)
}

func (s *server) deleteSecret(ctx context.Context, g job.Group, in *NamedWrite) (*none, error) {
	v, err := s.deps.Store.Secret(ctx, g.ID, in.Name)
	if err != nil {
		return nil, err
	}
	if err := beginWrite(ctx, in, v, v.Version, nil); err != nil {
		return nil, err
	}
	return nil, s.deps.Store.DeleteSecret(ctx, g.ID, in.Name, in.only(v.Version))
}

func (s *server) listVariables(ctx context.Context, g job.Group, _ *ObjectID) (*body[List[Variable]], error) {
	list, err := s.deps.Store.Variables(ctx, g.ID)
	if err != nil {
		return nil, err
	}
	return whole(list, variableOf), nil
}

func (s *server) getVariable(ctx context.Context, g job.Group, in *NamedID) (*tagged[Variable], error) {
	v, err := s.deps.Store.Variable(ctx, g.ID, in.Name)
	if err != nil {
		return nil, err
	}
	return withTag(variableOf(v), v.Version), nil
}

func (s *server) putVariable(ctx context.Context, g job.Group, in *putVariableInput) (*tagged[Variable], error) {
	before, err := s.deps.Store.Variable(ctx, g.ID, in.Name)
	if err := beginWrite(ctx, &in.NamedWrite, before, before.Version, err); err != nil {
		return nil, err
	}
	if err := invalid(job.ValidateVariable(in.Name, in.Body.Value)).orNil(); err != nil {
		return nil, err
	}
	v := job.Variable{GroupID: g.ID, Name: in.Name, Value: in.Body.Value, UpdatedBy: callerOf(ctx).Username, Version: in.Body.Version}
	if v, err = s.deps.Store.PutVariable(ctx, v); err != nil {
		return nil, err
	}
	return withTag(variableOf(v), v.Version), nil
}

func (s *server) deleteVariable(ctx context.Context, g job.Group, in *NamedWrite) (*none, error) {
	v, err := s.deps.Store.Variable(ctx, g.ID, in.Name)
	if err != nil {
		return nil, err
	}
	if err := beginWrite(ctx, in, v, v.Version, nil); err != nil {
		return nil, err
	}
	return nil, s.deps.Store.DeleteVariable(ctx, g.ID, in.Name, in.only(v.Version))
}
