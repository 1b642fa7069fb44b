package glue

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// CleanSource checks a source and returns it as it is stored. Its error is a sentence
// for people.
//
// Shell sources lose their carriage returns, as in XXL-JOB: written in a browser on
// Windows, they would make bash look for a command named "\r".
func CleanSource(t Type, source string) (string, error) {
	switch {
	case strings.TrimSpace(source) == "":
		return "", errors.New("the source is empty: write some code")
	case len(source) > MaxSource:
		return "", fmt.Errorf("the source has %d bytes, and at most %d are kept", len(source), MaxSource)
	case !utf8.ValidString(source):
		return "", errors.New("the source is not valid UTF-8: save it in that encoding")
	case strings.ContainsRune(source, 0):
		return "", errors.New("the source contains a NUL character: remove it")
	}
	if t == Shell {
		source = strings.ReplaceAll(source, "\r", "")
	}
	return source, nil
}
