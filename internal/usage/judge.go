package usage

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Outcome is what became of an item of a prompt.
type Outcome string

// The outcomes, from the weakest.
const (
	Open      Outcome = ""          // no feedback yet
	Dead      Outcome = "dead"      // not referenced
	Refetched Outcome = "refetched" // fetched again by the agent itself
	Used      Outcome = "used"
)

var strength = []Outcome{Open, Dead, Refetched, Used}

// stronger reports whether o says more than other.
func (o Outcome) stronger(other Outcome) bool {
	return slices.Index(strength, o) > slices.Index(strength, other)
}

func (o Outcome) referenced() bool { return o == Used || o == Refetched }

// Feedback is what is known of a turn after it, or a part of that. Paths are as the agent gave them: relative to the
// root or absolute, with a line at the end or without.
type Feedback struct {
	Response string
	Opened   []string // files that the agent read for itself, or ids of items whose lines it read
	Edited   []string // files that it changed
	Searched []string // what it searched for: text, or a path
	// ids of items, or their files, that it took up: a pointer that it opened, lines that an edit repeats
	Followed []string
	Done     bool // the turn is over: what nothing else is known of is dead weight
}

func (f Feedback) empty() bool {
	return f.Response == "" && len(f.Opened)+len(f.Edited)+len(f.Searched)+len(f.Followed) == 0 && !f.Done
}

// line is the place at the end of a path: :42, :10-30, #L10.
var line = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(:\d+([-:,]\d+)*:?|#L\d+(-L?\d+)?)$`) })

// cleanPath is a path without what agents add to it.
func cleanPath(p string) string {
	p = line().ReplaceAllString(strings.TrimSpace(strings.ReplaceAll(p, `\`, "/")), "")
	for strings.HasPrefix(p, "./") {
		p = p[2:]
	}
	return p
}

// same reports whether given, cleaned, is the file at path below some root.
func same(given, path string) bool {
	return path != "" && (given == path || strings.HasSuffix(given, "/"+path) &&
		(given[0] == '/' || strings.Contains(given, ":/")))
}

// names reports whether text names path, and not only a longer one.
func names(text, path string) bool {
	if len(path) < 5 || !strings.ContainsAny(path, "/.") {
		return false
	}
	for from := 0; ; {
		i := strings.Index(text[from:], path)
		if i < 0 {
			return false
		}
		start, end := from+i, from+i+len(path)
		if (start == 0 || !inPath(text[start-1])) && (end == len(text) || !inPath(text[end]) || text[end] == '.' &&
			(end+1 == len(text) || !inPath(text[end+1]))) {
			return true
		}
		from = start + 1
	}
}

func inPath(c byte) bool {
	return c == '_' || c == '-' || c == '.' || c == '/' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' ||
		c >= 'A' && c <= 'Z' || c >= 0x80
}

// Passages of a reply: those of fewer words say too little, those beyond the limit count in the whole only.
const (
	minPassage  = 8
	maxPassages = 500
)

// passages are the words of a reply as a whole and, as a long reply drowns what it says of one item, of each of its
// paragraphs.
func passages(reply string) []Words {
	all := []Words{WordsOf(reply)}
	add := func(paragraph string) {
		if w := WordsOf(paragraph); len(w) >= minPassage && len(w) < len(all[0]) {
			all = append(all, w)
		}
	}
	start, at := 0, 0
	for line := range strings.Lines(reply) {
		if len(all) > maxPassages {
			return all
		}
		if at += len(line); strings.TrimSpace(line) == "" {
			add(reply[start:at])
			start = at
		}
	}
	add(reply[start:])
	return all
}

// verdict is what a part of feedback says of one item.
type verdict struct {
	outcome Outcome
	weight  float64 // for its score
}

// judge tells what became of each item, and what was missed, sorted.
func judge(items []item, f Feedback) (verdicts []verdict, missed []string) {
	said := passages(f.Response)
	text := strings.ReplaceAll(f.Response, `\`, "/")
	verdicts = make([]verdict, len(items))
	raise := func(i int, o Outcome, weight float64) {
		v := &verdicts[i]
		if o.stronger(v.outcome) {
			v.outcome = o
		}
		v.weight = max(v.weight, weight)
	}
	for i, it := range items {
		raise(i, Dead, 0)
		overlap := 0.0
		for _, passage := range said {
			overlap = max(overlap, Overlap(it.Words, passage))
		}
		if overlap >= Referenced {
			raise(i, Used, overlap)
		}
		if it.Path != "" && names(text, it.Path) {
			raise(i, Used, 1)
		}
	}
	touch := func(given string, o Outcome, weight float64, fits func(item) bool) {
		found := false
		for i, it := range items {
			if fits(it) {
				raise(i, o, weight)
				found = true
			}
		}
		if !found && given != "" {
			missed = append(missed, given)
		}
	}
	for _, p := range f.Edited {
		p = cleanPath(p)
		touch(p, Used, 1, func(it item) bool { return same(p, it.Path) })
	}
	for _, p := range f.Followed {
		clean := cleanPath(p)
		touch("", Used, 1, func(it item) bool { return p == it.ID || same(clean, it.Path) })
	}
	for _, given := range f.Opened {
		p := cleanPath(given)
		touch(p, Refetched, .5, func(it item) bool { return given == it.ID || same(p, it.Path) })
	}
	for _, q := range f.Searched {
		p, words := cleanPath(q), WordsOf(q)
		touch(strings.TrimSpace(q), Refetched, .5, func(it item) bool {
			return same(p, it.Path) || len(words) > 0 && it.Words.common(words) == len(words)
		})
	}
	slices.Sort(missed)
	return verdicts, slices.Compact(missed)
}
