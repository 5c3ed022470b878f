package cli

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"github.com/spf13/cobra"
)

func TestAnswerIsJSONOrTextAndTellsThatNothingWasFound(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		json, found bool
		want        string
		err         error
	}{
		{true, true, "{\n  \"n\": 1\n}\n", nil}, {false, true, "one\\x1b line\n", nil},
		{true, false, "{\n  \"n\": 1\n}\n", ErrNothing}, {false, false, "one\\x1b line\n", ErrNothing},
	} {
		var out bytes.Buffer
		cmd := &cobra.Command{}
		cmd.SetOut(&out)
		err := Answer(cmd, c.json, map[string]int{"n": 1}, c.found, Line("one\x1b %s", "line"))
		if out.String() != c.want || !errors.Is(err, c.err) {
			t.Errorf("json %v, found %v: %q (%v), want %q (%v)", c.json, c.found, out.String(), err, c.want, c.err)
		}
	}
	cmd := &cobra.Command{}
	cmd.SetOut(io.Discard)
	if err := Answer(cmd, true, func() {}, true, nil); err == nil {
		t.Error("what cannot be written as JSON is no error")
	}
}
