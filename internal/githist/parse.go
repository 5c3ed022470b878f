package githist

import (
	"strconv"
	"strings"
	"time"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/safetext"
)

// format of a commit: hash, parents, time and message, each ended by a zero byte, which none of them holds. With -z
// another one follows, then a line end and the changed files: a status and one or two paths each, ended by zero bytes.
const format = "%H%x00%P%x00%ct%x00%B%x00"

// Commit is one commit.
type Commit struct {
	Hash    string
	Parents []string
	Note
	Changes []Change
}

// Change is what a commit did to a file: 'A' added, 'M' changed, 'D' removed, 'R' renamed from Old, and others as git
// has them.
type Change struct {
	Status byte
	Path   code.Path // as it was named then
	Old    code.Path
}

// Log is what Read returns.
type Log struct {
	Commits []Commit
	// Renamed tells how files are called now that had another name at the last of Commits.
	Renamed map[code.Path]code.Path
}

// parse reads the output of git, and makes paths relative to the folder prefix. What it does not understand it leaves
// out.
func parse(out []byte, prefix code.Path) *Log {
	l := &Log{Renamed: make(map[code.Path]code.Path)}
	now := func(p code.Path) code.Path {
		if name, ok := l.Renamed[p]; ok {
			return name
		}
		return p
	}
	fields := strings.Split(string(out), "\x00")
	for i := 0; i+4 < len(fields); {
		if !isHash(fields[i]) {
			i++
			continue
		}
		seconds, _ := strconv.ParseInt(fields[i+2], 10, 64)
		c := Commit{Hash: fields[i], Parents: strings.Fields(fields[i+1]),
			Note: Note{Text: safetext.Valid(strings.TrimSpace(fields[i+3])), Time: time.Unix(seconds, 0)}}
		i += 5
		var moved []Change
		for i < len(fields) && !isHash(fields[i]) {
			status := strings.TrimPrefix(fields[i], "\n")
			names := 1
			if status == "" {
				i++
				continue
			}
			if status[0] == 'R' || status[0] == 'C' {
				names = 2
			}
			if i+names >= len(fields) {
				i = len(fields)
				break
			}
			ch := Change{Status: status[0], Path: below(fields[i+names], prefix)}
			if names == 2 {
				ch.Old = below(fields[i+1], prefix)
			}
			if i += names + 1; ch.Path == "" {
				continue
			}
			c.Changes = append(c.Changes, ch)
			c.Files = append(c.Files, now(ch.Path))
			if ch.Status == 'R' && ch.Old != "" {
				moved = append(moved, ch)
			}
		}
		for k := range moved {
			moved[k].Path = now(moved[k].Path)
		}
		for _, m := range moved {
			l.Renamed[m.Old] = m.Path
		}
		l.Commits = append(l.Commits, c)
	}
	return l
}

// below is a path relative to the folder prefix; "" for one outside of it.
func below(path, prefix code.Path) code.Path {
	if prefix == "" {
		return path
	}
	rest, ok := strings.CutPrefix(path, prefix+"/")
	if !ok {
		return ""
	}
	return rest
}
