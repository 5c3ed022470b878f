package retrieve

import (
	"sort"
	"strings"

	"github.com/contextd/contextd/internal/render"
)

// Fit keeps the text of the answer, as [render.Text] prints it, within most tokens as count counts them. The best
// results that fit keep their snippets, the others become pointers: a line each, without a snippet. Pointers that do
// not fit either are left out, the last ones first, and counted by Omitted. An answer of fixed lines alone may be
// longer.
func (r *Reply) Fit(most int, count func(text string) int) {
	tokens := func(results []Result) int {
		fitted := *r
		fitted.Results = results
		var b strings.Builder
		render.Text(&b, fitted.Answer()) // a Builder returns no errors
		return count(b.String())
	}
	r.MaxTokens = most
	if r.Tokens = tokens(r.Results); r.Tokens <= most || len(r.Results) == 0 {
		return
	}
	whole := r.Results
	fit := make([]Result, len(whole))
	for i := range whole {
		fit[i] = whole[i].pointer()
	}
	// MaxTokens is set: the line that tells of Omitted is counted.
	n := sort.Search(len(fit), func(n int) bool {
		r.Omitted = len(fit) - n - 1
		return tokens(fit[:n+1]) > most
	})
	r.Omitted = len(fit) - n
	fit = fit[:n]
	at := tokens(fit)
	for i := range fit {
		pointer := fit[i]
		// Text is counted by lines: what a snippet adds is nearly the same wherever it stands, so that few answers are
		// counted in whole.
		adds := count(whole[i].Snippet) - count(pointer.Symbol)
		if at+adds > most {
			continue
		}
		fit[i] = whole[i]
		if now := tokens(fit); now <= most {
			at = now
		} else {
			fit[i] = pointer
		}
	}
	r.Results, r.Tokens = fit, at
}

// pointer is a result without its snippet.
func (x Result) pointer() Result {
	x.Pointer, x.Snippet, x.Truncated = true, "", true
	return x
}
