package profile

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"
)

// Section is a part of a context that a profile names: where its content is from, and what stands above it.
type Section struct {
	Name   string `json:"name"`
	Source string `json:"source"` // one of Sources
}

// What a section can be made from.
const (
	SourceIssue      = "issue"
	SourceDesign     = "design_document"
	SourceTask       = "task"
	SourceOperations = "file_operations"
	SourceSteps      = "steps"
	SourceDiff       = "diff"
	SourceAcceptance = "acceptance_criteria"
	SourceMemory     = "memory"
	SourceHistory    = "history"
	SourceBlockers   = "blockers"
	SourceCode       = "code"
)

// Sources are all sources of sections, those that change least from call to call first.
var Sources = []string{SourceIssue, SourceDesign, SourceTask, SourceOperations, SourceSteps, SourceDiff,
	SourceAcceptance, SourceMemory, SourceHistory, SourceBlockers, SourceCode}

// Limits of what a profile may bring for a prompt, in bytes.
const (
	maxPrompt  = 16 << 10
	maxHeading = 64
)

// prompt reads a text of several lines.
func prompt(set func(*Profile, string)) fieldReader {
	return func(n *yaml.Node) (func(*Profile), string) {
		text := strings.TrimSpace(n.Value)
		if n.Kind != yaml.ScalarNode || n.Tag != "!!str" && n.Value != "" || len(text) > maxPrompt ||
			strings.ContainsFunc(text, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }) {
			return nil, fmt.Sprintf("must be a text of at most %d bytes without control characters", maxPrompt)
		}
		return func(p *Profile) { set(p, text) }, ""
	}
}

// sections reads a list of maps of name and source.
func sections(set func(*Profile, []Section)) fieldReader {
	want := "must be a list of {name, source}: names of at most 64 letters, digits, spaces, - and _, sources of " +
		strings.Join(Sources, ", ") + ", each once"
	return func(n *yaml.Node) (func(*Profile), string) {
		if n.Kind != yaml.SequenceNode || len(n.Content) > len(Sources) {
			return nil, want
		}
		var list []Section
		for _, item := range n.Content {
			s, ok := section(item)
			if !ok || slices.ContainsFunc(list, func(o Section) bool {
				return o.Source == s.Source || strings.EqualFold(o.Name, s.Name)
			}) {
				return nil, want
			}
			list = append(list, s)
		}
		return func(p *Profile) { set(p, list) }, ""
	}
}

func section(n *yaml.Node) (s Section, ok bool) {
	if n.Kind != yaml.MappingNode || len(n.Content) != 4 {
		return s, false
	}
	for i := 0; i < len(n.Content); i += 2 {
		switch value := n.Content[i+1]; {
		case value.Kind != yaml.ScalarNode:
			return s, false
		case n.Content[i].Value == "name":
			s.Name = value.Value
		case n.Content[i].Value == "source":
			s.Source = value.Value
		}
	}
	return s, isHeading(s.Name) && slices.Contains(Sources, s.Source)
}

// isHeading reports whether a name can stand behind "## " and be nothing else.
func isHeading(name string) bool {
	return name != "" && len(name) <= maxHeading && strings.TrimSpace(name) == name &&
		!strings.ContainsFunc(name, func(r rune) bool {
			return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != ' ' && r != '-' && r != '_'
		})
}
