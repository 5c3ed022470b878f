package lang

import (
	"maps"
	"slices"
)

// All lists all names that Of gives, in order.
func All() []string {
	all := map[string]bool{Text: true, "c": true, "cpp": true, "objectivec": true, "matlab": true}
	for _, table := range []map[string]string{languageOfName(), languageOfExt(), languageOfInterpreter()} {
		for _, l := range table {
			all[l] = true
		}
	}
	for _, known := range namePrefixes {
		all[known.language] = true
	}
	return slices.Sorted(maps.Keys(all))
}
