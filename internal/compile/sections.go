package compile

import (
	"fmt"
	"strings"

	"github.com/contextd/contextd/internal/safetext"
)

// Names of the sections.
const (
	SectionIssue      = "Issue"
	SectionDesign     = "Design Document"
	SectionTask       = "Current Task"
	SectionOperations = "File Operations"
	SectionSteps      = "Steps"
	SectionDiff       = "Code Diff"
	SectionAcceptance = "Acceptance Criteria"
	SectionMemory     = "Memory"
	SectionHistory    = "Recent Task History"
	SectionBlockers   = "Active Blockers"
	SectionCode       = "Relevant Code"
	HeadingQuestion   = "Question" // of the question at the end, which is no section
)

// issue summarises what the work is for: title and description. Without an issue there is no such section.
func (s *State) issue() []Section {
	if s.Issue == nil || s.Issue.Title+s.Issue.Description == "" {
		return nil
	}
	return []Section{{Name: SectionIssue, Source: "issue", Stable: true,
		Content: joinNonEmpty(quote(s.Issue.Title, "text"), quote(s.Issue.Description, "markdown"))}}
}

func (s *State) design() []Section {
	if strings.TrimSpace(s.Design) == "" {
		return nil
	}
	return []Section{{Name: SectionDesign, Source: "design document", Stable: true,
		Content: fence(strings.TrimSpace(s.Design), "markdown")}}
}

// currentTask is the current task, which must be there: id, title and description.
func (s *State) currentTask() ([]Section, error) {
	if s.Task == nil {
		return nil, ErrNoTask
	}
	head := label(s.Task.ID)
	if title := quote(s.Task.Title, "text"); head == "" || strings.Contains(title, "\n") {
		head = joinNonEmpty(head, title)
	} else if title != "" {
		head += ": " + title
	}
	return []Section{{Name: SectionTask, Source: s.Task.source(), Stable: true,
		Content: joinNonEmpty(head, quote(s.Task.Description, "markdown"))}}, nil
}

// source names the task where text is from.
func (t *Task) source() string {
	if t.ID == "" {
		return "task"
	}
	return "task:" + safetext.Line(t.ID)
}

// operations are the changes of files as lines "- op: path".
func (s *State) operations() []Section {
	if s.Task == nil || len(s.Task.FileOperations) == 0 {
		return nil
	}
	var list []string
	for _, op := range s.Task.FileOperations {
		list = append(list, fmt.Sprintf("- %s: %s", safetext.Line(op.Op), safetext.Line(op.Path)))
	}
	return []Section{{Name: SectionOperations, Source: s.Task.source(), Stable: true, Content: joinNonEmpty(list...)}}
}

// steps are numbered "### Step i", each with its code in a fence and its command behind "Run:".
func (s *State) steps() []Section {
	if s.Task == nil || len(s.Task.Steps) == 0 {
		return nil
	}
	var list []string
	for i, step := range s.Task.Steps {
		text := fmt.Sprintf("### Step %d", i+1)
		text = joinNonEmpty(text, quote(step.Description, "text"))
		if step.Code != "" {
			text += "\n" + fence(step.Code, "")
		}
		if step.Run != "" {
			text += "\nRun: " + safetext.Line(step.Run)
		}
		list = append(list, text)
	}
	return []Section{{Name: SectionSteps, Source: s.Task.source(), Stable: true, Content: strings.Join(list, "\n\n")}}
}

func (s *State) diff() []Section {
	if s.Task == nil || strings.TrimSpace(s.Task.Diff) == "" {
		return nil
	}
	return []Section{{Name: SectionDiff, Source: s.Task.source(), Stable: true, Content: fence(s.Task.Diff, "diff")}}
}

func (s *State) acceptance() []Section {
	if s.Task == nil || len(s.Task.Acceptance) == 0 {
		return nil
	}
	var list []string
	for _, c := range s.Task.Acceptance {
		list = append(list, "- "+safetext.Line(strings.TrimSpace(c)))
	}
	return []Section{{Name: SectionAcceptance, Source: s.Task.source(), Stable: true, Content: joinNonEmpty(list...)}}
}

// foundParts are the parts that were found for the call, those that change least first.
func (s *State) foundParts(takes Takes) (out []Section) {
	add := func(part Takes, name, source, content string) {
		if takes.Has(part) && content != "" {
			out = append(out, Section{Name: name, Source: source, Content: content})
		}
	}
	add(TakesMemory, SectionMemory, "memory", Pieces(s.Memory))
	add(TakesHistory, SectionHistory, "history", strings.TrimSpace(s.History))
	add(TakesBlockers, SectionBlockers, "history", strings.TrimSpace(s.Blockers))
	add(TakesCode, SectionCode, "index", Pieces(s.Code))
	return out
}
