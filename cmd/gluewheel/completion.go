package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// completionCmd prints a script for a shell. The script asks the program itself, through
// the hidden command below, so that it never is out of date.
type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

var completionScripts = map[string]string{
	"bash": `# source <(gluewheel completion bash)
_gluewheel() {
  COMPREPLY=($(compgen -W "$(gluewheel __complete "${COMP_WORDS[@]:1:COMP_CWORD-1}" 2>/dev/null)" -- "${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _gluewheel gluewheel
`,
	"zsh": `# source <(gluewheel completion zsh)
_gluewheel() {
  local -a words_
  words_=(${(f)"$(gluewheel __complete "${words[@]:1:CURRENT-2}" 2>/dev/null)"})
  compadd -a words_ || _files
}
compdef _gluewheel gluewheel
`,
	"fish": `# gluewheel completion fish | source
complete -c gluewheel -a '(gluewheel __complete (commandline -opc)[2..-1] 2>/dev/null)'
`,
}

// Run prints the script.
func (c *completionCmd) Run(s *streams) error {
	_, err := fmt.Fprint(s.out, completionScripts[c.Shell])
	return err
}

// completeCmd answers the scripts: the words that may come after the given ones.
type completeCmd struct {
	Words []string `arg:"" optional:"" passthrough:""`
}

// Run prints commands and flags, a line each.
func (c *completeCmd) Run(s *streams, app *kong.Kong) error {
	for _, word := range candidates(app.Model.Node, c.Words) {
		fmt.Fprintln(s.out, word)
	}
	return nil
}

// candidates walks down the commands that were given, and lists what their last one
// knows.
func candidates(at *kong.Node, words []string) []string {
	for _, w := range words {
		i := slices.IndexFunc(at.Children, func(n *kong.Node) bool { return n.Name == w })
		if i >= 0 {
			at = at.Children[i]
		}
	}
	var out []string
	for _, child := range at.Children {
		if !child.Hidden && child.Type == kong.CommandNode {
			out = append(out, child.Name)
		}
	}
	for _, group := range at.AllFlags(true) {
		for _, f := range group {
			if f.Enum != "" && len(words) > 0 && words[len(words)-1] == "--"+f.Name {
				return strings.Split(f.Enum, ",")
			}
			out = append(out, "--"+f.Name)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
