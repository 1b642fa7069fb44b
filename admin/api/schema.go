package api

import (
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// schemaName is what a type is called in the OpenAPI document, and so in generated
// clients: JobList and not ListJob, Problem and not ErrorModel.
func schemaName(t reflect.Type, hint string) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t {
	case reflect.TypeFor[huma.ErrorModel]():
		return "Problem"
	case reflect.TypeFor[huma.ErrorDetail]():
		return "ProblemDetail"
	}
	name, of, generic := strings.Cut(t.Name(), "[")
	if !generic {
		return huma.DefaultSchemaNamer(t, hint)
	}
	of = strings.TrimSuffix(of, "]")
	return of[strings.LastIndex(of, ".")+1:] + name
}
