package bundle

import (
	"bytes"
	"encoding/base64"
	"fmt"

	"go.yaml.in/yaml/v4"

	"github.com/gluewheel/gluewheel/glue"
)

const (
	// MaxText is the most bytes of a bundle, of those that are exported as of those that
	// are imported: whatever was exported can be imported.
	MaxText = 64 << 20
	// maxItems is the most lines, and commas and brackets, of a bundle. Each may become a
	// node of a few hundred bytes in memory.
	maxItems = 2_000_000
)

// TooLargeError refuses a bundle.
type TooLargeError struct{ Detail string }

func (e *TooLargeError) Error() string { return e.Detail }

// CheckSize refuses what is too large to be read, with a *TooLargeError.
func CheckSize(text []byte) error {
	if len(text) > MaxText {
		return tooLarge()
	}
	items := 0
	for _, c := range []byte("\n,[{") {
		items += bytes.Count(text, []byte{c})
	}
	if items > maxItems {
		return &TooLargeError{fmt.Sprintf("The bundle has %d lines, commas and brackets, and at most %d are read. Take fewer groups at a time.", items, maxItems)}
	}
	return nil
}

func tooLarge() error {
	return &TooLargeError{fmt.Sprintf("The bundle has more than %d bytes (%d MiB). Take fewer groups at a time.", MaxText, MaxText>>20)}
}

// Module is a WebAssembly module, in YAML as base64.
type Module []byte

// lineLength is how long the lines of base64 are: those of MIME.
const lineLength = 76

// MarshalYAML is called by the encoder.
func (m Module) MarshalYAML() (any, error) {
	text := base64.StdEncoding.EncodeToString(m)
	var lines bytes.Buffer
	for len(text) > lineLength {
		lines.WriteString(text[:lineLength] + "\n")
		text = text[lineLength:]
	}
	lines.WriteString(text + "\n")
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!binary", Style: yaml.LiteralStyle, Value: lines.String()}, nil
}

// UnmarshalYAML is called by the decoder. Bundles of before have a list of numbers.
func (m *Module) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.SequenceNode {
		return n.Decode((*[]byte)(m))
	}
	if n.Kind != yaml.ScalarNode {
		return fmt.Errorf("line %d: the module is not in base64", n.Line)
	}
	if base64.StdEncoding.DecodedLen(len(n.Value)) > 2*glue.MaxArtifact {
		return fmt.Errorf("line %d: the module is larger than %d bytes", n.Line, glue.MaxArtifact)
	}
	module, err := base64.StdEncoding.DecodeString(n.Value) // which passes over line ends
	if err != nil {
		return fmt.Errorf("line %d: the module is not in base64: %w", n.Line, err)
	}
	*m = module
	return nil
}
