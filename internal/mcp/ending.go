package mcp

import (
	"fmt"
	"slices"
	"strings"

	"github.com/contextd/contextd/internal/gates"
	"github.com/contextd/contextd/internal/render"
	"github.com/contextd/contextd/internal/retrieve"
	"github.com/contextd/contextd/internal/safetext"
)

// reasonHelp explains each reason to the client, and what to do about it.
var reasonHelp = map[retrieve.Reason]string{
	retrieve.IndexMissing:        "this folder is not indexed yet: ask again in a few seconds; if that does not help, search with grep and tell the user to run indexer run --watch there",
	retrieve.IndexBuilding:       "the index is being built: ask again in a few seconds",
	retrieve.IndexStale:          "the index could not be brought up to date: files that changed lately may be missing",
	retrieve.Backlog:             "many changes wait to be indexed: files that changed lately may be missing",
	retrieve.VectorsBuilding:     "words are searched already, the vectors of this large index are still being built",
	retrieve.ChangesWaiting:      "files have just changed and are not indexed yet: ask again in a moment",
	retrieve.RedisUnreachable:    "the store does not answer: search with grep meanwhile",
	retrieve.RedisAuth:           "the store refuses the password: search with grep, and tell the user",
	retrieve.SearchUnsupported:   "the store cannot search texts: only file names were searched",
	retrieve.EmbedderUnavailable: "meanings could not be compared: ask with words that stand in the code",
	retrieve.Deadline:            "time ran out: ask again, or narrow by path",
	retrieve.StoreFull:           "the store is full: files that changed lately may be missing; tell the user",
	retrieve.GenerationBehind:    "the index has not reached the generation that was asked for: files that changed lately may be missing; ask again in a moment",
	retrieve.StateRebuilt:        "the index was damaged and has been rebuilt",
}

// most of what is listed in one line at the end.
const maxListed = 6

// closingLines are the lines behind the results: what weakens the answer, what to do where there is none, how to get
// more.
func (f *Found) closingLines(hits []hit, shown, k int) (lines []string) {
	sure := slices.ContainsFunc(hits, func(h hit) bool { return h.Grade != gates.Possible })
	if len(hits) == 0 {
		lines = append(lines, f.noResultText())
	}
	if len(hits) > 0 && !sure {
		lines = append(lines, "Only guesses: name an identifier or a file, or use words that stand in the code.")
	}
	for _, r := range f.Replies {
		a := r.Answer()
		if s := render.Unmatched(a.Paths, a.Langs); s != "" && len(f.Replies) == 1 {
			lines = append(lines, strings.TrimSpace(s))
		}
		if s := render.Missing(a.Missing, a.Names); s != "" && !sure && len(f.Replies) == 1 {
			lines = append(lines, strings.TrimSpace(s))
		}
		if n := len(r.Nearest); n > 0 && len(hits) == 0 {
			var places []string
			for _, x := range r.Nearest[:min(n, maxListed)] {
				places = append(places, fmt.Sprintf("%s:%d-%d", safetext.Line(x.Path), x.StartLine, x.EndLine))
			}
			lines = append(lines, "Nearest, probably not: "+strings.Join(places, ", "))
		}
	}
	for _, reason := range f.reasons() {
		lines = append(lines, "Note ("+string(reason)+"): "+reasonHelp[reason]+".")
	}
	for _, line := range f.Failed[:min(len(f.Failed), maxListed)] {
		lines = append(lines, "Not asked: "+safetext.Line(line))
	}
	if len(hits) > 0 {
		lines = append(lines, more(len(hits), shown, k))
	}
	return lines
}

// reasons are those of all replies, each once.
func (f *Found) reasons() (all []retrieve.Reason) {
	for _, r := range f.Replies {
		for _, reason := range r.Reasons {
			if reasonHelp[reason] != "" && !slices.Contains(all, reason) {
				all = append(all, reason)
			}
		}
	}
	return all
}

// noResultText returns the text that says that there is no result, and what to do.
func (f *Found) noResultText() string {
	files, best := 0, 0.0
	for _, r := range f.Replies {
		files, best = files+r.Searched.Files, max(best, r.BestRelevance)
	}
	if files == 0 {
		return "No answer: nothing could be searched."
	}
	return fmt.Sprintf(
		"Nothing relevant (best relevance %.2f): try other words, an identifier or a file's name, or leave out path.",
		best)
}

// more tells how to get what is not shown.
func more(n, shown, k int) string {
	switch {
	case shown < n:
		return fmt.Sprintf("More: %d of %s shown, for want of room; narrow by path, or read the files.", shown,
			render.Plural(n, "result"))
	case n >= k && k < maxK:
		return fmt.Sprintf("More: k=%d shows further results, path narrows to a folder.", min(2*k, maxK))
	}
	return "More: path narrows to a folder; other words may find other places."
}
