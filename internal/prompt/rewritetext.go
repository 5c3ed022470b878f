package prompt

import (
	"slices"
	"strings"

	"github.com/contextd/contextd/internal/compile"
	"github.com/contextd/contextd/internal/history"
	"github.com/contextd/contextd/internal/profile"
)

// Bounds of the search for a section by its hash.
const (
	titleLines = 8  // of a title
	maxEnds    = 64 // places where a description may end, or an issue begin
	maxSince   = 50 // tasks, or blockers, that may have come since
	maxTypes   = 8  // types of tasks
)

// taskSection returns the section of the task, or of the issue, that has a hash; "" where there is none. The receipt
// keeps what both say in one text, without the places where the parts end: they are found by the hash.
func (w *rewriter) taskSection(hash, source string) string {
	lines := strings.Split(w.r.Query, "\n")
	n := len(lines)
	try := func(from, middle, to int) string {
		title, description := strings.Join(lines[from:middle], "\n"), strings.Join(lines[middle:to], "\n")
		s := compile.State{Issue: &compile.Issue{Title: title, Description: description}}
		if source == profile.SourceTask {
			s.Task = &compile.Task{ID: w.r.TaskID, Title: title, Description: description}
		}
		for _, section := range s.SectionsFrom(source) {
			if hasHash(section.Content, hash) {
				return section.Content
			}
		}
		return ""
	}
	for i := range min(n+1, maxEnds) {
		for k := range titleLines + 1 {
			from, to := 0, n-i
			if source == profile.SourceIssue {
				from, to = n-1-i, n
				if from < 0 {
					return ""
				}
			}
			if from+k > to {
				break
			}
			if content := try(from, from+k, to); content != "" {
				return content
			}
		}
		if w.ctx.Err() != nil {
			break
		}
	}
	return ""
}

// historySection returns the section of tasks or of blockers that has a hash; "" where there is none. Tasks that came
// since, and those of other types than the one asked for, are left out until the hash fits.
func (w *rewriter) historySection(hash string) string {
	s := w.history()
	types := []string{""}
	for i := len(s.Tasks) - 1; i >= 0 && len(types) < maxTypes; i-- {
		if t := s.Tasks[i].Type; t != "" && !slices.Contains(types, t) {
			types = append(types, t)
		}
	}
	for _, kind := range types {
		tasks := s.OfType(kind).Tasks
		for since := range min(len(tasks), maxSince+1) {
			for _, n := range taskWindows {
				before := history.State{Tasks: tasks[:len(tasks)-since]}
				if text := tasksText(before, n); hasHash(text, hash) {
					return text
				}
			}
		}
	}
	for since := range min(len(s.Blockers), maxSince+1) {
		for _, n := range blockerWindows {
			if text := blockersText(s.Blockers[:len(s.Blockers)-since], n); hasHash(text, hash) {
				return text
			}
		}
	}
	return ""
}
