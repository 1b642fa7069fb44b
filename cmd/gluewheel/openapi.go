package main

import "github.com/gluewheel/gluewheel/admin/api"

// openapiCmd prints the description of the REST API: a running admin gives it to those
// who are logged in only.
type openapiCmd struct{}

// Run prints JSON.
func (openapiCmd) Run(s *streams) error {
	document, err := api.Document()
	if err != nil {
		return err
	}
	_, err = s.out.Write(document)
	return err
}
