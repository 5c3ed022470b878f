package secret

import (
	"context"
	"errors"
	"strings"
	"testing"
)

// TestSearchesOfTextStopWithTheirContext: a megabyte in which a key could begin at each third byte.
func TestSearchesOfTextStopWithTheirContext(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("SG"+".", 1<<19)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, search := range map[string]func() (string, error){
		"FindWithin": func() (string, error) {
			rule, _, err := FindWithin(ctx, text)
			return rule, err
		},
		"RedactJSONWithin": func() (string, error) {
			got, err := RedactJSONWithin(ctx, []byte(`{"a":["`+text+`"]}`))
			return string(got), err
		},
		"RedactJSONWithin of what is no JSON": func() (string, error) {
			got, err := RedactJSONWithin(ctx, []byte(`{"a":`+text))
			return string(got), err
		},
	} {
		if got, err := search(); !errors.Is(err, context.Canceled) || got != "" {
			t.Errorf("%s: %d bytes, %v", name, len(got), err)
		}
	}
}
