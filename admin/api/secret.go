package api

import (
	"context"

	"github.com/gluewheel/gluewheel/admin/job"
)

type secretStore interface {
	Secrets(ctx context.Context, groupID int32) ([]job.Secret, error)
	DeleteSecret(ctx context.Context, groupID int32, name string) error
	Variables(ctx context.Context, groupID int32) ([]job.Variable, error)
	PutVariable(ctx context.Context, v job.Variable) (job.Variable, error)
	DeleteVariable(ctx context.Context, groupID int32, name string) error
}

// Vault keeps secrets.
type Vault interface {
	Put(ctx context.Context, groupID int32, name, value, by string) (job.Secret, error)
}

// Secret is a secret without its value.
type Secret struct {
	Name      string `json:"name"`
	UpdatedAt Time   `json:"updated_at"`
	UpdatedBy string `json:"updated_by"`
}

func secretOf(v job.Secret) Secret {
	return Secret{Name: v.Name, UpdatedAt: instant(v.UpdatedAt), UpdatedBy: v.UpdatedBy}
}

// Variable is a value that code may read and people, too.
type Variable struct {
	Name      string `json:"name"`
	Value     string `json:"value"`
	UpdatedAt Time   `json:"updated_at"`
	UpdatedBy string `json:"updated_by"`
}

func variableOf(v job.Variable) Variable {
	return Variable{Name: v.Name, Value: v.Value, UpdatedAt: instant(v.UpdatedAt), UpdatedBy: v.UpdatedBy}
}

// SecretInput is a new value.
type SecretInput struct {
	Value string `json:"value" format:"password" doc:"4 bytes to 32 KiB. It is never read back; code gets it with gw.secret, and logs show *** in its place."`
}

// VariableInput is a new value.
type VariableInput struct {
	Value string `json:"value" doc:"At most 32 KiB. Code gets it with gw.secret; it is not hidden in logs."`
}

// NamedID is a group and the name of one of its values in a path.
type NamedID struct {
	ObjectID
	Name string `path:"name" maxLength:"64"`
}

type putSecretInput struct {
	NamedID
	Body SecretInput
}

type putVariableInput struct {
	NamedID
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

func (s *server) putSecret(ctx context.Context, g job.Group, in *putSecretInput) (*body[Secret], error) {
	if err := invalid(job.ValidateSecret(in.Name, in.Body.Value)).orNil(); err != nil {
		return nil, err
	}
	v, err := s.deps.Vault.Put(ctx, g.ID, in.Name, in.Body.Value, callerOf(ctx).Username)
	if err != nil {
		return nil, err
	}
	return answer(secretOf(v)), nil
}

func (s *server) deleteSecret(ctx context.Context, g job.Group, in *NamedID) (*none, error) {
	return nil, s.deps.Store.DeleteSecret(ctx, g.ID, in.Name)
}

func (s *server) listVariables(ctx context.Context, g job.Group, _ *ObjectID) (*body[List[Variable]], error) {
	list, err := s.deps.Store.Variables(ctx, g.ID)
	if err != nil {
		return nil, err
	}
	return whole(list, variableOf), nil
}

func (s *server) putVariable(ctx context.Context, g job.Group, in *putVariableInput) (*body[Variable], error) {
	if err := invalid(job.ValidateVariable(in.Name, in.Body.Value)).orNil(); err != nil {
		return nil, err
	}
	v, err := s.deps.Store.PutVariable(ctx, job.Variable{GroupID: g.ID, Name: in.Name, Value: in.Body.Value, UpdatedBy: callerOf(ctx).Username})
	if err != nil {
		return nil, err
	}
	return answer(variableOf(v)), nil
}

func (s *server) deleteVariable(ctx context.Context, g job.Group, in *NamedID) (*none, error) {
	return nil, s.deps.Store.DeleteVariable(ctx, g.ID, in.Name)
}
