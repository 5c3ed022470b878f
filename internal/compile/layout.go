package compile

import (
	"slices"

	"github.com/contextd/contextd/internal/profile"
)

// Layout is the strategy of an agent whose profile brings a system prompt, sections or both: a new kind of agent needs
// no code. What the profile leaves open is as Base has it, and what Base needs of a state is needed still.
type Layout struct {
	Base     Strategy
	Prompt   string            // "": that of Base
	Sections []profile.Section // in their order; none: those of Base
}

// Kind implements [Strategy].
func (l Layout) Kind() string { return l.Base.Kind() }

// takesBySource are the found parts by the source of a section.
var takesBySource = map[string]Takes{profile.SourceMemory: TakesMemory, profile.SourceHistory: TakesHistory,
	profile.SourceBlockers: TakesBlockers, profile.SourceCode: TakesCode}

// Takes implements [Strategy]: what no section shows is not searched.
func (l Layout) Takes() (all Takes) {
	if len(l.Sections) == 0 {
		return l.Base.Takes()
	}
	for _, s := range l.Sections {
		all |= takesBySource[s.Source]
	}
	return all
}

// Shows reports whether a section shows a source; without sections of its own that is as Base does.
func (l Layout) Shows(source string) bool {
	return len(l.Sections) == 0 || slices.ContainsFunc(l.Sections, func(s profile.Section) bool {
		return s.Source == source
	})
}

// Heading is the name of the section of a source, base if the layout does not name one.
func (l Layout) Heading(source, base string) string {
	for _, s := range l.Sections {
		if s.Source == source {
			return s.Name
		}
	}
	return base
}

// Compile implements [Strategy].
func (l Layout) Compile(s State) (*Context, error) {
	c, err := l.Base.Compile(s)
	if err != nil {
		return nil, err
	}
	if l.Prompt != "" {
		c.SystemPrompt = system(l.Prompt)
	}
	if len(l.Sections) == 0 {
		return c, nil
	}
	c.Sections = nil
	for _, want := range l.Sections {
		for _, part := range s.SectionsFrom(want.Source) {
			part.Name = want.Name
			c.Sections = append(c.Sections, part)
		}
	}
	return c, nil
}

// SectionsFrom is the section that a state has of a source, under its usual name: at most one.
func (s *State) SectionsFrom(source string) []Section {
	switch source {
	case profile.SourceIssue:
		return s.issue()
	case profile.SourceDesign:
		return s.design()
	case profile.SourceTask:
		sections, _ := s.currentTask() // without a task there is none
		return sections
	case profile.SourceOperations:
		return s.operations()
	case profile.SourceSteps:
		return s.steps()
	case profile.SourceDiff:
		return s.diff()
	case profile.SourceAcceptance:
		return s.acceptance()
	}
	return s.foundParts(takesBySource[source])
}
