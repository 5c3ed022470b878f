package retrieve

import (
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/contextd/contextd/internal/asked"
	"github.com/contextd/contextd/internal/code"
)

// askedPlace is lines of a file of the index that a text names.
type askedPlace struct {
	path        code.Path
	first, last int  // lines, as named; the file may have fewer
	quoted      bool // the question does not name the lines but quotes them
	file        bool // the whole file is asked for
}

// locate finds the files that the places of a text mean among the paths of the index, in the order of the places. What
// means no file, or one of several, is left out. A path means
//
//   - the file below root that it leads to, if it is absolute and leads there
//   - the file whose path it is
//   - the one that shares the longest end with it, in whole segments: all that it spells, two at least, or all of the file's own path
//     ("/app/src/x.py" as a container has it is src/x.py). A frame's package, and words of the text, choose among several
//
// A frame of a library means no file, and the path of a library none but its own.
func locate(places []asked.Place, paths []code.Path, root, text string) (found []askedPlace) {
	byBase := make(map[string][]code.Path, len(places))
	segments := make([][]string, len(places))
	for i, p := range places {
		if segments[i] = asked.Segments(p.Path); len(segments[i]) > 0 {
			byBase[segments[i][len(segments[i])-1]] = nil
		}
	}
	for _, p := range paths {
		base := p[strings.LastIndexByte(p, '/')+1:]
		if list, ok := byBase[base]; ok {
			byBase[base] = append(list, p)
		}
	}
	l := locator{root: asked.Segments(root), text: text}
	for i, p := range places {
		if segs := segments[i]; len(segs) > 0 {
			if file := l.file(p, segs, byBase[segs[len(segs)-1]]); file != "" {
				found = append(found, askedPlace{path: file, first: p.First, last: p.Last})
			}
		}
	}
	return found
}

// locator chooses files.
type locator struct {
	root  []string
	text  string
	words map[string]bool // of text, lower case; nil until they are needed
}

// file is the file that segments mean among those of the same name, "" for none.
func (l *locator) file(p asked.Place, segs []string, files []code.Path) code.Path {
	library := asked.Library(p.Path)
	inside := asked.IsAbs(p.Path) && len(segs) > len(l.root) && slices.Equal(segs[:len(l.root)], l.root)
	if inside {
		segs = segs[len(l.root):]
		library = asked.Library(strings.Join(segs, "/"))
	}
	if library && p.Kind != asked.Mention {
		return ""
	}
	if own := strings.Join(segs, "/"); slices.Contains(files, own) &&
		(len(segs) > 1 || len(files) == 1 || p.Folder == "") {
		return own
	}
	if inside || library {
		return ""
	}
	best, most := []code.Path(nil), 0
	for _, f := range files {
		own := strings.Split(f, "/")
		n := commonEnd(own, segs)
		if n < len(segs) && n < 2 && n < len(own) {
			continue
		}
		if n > most {
			best, most = best[:0], n
		}
		if n == most {
			best = append(best, f)
		}
	}
	return l.choose(p.Folder, best)
}

// choose is the one of files that the folder of a frame's package, or else words of the text, speak for.
func (l *locator) choose(folder string, files []code.Path) code.Path {
	if folder != "" {
		parts := strings.Split(folder, "/")
		best := most(files, func(f code.Path) int { return commonEnd(strings.Split(path.Dir(f), "/"), parts) })
		if len(best) == 0 && foreign(parts) {
			return ""
		}
		if len(best) > 0 {
			files = best
		}
	}
	if len(files) > 1 {
		files = most(files, l.spoken)
	}
	if len(files) != 1 {
		return ""
	}
	return files[0]
}

// most are the files of the greatest worth, none if that is 0.
func most(files []code.Path, worth func(code.Path) int) (best []code.Path) {
	greatest := 1
	for _, f := range files {
		n := worth(f)
		if n > greatest {
			best, greatest = best[:0], n
		}
		if n == greatest {
			best = append(best, f)
		}
	}
	return best
}

// spoken is how many of a file's folders the text speaks of.
func (l *locator) spoken(f code.Path) (n int) {
	if l.words == nil {
		l.words = map[string]bool{}
		for _, w := range strings.FieldsFunc(l.text[:min(len(l.text), asked.MaxText)], func(c rune) bool {
			return !unicode.IsLetter(c) && !unicode.IsDigit(c) && c != '_' && c != '-'
		}) {
			l.words[strings.ToLower(w)] = true
		}
	}
	for _, dir := range strings.Split(path.Dir(f), "/") {
		if l.words[strings.ToLower(dir)] {
			n++
		}
	}
	return n
}

// foreign reports whether a package is one of a language's own library or of a framework that most programs call.
func foreign(parts []string) bool {
	switch parts[0] {
	case "java", "javax", "jakarta", "jdk", "sun", "kotlin", "kotlinx", "scala", "groovy", "clojure", "android",
		"androidx", "dalvik", "akka":
		return true
	}
	if len(parts) < 2 {
		return false
	}
	switch parts[0] + "/" + parts[1] {
	case "com/sun", "com/google", "com/fasterxml", "org/apache", "org/springframework", "org/junit", "org/hibernate",
		"org/gradle", "org/eclipse", "io/netty", "io/vertx":
		return true
	}
	return false
}

// commonEnd is how many of the last segments of two paths are the same.
func commonEnd(a, b []string) (n int) {
	for n < len(a) && n < len(b) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return n
}
