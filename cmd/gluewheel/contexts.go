package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v4"
)

// contexts is the file that remembers servers and tokens, as kubectl's does.
type contexts struct {
	Current  string                  `yaml:"current,omitempty"`
	Contexts map[string]savedContext `yaml:"contexts,omitempty"`
}

type savedContext struct {
	Server string `yaml:"server"`
	Token  string `yaml:"token"`
}

func contextsFile() (string, error) {
	if path := os.Getenv("GLUEWHEEL_CONTEXTS"); path != "" {
		return path, nil
	}
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", fmt.Errorf("find contexts: %w; name the file with GLUEWHEEL_CONTEXTS", err)
	}
	return filepath.Join(dir, "gluewheel", "contexts.yaml"), nil
}

// readContexts reads the file; none is an empty one.
func readContexts() (contexts, error) {
	c := contexts{Contexts: map[string]savedContext{}}
	path, err := contextsFile()
	if err != nil {
		return c, nil // no home: flags and variables have to do
	}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return c, nil
	}
	if err != nil {
		return c, fmt.Errorf("read contexts: %w", err)
	}
	if err := yaml.Unmarshal(text, &c); err != nil {
		return c, fmt.Errorf("read contexts in %s: %w", path, err)
	}
	if c.Contexts == nil {
		c.Contexts = map[string]savedContext{}
	}
	return c, nil
}

// readContextsWith reads the file, in which a context has to be.
func readContextsWith(name string) (contexts, error) {
	c, err := readContexts()
	if err != nil {
		return c, err
	}
	if _, ok := c.Contexts[name]; !ok {
		return c, fmt.Errorf("there is no context %q: see gluewheel context list", name)
	}
	return c, nil
}

// write keeps tokens from other users of the machine, and never leaves half a file.
func (c contexts) write() error {
	path, err := contextsFile()
	if err != nil {
		return err
	}
	text, err := yaml.Marshal(c)
	if err != nil {
		return fmt.Errorf("write contexts: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("write contexts: %w", err)
	}
	draft := path + ".new"
	if err := os.WriteFile(draft, text, 0o600); err != nil {
		return fmt.Errorf("write contexts: %w", err)
	}
	if err := os.Rename(draft, path); err != nil {
		return fmt.Errorf("write contexts: %w", err)
	}
	return nil
}

// contextCmd manages the servers that client commands talk to.
type contextCmd struct {
	List   contextListCmd   `cmd:"" help:"List contexts; the chosen one has a star."`
	Set    contextSetCmd    `cmd:"" help:"Create or change a context, and choose it."`
	Use    contextUseCmd    `cmd:"" help:"Choose a context."`
	Delete contextDeleteCmd `cmd:"" help:"Forget a context."`
}

type contextListCmd struct{}

// Run prints names and servers, never tokens.
func (contextListCmd) Run(s *streams) error {
	file, err := readContexts()
	if err != nil {
		return err
	}
	if len(file.Contexts) == 0 {
		fmt.Fprintln(s.out, "There is no context yet. Make one: gluewheel context set prod --server https://jobs.example.com --token-file token")
		return nil
	}
	items := []object{}
	for _, name := range slices.Sorted(maps.Keys(file.Contexts)) {
		mark := ""
		if name == file.Current {
			mark = "*"
		}
		items = append(items, object{"mark": mark, "name": name, "server": file.Contexts[name].Server})
	}
	return (&remote{}).show(s.out, []column{{"mark", "CHOSEN"}, {"name", "NAME"}, {"server", "SERVER"}}, items...)
}

type contextSetCmd struct {
	Name      string `arg:"" help:"Name of the context."`
	Server    string `required:"" placeholder:"URL" help:"Address of an admin, such as https://jobs.example.com."`
	TokenFile string `required:"" placeholder:"FILE" help:"File with an API token; - reads it from stdin, so that it stands in no history."`
}

// Run stores the context and makes it the chosen one.
func (c *contextSetCmd) Run(s *streams) error {
	token, err := readSecretFile(c.TokenFile, s.in)
	if err != nil {
		return fmt.Errorf("token-file: %w", err)
	}
	if strings.ContainsFunc(token, unicode.IsSpace) {
		return fmt.Errorf("token-file: %s holds more than an API token, which is one word", c.TokenFile)
	}
	file, err := readContexts()
	if err != nil {
		return err
	}
	file.Contexts[c.Name] = savedContext{Server: strings.TrimSuffix(c.Server, "/"), Token: token}
	file.Current = c.Name
	return file.write()
}

// maxSecret bounds what is read of stdin for a secret.
const maxSecret = 1 << 20

// readSecretFile reads a file, or stdin for "-", without the line's end.
func readSecretFile(path string, stdin io.Reader) (string, error) {
	text, err := readFile(path, io.LimitReader(stdin, maxSecret))
	if err != nil {
		return "", err
	}
	secret := strings.TrimRight(string(text), "\r\n")
	if secret == "" {
		return "", errors.New("it is empty")
	}
	return secret, nil
}

type contextUseCmd struct {
	Name string `arg:"" help:"Name of the context."`
}

// Run chooses a context.
func (c *contextUseCmd) Run() error {
	file, err := readContextsWith(c.Name)
	if err != nil {
		return err
	}
	file.Current = c.Name
	return file.write()
}

type contextDeleteCmd struct {
	Name string `arg:"" help:"Name of the context."`
}

// Run forgets a context.
func (c *contextDeleteCmd) Run() error {
	file, err := readContextsWith(c.Name)
	if err != nil {
		return err
	}
	delete(file.Contexts, c.Name)
	if file.Current == c.Name {
		file.Current = ""
	}
	return file.write()
}
