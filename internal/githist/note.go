package githist

import (
	"strings"
	"time"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/lexical"
	"github.com/contextd/contextd/internal/safetext"
)

// Bounds of what is remembered.
const (
	MaxNotes = 5000    // of a part, the newest
	maxFiles = 30      // a note that changed more points nowhere
	maxText  = 2 << 10 // bytes of a note's text that are read
	maxWords = 200     // distinct words of a note
)

// Note is something that was done: a commit, or a task.
type Note struct {
	Text  string // what was done: a first line, which counts twice, and more
	Files []code.Path
	Time  time.Time
}

// count is how often a note holds a term.
type count struct {
	term code.TermID
	n    int
}

// tokenizedNote is a note as terms and files.
type tokenizedNote struct {
	time   int64 // seconds since 1970
	length int
	terms  []count // distinct
	files  []code.Path
}

func (n *Note) count() tokenizedNote {
	c := tokenizedNote{time: n.Time.Unix(), files: n.Files}
	at := make(map[code.TermID]int)
	weigh := func(text string, by int) {
		for i := 0; ; {
			start, end := lexical.NextIdent(text, i)
			if start == len(text) {
				return
			}
			i = end
			if end-start > lexical.MaxIdent {
				continue
			}
			lexical.Words(text[start:end], func(w string) {
				id := lexical.Word(w).ID
				k, have := at[id]
				if !have {
					if len(c.terms) == maxWords {
						return
					}
					k = len(c.terms)
					at[id] = k
					c.terms = append(c.terms, count{term: id})
				}
				c.terms[k].n += by
				c.length += by
			})
		}
	}
	subject, body, _ := strings.Cut(cut(n.Text), "\n")
	weigh(subject, 2)
	for line := range strings.Lines(body) {
		if !isTrailer(line) {
			weigh(line, 1)
		}
	}
	return c
}

func cut(text string) string {
	return strings.TrimSpace(safetext.Cut(text, maxText))
}

// isTrailer reports whether a line of a message names people or other commits, not what was done.
func isTrailer(line string) bool {
	key, _, found := strings.Cut(strings.TrimSpace(line), ":")
	if !found || strings.Contains(key, " ") {
		return false
	}
	key = strings.ToLower(key)
	return strings.HasSuffix(key, "-by") || strings.HasSuffix(key, "-id") || key == "cc" ||
		strings.HasPrefix(key, "git-")
}
