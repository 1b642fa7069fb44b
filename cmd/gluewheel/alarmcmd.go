package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
)

type channelTest struct{ one[alarmChannelNoun] }

// Run sends a test message, and fails when it did not arrive.
func (f *channelTest) Run(ctx context.Context, s *streams) error {
	c, path, err := f.at(ctx)
	if err != nil {
		return err
	}
	defer c.close()
	var result struct {
		OK      bool   `json:"ok"`
		Message string `json:"message"`
	}
	if err := c.call(ctx, http.MethodPost, path+"/test", nil, &result); err != nil {
		return err
	}
	if f.JSON {
		if err := printJSON(s.out, result); err != nil {
			return err
		}
	}
	switch {
	case !result.OK:
		return errors.New(result.Message)
	case !f.JSON:
		fmt.Fprintln(s.out, result.Message)
	}
	return nil
}
