package api

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"maps"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gofiber/fiber/v2"
)

// The browsable description is a page of our own and not one of the usual viewers: they
// want scripts from outside, or inline ones, and a page that can do without both needs
// no exception from the security policy.

//go:embed docs/page.html docs/page.css docs/page.js
var docFiles embed.FS

const (
	pathDocs   = "/docs"
	docsPolicy = "default-src 'none'; style-src 'self'; script-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)

// docAssets are what the page loads, with their media types.
var docAssets = map[string]string{"page.css": "text/css; charset=utf-8", "page.js": "text/javascript; charset=utf-8"}

// mountDocs serves the page to those who are logged in.
func (s *server) mountDocs(group fiber.Router, login fiber.Handler) error {
	page, err := renderDocs(s.huma.OpenAPI())
	if err != nil {
		return fmt.Errorf("describe api: %w", err)
	}
	group.Get(pathDocs, login, func(c *fiber.Ctx) error {
		c.Set(fiber.HeaderContentSecurityPolicy, docsPolicy)
		c.Set(fiber.HeaderContentType, fiber.MIMETextHTMLCharsetUTF8)
		return c.Send(page)
	})
	for name, media := range docAssets {
		content, err := docFiles.ReadFile("docs/" + name)
		if err != nil {
			return fmt.Errorf("describe api: %w", err)
		}
		group.Get(pathDocs+"/"+name, login, func(c *fiber.Ctx) error {
			c.Set(fiber.HeaderContentType, media)
			return c.Send(content)
		})
	}
	return nil
}

// What the template shows.
type (
	docPage struct {
		About, Prefix string
		Tags          []docTag
		Schemas       []docSchema
	}
	docTag struct {
		Name, Description string
		Operations        []docOperation
	}
	docOperation struct {
		ID, Method, Path, Summary, Description string
		Parameters                             []docField
		Body                                   *docType
		Answers                                []docAnswer
	}
	docAnswer struct {
		Status string
		Type   docType
	}
	docField struct {
		Name, In, Doc string
		Required      bool
		Type          docType
	}
	docSchema struct {
		Name   string
		Words  []any
		Fields []docField
	}
	// docType is what a type is called, and the schema that explains it.
	docType struct{ Text, Link string }
)

func renderDocs(api *huma.OpenAPI) ([]byte, error) {
	page := docPage{About: api.Info.Description, Prefix: prefix}
	for _, t := range api.Tags {
		page.Tags = append(page.Tags, docTag{t.Name, t.Description, operationsOf(api, t.Name)})
	}
	schemas := api.Components.Schemas.Map()
	for _, name := range slices.Sorted(maps.Keys(schemas)) {
		page.Schemas = append(page.Schemas, docSchema{name, schemas[name].Enum, fieldsOf(schemas[name])})
	}
	t, err := template.ParseFS(docFiles, "docs/page.html")
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = t.Execute(&out, page)
	return out.Bytes(), err
}

func operationsOf(api *huma.OpenAPI, tag string) []docOperation {
	var out []docOperation
	for _, path := range slices.Sorted(maps.Keys(api.Paths)) {
		item := api.Paths[path]
		for _, op := range []*huma.Operation{item.Get, item.Post, item.Put, item.Delete} {
			if op != nil && slices.Contains(op.Tags, tag) {
				out = append(out, operationOf(op))
			}
		}
	}
	return out
}

func operationOf(op *huma.Operation) docOperation {
	out := docOperation{ID: op.OperationID, Method: op.Method, Path: op.Path, Summary: op.Summary, Description: op.Description}
	for _, p := range op.Parameters {
		doc := p.Description
		if doc == "" && p.Schema != nil {
			doc = p.Schema.Description
		}
		out.Parameters = append(out.Parameters, docField{p.Name, p.In, doc, p.Required, typeOf(p.Schema)})
	}
	if op.RequestBody != nil {
		t := contentOf(op.RequestBody.Content)
		out.Body = &t
	}
	for _, status := range slices.Sorted(maps.Keys(op.Responses)) {
		out.Answers = append(out.Answers, docAnswer{status, contentOf(op.Responses[status].Content)})
	}
	return out
}

func contentOf(content map[string]*huma.MediaType) docType {
	kinds := slices.Sorted(maps.Keys(content))
	if len(kinds) == 0 {
		return docType{}
	}
	t := typeOf(content[kinds[0]].Schema)
	if t.Link == "" {
		t.Text = kinds[0]
	}
	return t
}

func fieldsOf(s *huma.Schema) []docField {
	var out []docField
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		p := s.Properties[name]
		out = append(out, docField{Name: name, Doc: p.Description, Required: slices.Contains(s.Required, name), Type: typeOf(p)})
	}
	return out
}

func typeOf(s *huma.Schema) docType {
	switch {
	case s == nil:
		return docType{}
	case s.Ref != "":
		name := strings.TrimPrefix(s.Ref, schemaPrefix)
		return docType{name, name}
	case s.Items != nil:
		of := typeOf(s.Items)
		return docType{"list of " + of.Text, of.Link}
	}
	text := s.Type
	if len(s.Enum) > 0 {
		text = strings.Trim(fmt.Sprint(s.Enum), "[]")
	}
	if s.Format != "" {
		text += " (" + s.Format + ")"
	}
	if s.Default != nil {
		text += fmt.Sprintf(", default %v", s.Default)
	}
	return docType{Text: text}
}
