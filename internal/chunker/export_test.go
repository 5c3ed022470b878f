package chunker

import (
	"context"
	"maps"
	"slices"
)

// Names are the languages that Split knows.
func Names() []string { return slices.Sorted(maps.Keys(languages())) }

// Steps is how many bytes Split looks at again, beyond its single pass over the text.
func Steps(language, src string) int {
	s := scans.Get().(*scan)
	defer s.release()
	_ = s.read(context.Background(), languageNamed(language), src)
	return s.steps
}
