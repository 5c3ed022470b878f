package prompt

import (
	"cmp"
	"fmt"
	"math"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/compile"
	"github.com/contextd/contextd/internal/gates"
	"github.com/contextd/contextd/internal/lang"
	"github.com/contextd/contextd/internal/memory"
	"github.com/contextd/contextd/internal/profile"
	"github.com/contextd/contextd/internal/rank"
	"github.com/contextd/contextd/internal/receipt"
	"github.com/contextd/contextd/internal/retrieve"
	"github.com/contextd/contextd/internal/safetext"
	"github.com/contextd/contextd/internal/usage"
)

const kindDecision = "decision" // of memory: the newest on one thing holds

// Kinds of items that come from the index.
const (
	kindCode = "code"
	kindTest = "test"
)

// kindGuess is the kind under which usage counts guesses.
const kindGuess = "guess"

// kindOf is the kind of what comes from a file.
func kindOf(p code.Path) string {
	if rank.IsTest(p) {
		return kindTest
	}
	return kindCode
}

// item is a piece with what a profile need not know.
type item struct {
	profile.Item
	language string
	path     string    // of code
	place    string    // of code: path and lines of its text. Source names the whole piece that the text was cut from
	shown    code.Span // of code: the lines of its text
	whole    code.Span // of code: the lines of the whole piece
	size     int       // bytes of its whole file
	block    bool      // its text is whole lines of a file
	asked    bool      // the task names lines of it, which its text shows
	grade    grade     // of code
	saidAt   time.Time // of memory: when it was written last
}

// items are the pieces that were found, in the order in which a profile counts head and tail: what matters most in
// memory, code, and what memory brought for this question, newest last.
func (j *job) items() []item {
	var hot, warm []item
	relevance := map[string]float64{}
	for _, h := range j.found.hits {
		relevance[h.ID] = h.Relevance
	}
	seen := map[string]bool{}
	for i := range j.found.hot {
		m := &j.found.hot[i]
		seen[m.ID] = true
		hot = append(hot, j.memoryItem(m, relevance[m.ID]))
	}
	hits := slices.Clone(j.found.hits)
	slices.SortStableFunc(hits, func(a, b memory.Hit) int {
		return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
	for _, h := range j.limitByType(hits) {
		if !seen[h.ID] {
			warm = append(warm, j.memoryItem(&h.Item, h.Relevance))
		}
	}
	return slices.Concat(hot, j.code(), warm)
}

// limitByType keeps of each type of memory what its query asks for, the most relevant ones, newer ones before by the
// query's weight of recency. Kinds that no query is for are not limited.
func (j *job) limitByType(hits []memory.Hit) []memory.Hit {
	type query struct {
		limit  int
		weight float64
	}
	queries := map[string]query{}
	for _, q := range j.plan.Queries {
		queries[string(q.Memory)] = query{q.Limit, q.RecencyWeight}
	}
	var newest time.Time
	for _, h := range hits {
		if h.CreatedAt.After(newest) {
			newest = h.CreatedAt
		}
	}
	order := make([]int, len(hits))
	worth := make([]float64, len(hits))
	for i, h := range hits {
		order[i] = i
		w := queries[string(h.Kind)].weight
		days := newest.Sub(h.CreatedAt).Hours() / 24
		worth[i] = h.Relevance * (1 - w/2 + w/2*math.Exp(-days/7))
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(worth[b], worth[a]) })
	count, keep := map[string]int{}, make([]bool, len(hits))
	for _, i := range order {
		kind := string(hits[i].Kind)
		q, asked := queries[kind]
		count[kind]++
		keep[i] = !asked || count[kind] <= q.limit
	}
	out := hits[:0:0]
	for i, h := range hits {
		if keep[i] {
			out = append(out, h)
		}
	}
	return out
}

func (j *job) memoryItem(m *memory.Item, relevance float64) item {
	return item{saidAt: m.Said(), Item: profile.Item{ID: m.ID, Scope: profile.Scope(m.Scope), Kind: string(m.Kind),
		Source: "memory:" + m.ID, Tags: m.Tags, Importance: m.Importance, Relevance: relevance, Text: m.Content,
		Verify: m.Verify}}
}

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
