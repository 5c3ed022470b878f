package prompt

import (
	"strings"
	"unicode/utf8"

	"github.com/contextd/contextd/internal/gates"
	"github.com/contextd/contextd/internal/retrieve"
	"github.com/contextd/contextd/internal/safetext"
	"github.com/contextd/contextd/internal/search"
)

// question is what to ask the index. It asks for the text of every result: which of them stand with it is decided when
// all are known, within the bytes of the code budget. There are no guesses below a least relevance that the caller
// said.
func (j *job) question() retrieve.Request {
	c := j.policy.Code
	q := retrieve.Request{Text: j.query, Target: j.target, Deadline: j.deadline, Explain: true,
		Gates: gates.Options{MinRelevance: gates.Threshold(j.policy.MinRelevance),
			InjectAt: j.policy.InjectAt, MaxResults: c.Results, MaxChars: c.Chars,
			MaxBytes: c.Results * c.Chars * utf8.UTFMax, Stale: gates.Mode(j.req.Stale)}, Asked: j.askedText(),
		MinGeneration: j.req.MinGeneration}
	if j.req.MinRelevance == nil {
		q = q.WithGuesses()
	}
	if globs := j.globs(); len(globs) > 0 || namesLines(q.Asked) { // the files of these lines are named, too
		tests := j.testGlobs()
		q.Named = &retrieve.Named{Text: safetext.Cut(j.query, maxQuery/2) + "\n" + strings.Join(j.policy.Files(), "\n"),
			Globs: append(globs, tests...), Most: maxNamed + testsEach*len(tests)}
	}
	return q
}

// maxNamed bounds how many of the files that a task names are looked into, each for its best piece first.
const maxNamed = 10

// globs are patterns of the files that the task names, which match them however the path begins.
func (j *job) globs() (globs []string) {
	for _, f := range j.policy.Files() {
		if f = j.relative(f); f == "" {
			continue
		}
		g := "**/" + search.QuoteGlob(f)
		if search.CheckGlob(g) == nil && len(globs) < 2*maxNamed {
			globs = append(globs, g)
		}
	}
	return globs
}

// relative is a path that the task names without the root before it; "" for one outside of the root.
func (j *job) relative(file string) string {
	file = strings.TrimLeft(strings.TrimPrefix(file, j.target.Root+"/"), "/")
	if strings.HasPrefix(file, "../") || strings.HasPrefix(file, "~/") {
		return ""
	}
	return file
}
