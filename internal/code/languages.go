package code

import (
	"maps"
	"slices"
)

// Languages lists all names that LanguageOf gives, in order.
func Languages() []string {
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
