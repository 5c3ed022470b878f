package prompt

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/compile"
	"github.com/contextd/contextd/internal/gates"
	"github.com/contextd/contextd/internal/lang"
	"github.com/contextd/contextd/internal/profile"
	"github.com/contextd/contextd/internal/receipt"
	"github.com/contextd/contextd/internal/retrieve"
	"github.com/contextd/contextd/internal/safetext"
	"github.com/contextd/contextd/internal/usage"
)

// code are the pieces of code, the most relevant first. A piece of a file that the task names is the task's own, and is
// likely at least.
func (j *job) code() (out []item) {
	ids, places, pointed := map[string]bool{}, map[string]bool{}, map[string]bool{}
	add := func(r *retrieve.Result, named bool) {
		it := item{language: cmp.Or(r.Language, lang.Text), path: r.Path, shown: r.Shown(),
			whole: code.Span{Start: r.StartLine, End: r.EndLine}, size: r.FileBytes, block: true}
		it.Kind, it.Scope, it.Text, it.Line = kindOf(r.Path), profile.Project, r.Snippet, signature(r)
		it.Relevance = r.Relevance
		if named || (j.namesFile(r.Path) || j.isAsked(r.Path)) && r.Grade != gates.Possible {
			it.Scope, it.Relevance = profile.Task, max(r.Relevance, j.policy.MinRelevance)
		}
		it.Source = fmt.Sprintf("file:%s:%d-%d", r.Path, r.StartLine, r.EndLine)
		it.place = fmt.Sprintf("%s:%d-%d", r.Path, r.Shown().Start, r.Shown().End)
		it.Importance = max(it.Relevance, j.policy.MinImportance) // what is relevant enough is important enough
		it.Guess = r.Grade == gates.Possible && !named
		it.grade = j.grade(it.Guess, r.Relevance, r.Path) // to be named makes nothing strong
		it.markAsked(r)
		it.ID = codeID(r, ids)
		out = append(out, it)
	}
	found := j.found.code
	if found == nil {
		return nil
	}
	beside := j.namedResults()
	for i := range found.Results {
		r := &found.Results[i]
		if r.Grade == gates.Possible && slices.ContainsFunc(beside, func(n retrieve.Result) bool {
			return n.Path == r.Path
		}) {
			continue // the task names it: no guess
		}
		add(r, false)
		if pointsAt(r) {
			pointed[r.Path] = true
		} else {
			places[r.Path] = true
		}
	}
	for i := range beside {
		if r := &beside[i]; !places[r.Path] && (!pointed[r.Path] || j.changesFile(r.Path)) {
			add(r, true)
		}
	}
	return out
}

// namesFile reports whether the task names a file.
func (j *job) namesFile(file string) bool {
	return slices.ContainsFunc(j.policy.Files(), func(f string) bool { return j.isSameFile(f, file) })
}

// changesFile reports whether an operation of the task is on a file: whoever is to change it needs its text.
func (j *job) changesFile(file string) bool {
	return slices.ContainsFunc(j.task.FileOperations, func(op compile.FileOperation) bool {
		return op.Path != "" && j.isSameFile(op.Path, file)
	})
}

// isSameFile reports whether a path as a task has it is that of a file.
func (j *job) isSameFile(named, file string) bool {
	named = strings.TrimPrefix(path.Clean(named), j.target.Root+"/")
	return named == file || strings.HasSuffix(file, "/"+named)
}

// codeID is the id of a piece of code: by the name that it defines, which stays when lines move; else by its place.
func codeID(r *retrieve.Result, taken map[string]bool) string {
	id := fmt.Sprintf("code:%s:%d", r.Path, r.StartLine)
	if r.Symbol != "" && !taken["code:"+r.Path+"#"+r.Symbol] {
		id = "code:" + r.Path + "#" + r.Symbol
	}
	taken[id] = true
	if len(id) > usage.MaxID {
		return "code:" + receipt.ShortHash(id)
	}
	return id
}

// signature is the line that tells what a piece of code is: the one that defines its symbol, else one that speaks of
// it, else the first with anything in it.
func signature(r *retrieve.Result) string {
	first, remark := "", ""
	for line := range strings.SplitSeq(r.Snippet, "\n") {
		line = strings.TrimSpace(line)
		if first == "" {
			first = line
		}
		switch {
		case r.Symbol == "" || !strings.Contains(line, r.Symbol):
		case !isComment(line):
			return safetext.Cut(line, maxLine)
		case remark == "":
			remark = line
		}
	}
	if remark != "" {
		return safetext.Cut(remark, maxLine)
	}
	if r.Symbol != "" {
		return safetext.Cut(fmt.Sprintf("%s %s", r.Kind, r.Symbol), maxLine)
	}
	return safetext.Cut(first, maxLine)
}

// isComment reports whether a line looks like one in most languages. "#define" does not.
func isComment(line string) bool {
	for _, mark := range []string{"//", "/*", "* ", "# ", "-- ", ";", "<!--", `"""`} {
		if strings.HasPrefix(line, mark) {
			return true
		}
	}
	return line == "*" || line == "#"
}

// maxLine bounds the line of a pointer, in bytes.
const maxLine = 160
