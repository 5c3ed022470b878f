package sandbox

import (
	"context"
	"errors"
	"strings"
	"testing"
)

// TestContentStopsWithItsContext: a megabyte in which a key could begin at each third byte.
func TestContentStopsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	got, skip, err := File{Path: "a.txt"}.ContentWithin(ctx, []byte(strings.Repeat("SG"+".", 1<<19)))
	if !errors.Is(err, context.Canceled) || got != "" || skip.Reason != "" {
		t.Errorf("%d bytes, %+v, %v", len(got), skip, err)
	}
}
