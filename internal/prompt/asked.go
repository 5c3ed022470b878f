package prompt

import (
	"slices"
	"strings"

	"github.com/contextd/contextd/internal/asked"
	"github.com/contextd/contextd/internal/gates"
	"github.com/contextd/contextd/internal/retrieve"
	"github.com/contextd/contextd/internal/safetext"
)

// askedText is what lines are looked for in that the task names: all that it says, the files that it lists, and its
// diff. A question is cut where it is long; this is not, for a trace stands at the end.
func (j *job) askedText() string {
	return strings.Join(append([]string{j.req.Query, j.requestText(), j.task.Diff}, j.task.MentionedFiles...), "\n")
}

// namesLines reports whether a text names lines of files.
func namesLines(text string) bool { return len(asked.Places(text)) > 0 }

// isAsked reports whether the task names lines of a file.
func (j *job) isAsked(file string) bool {
	return j.found.code != nil && slices.Contains(j.found.code.Asked, file)
}

// pointsAt reports whether a result is an asked line that is not to stand as text.
func pointsAt(r *retrieve.Result) bool { return r.Asked && r.Grade != gates.Strong }

// markAsked makes an item that shows asked lines keep them: as text it is neither shortened nor the first to go, as a
// pointer its line is the one that is asked for.
func (it *item) markAsked(r *retrieve.Result) {
	switch {
	case pointsAt(r):
		it.grade, it.Line = pointed, safetext.Cut(strings.TrimSpace(r.Snippet), maxLine)
	case r.Asked:
		it.asked = true
	}
}
