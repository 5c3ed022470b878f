package chunker

import (
	"maps"
	"slices"
)

// Names are the languages that Split knows.
func Names() []string { return slices.Sorted(maps.Keys(languages)) }

// Steps is how many bytes Split looks at again, beyond its single pass over the text.
func Steps(language, src string) int {
	s := new(scan)
	s.reset(languageNamed(language), src)
	s.lex()
	s.layout()
	s.defs()
	s.cut()
	return s.steps
}
