package intent

import (
	"slices"
	"strings"
	"testing"
)

func TestDatesAreEntities(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"What did we change on 2026-01-11?":          "2026-01-11",
		"The outage began 2026-01-11T10:05Z in Oslo": "2026-01-11T10:05Z",
		"since 2026-01-11 10:05:30 it hangs":         "2026-01-11 10:05:30",
		"deployed 11.01.2026, then rolled back":      "11.01.2026",
		"the release of 1/11/2026 is bad":            "1/11/2026",
		"the release of 2026/1/11 is bad":            "2026/1/11",
		"we agreed on January 5, 2026 to wait":       "January 5, 2026",
		"we agreed on jan 5 to wait":                 "jan 5",
		"the plan of the 5th of March holds":         "5th of March",
		"due 5 March 2026":                           "5 March 2026",
		"it broke in September 2025.":                "September 2025",
		"planned for Q3 2026":                        "Q3 2026",
		"it fails every Monday":                      "Monday",
	} {
		s := Classify(text)
		var got []string
		for _, e := range s.Entities {
			if e.Kind == Date {
				got = append(got, e.Text)
			}
		}
		if !slices.Equal(got, []string{want}) {
			t.Errorf("Classify(%q).Entities = %v, want the date %q", text, s.Entities, want)
		}
	}
	for _, text := range []string{
		"it may fail", "march on", "see ABC-12 and v1.2.2026x", "the 12 workers", "1.2.3", "src/2026-01-11/notes.md",
		"0001-01", strings.Repeat("2026-", 2000),
	} {
		for _, e := range Classify(text).Entities {
			if e.Kind == Date {
				t.Errorf("Classify(%.40q) has the date %q", text, e.Text)
			}
		}
	}
}
