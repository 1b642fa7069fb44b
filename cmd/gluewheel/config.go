package main

import (
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/alecthomas/kong"
	"go.yaml.in/yaml/v4"
)

// fileConfig is a config file: flags of any command by name. One file may serve several
// commands; each takes the keys it has. A key that no command has is refused.
type fileConfig map[string]any

// loadYAML reads a config file for kong.
func loadYAML(r io.Reader) (kong.Resolver, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("read config file: %w", err)
	}
	values := map[string]any{}
	if err := yaml.Unmarshal(text, &values); err != nil {
		return nil, fmt.Errorf("read config file: %w", err)
	}
	return fileConfig(values), nil
}

// Validate names the first key that is no flag.
func (f fileConfig) Validate(app *kong.Application) error {
	known := map[string]bool{}
	err := kong.Visit(app, func(node kong.Visitable, next kong.Next) error {
		if flag, ok := node.(*kong.Flag); ok {
			known[flag.Name] = true
		}
		return next(nil)
	})
	if err != nil {
		return err
	}
	// A config file can neither ask for help nor name another one.
	delete(known, "help")
	delete(known, "config")
	keys := make([]string, 0, len(f))
	for key := range f {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	for _, key := range keys {
		if !known[key] {
			return fmt.Errorf("config file: unknown key %q (keys are flags without their dashes, see --help)", key)
		}
	}
	return nil
}

// Resolve gives a flag its value from the file, unless a variable sets it: kong asks
// only for flags that are not on the command line, but would let a file beat a variable.
func (f fileConfig) Resolve(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
	for _, name := range flag.Envs {
		if _, set := os.LookupEnv(name); set {
			return nil, nil
		}
	}
	value, ok := f[flag.Name]
	if !ok || value == nil {
		return nil, nil
	}
	if _, nested := value.(map[string]any); nested {
		return nil, fmt.Errorf("config file: key %q is not a single value", flag.Name)
	}
	return value, nil
}
