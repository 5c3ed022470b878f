package profile

import (
	"slices"
	"strconv"
	"strings"

	"github.com/contextd/contextd/internal/intent"
)

// fileSource begins the source of an item that is a piece of a file.
const fileSource = "file:"

// mentions are the files that a task lists and those that its text names (see [intent.Paths]), each place once.
func mentions(job Job) []intent.Ref {
	var refs []intent.Ref
	add := func(ref intent.Ref) {
		plain := intent.Ref{Path: ref.Path, First: ref.First, Last: ref.Last}
		if !slices.Contains(refs, plain) {
			refs = append(refs, plain)
		}
	}
	for _, file := range job.Files {
		if file = strings.TrimSpace(file); file == "" {
			continue
		}
		if found := intent.Paths("`" + file + "`"); len(found) == 1 {
			add(found[0])
			continue
		}
		// It is listed as a file, so it is one, whatever its name.
		add(intent.Ref{Path: strings.TrimPrefix(strings.ReplaceAll(file, `\`, "/"), "./")})
	}
	for _, ref := range intent.Paths(job.Text) {
		add(ref)
	}
	return refs
}

// Boosts of items whose file a task mentions.
const (
	fileBoost = 2.0 // the file, and no lines or others
	lineBoost = 3.0 // the very lines
)

// mentionBoost is what an item's score is multiplied by for being mentioned.
func (r *Request) mentionBoost(source string) float64 {
	place, ok := strings.CutPrefix(source, fileSource)
	if !ok || len(r.Mentions) == 0 {
		return 1
	}
	file, first, last := splitLines(place)
	boost := 1.0
	for _, ref := range r.Mentions {
		if !samePath(file, ref.Path) {
			continue
		}
		boost = max(boost, fileBoost)
		if ref.First > 0 && first > 0 && ref.First <= last && first <= ref.Last {
			boost = lineBoost
		}
	}
	return boost
}

// splitLines parts "a.go:10-30" into file and lines; 0 where none are named.
func splitLines(place string) (file string, first, last int) {
	k := strings.LastIndexByte(place, ':')
	if k < 0 {
		return place, 0, 0
	}
	from, to, isSpan := strings.Cut(place[k+1:], "-")
	if !isSpan {
		to = from
	}
	first, err1 := strconv.Atoi(from)
	last, err2 := strconv.Atoi(to)
	if err1 != nil || err2 != nil || first < 1 || last < first {
		return place, 0, 0
	}
	return place[:k], first, last
}

// samePath reports whether a mentioned path means a file of the project: it is the file's path or the end of it, or,
// written from further up, the file's path is its end. Ends are counted in whole segments.
func samePath(file, mentioned string) bool {
	for strings.HasPrefix(mentioned, "../") {
		mentioned = mentioned[3:]
	}
	mentioned = strings.TrimPrefix(mentioned, "~")
	return file == mentioned || endsIn(file, mentioned) || endsIn(mentioned, file)
}

func endsIn(path, end string) bool {
	return end != "" && len(path) > len(end) && strings.HasSuffix(path, end) &&
		(end[0] == '/' || path[len(path)-len(end)-1] == '/')
}
