package prompt

import (
	"errors"
	"fmt"
	"strings"

	"github.com/contextd/contextd/internal/compile"
	"github.com/contextd/contextd/internal/history"
	"github.com/contextd/contextd/internal/profile"
	"github.com/contextd/contextd/internal/receipt"
	"github.com/contextd/contextd/internal/tokens"
)

// perMessage is what a provider counts for the frame of one message, at most.
const perMessage = 4

// compile fits the pieces into the budget and compiles. The mandatory part is the context without any of them.
func (j *job) compile() error {
	state := j.state()
	base, err := j.strategy.Compile(state)
	if err != nil {
		return j.incomplete(err)
	}
	question := j.placeQuestion(base)
	must := j.measure(base.Messages())
	if must > j.policy.Budget {
		return &tokens.TooSmallError{Need: must, Have: j.policy.Budget}
	}
	f := fitting{j: j, must: must}
	f.prepare()
	f.fit()
	for {
		f.fill(&state)
		if j.context, err = j.strategy.Compile(state); err != nil {
			return j.incomplete(err)
		}
		j.context.Question = question
		j.sent = j.context.Messages()
		j.tokens = j.measure(j.sent)
		if j.tokens <= j.policy.Budget || !f.drop() {
			// tokens of parts add up to those of the whole but for a few at their borders
			return nil
		}
	}
}

// incomplete says what a strategy misses in the task.
func (j *job) incomplete(err error) error {
	want := err.Error()
	if errors.Is(err, compile.ErrNoTask) {
		want = fmt.Sprintf("agent kind %q works on one: want its id, title or description", j.kind)
	}
	return &RequestError{Field: "task", Want: want, Err: err}
}

// measure is what messages cost.
func (j *job) measure(messages []Message) (sum int) {
	for _, m := range messages {
		sum += j.counter.Count(m.Content) + perMessage
	}
	return sum
}

// fitting is the pieces of one context on their way into its budget.
type fitting struct {
	j            *job
	must         int
	reserve      int // headings and fences of sections that may come
	parts        []tokens.Part
	shares       []tokens.Share
	history      []string // the windows of tasks, the longest first
	blockers     []string
	historyForm  int // index into history, or tokens.LeftOut
	blockersForm int // index into blockers, or tokens.LeftOut
}

// Numbers of tasks and blockers that are shown, the most first.
var (
	taskWindows    = []int{history.DefaultWindow, 3, 1}
	blockerWindows = []int{history.MaxBlockers, 10, 3}
)

// prepare makes the parts: what must be in, the history, the pieces.
func (f *fitting) prepare() {
	j := f.j
	f.parts = []tokens.Part{{Class: tokens.Mandatory, Forms: []int{f.must}}}
	f.shares = j.shares()
	takes := j.strategy.Takes()
	if takes.Has(compile.TakesHistory) {
		for _, n := range taskWindows {
			f.history = addShorterForm(f.history, tasksText(j.found.history, n))
		}
	}
	if b := j.found.history.Blockers; takes.Has(compile.TakesBlockers) {
		for _, n := range blockerWindows {
			f.blockers = addShorterForm(f.blockers, blockersText(b, n))
		}
	}
	for _, s := range []struct {
		name  string
		forms []string
	}{{compile.SectionBlockers, f.blockers}, {compile.SectionHistory, f.history}} {
		p := tokens.Part{Section: s.name, Class: tokens.First}
		for _, text := range s.forms {
			p.Forms = append(p.Forms, j.counter.Count(compile.Section{Name: s.name, Content: text}.Text())+1)
		}
		f.parts = append(f.parts, p)
	}
	f.pieces()
}

// pieces makes a part of each piece that may stand in the context. Shorter forms are made only where they can matter.
func (f *fitting) pieces() {
	j, sum := f.j, 0
	words := tokens.Words(nil)
	seen := map[string]bool{}
	for i := range j.choice.lines {
		l := &j.choice.lines[i]
		if l.verdict == receipt.Dropped {
			continue
		}
		sum += j.counter.Count(l.item.Text)
		if name := l.section; !seen[name] {
			seen[name] = true
			f.reserve += j.counter.Count("## "+name+"\n\n\n```text\n```\n") + 2
		}
	}
	if f.must+f.reserve+sum*5/4 > j.policy.Budget || len(j.policy.Budgets) > 0 || j.policy.Mode == profile.Cheap {
		words = tokens.WordsOf(j.query) // never nil
	}
	for i := range j.choice.lines {
		l := &j.choice.lines[i]
		if l.verdict == receipt.Dropped {
			continue
		}
		l.forms, l.part = j.forms(l, words), len(f.parts)
		p := tokens.Part{Section: j.budgetSection(l)}
		if l.preserved || l.asked || j.hasOwnBudget(l) {
			p.Class = tokens.First
		}
		if l.grade == likely {
			p.Value = l.item.Relevance
		}
		for _, form := range l.forms {
			p.Forms = append(p.Forms, form.tokens)
		}
		f.parts = append(f.parts, p)
	}
}

// fit chooses the forms.
func (f *fitting) fit() {
	j := f.j
	room := j.policy.Budget - f.reserve
	forms, err := tokens.Fit(room, f.parts, f.shares)
	if err != nil { // no room for anything beside what must be in, which fits
		forms = make([]int, len(f.parts))
		for i := range forms {
			forms[i] = tokens.LeftOut
		}
	}
	f.blockersForm, f.historyForm = forms[1], forms[2]
	j.fitted = fitted{Budget: room, Reserve: f.reserve, Parts: f.parts, Shares: f.shares, Forms: forms}
	for i := range j.choice.lines {
		l := &j.choice.lines[i]
		if l.part < 0 {
			continue
		}
		k := forms[l.part]
		if k == tokens.LeftOut {
			l.drop(reasonBudget)
			continue
		}
		l.verdict, l.cost = l.forms[k].verdict, l.forms[k].tokens
		if k > 0 {
			l.reason = reasonBudget
		} else if l.verdict == receipt.Compressed {
			l.reason = string(j.policy.Mode)
		}
	}
}

// fill puts what was chosen into the state.
func (f *fitting) fill(s *compile.State) {
	s.Code, s.Memory, s.History, s.Blockers = nil, nil, "", ""
	if f.historyForm != tokens.LeftOut && f.historyForm < len(f.history) {
		s.History = f.history[f.historyForm]
	}
	if f.blockersForm != tokens.LeftOut && f.blockersForm < len(f.blockers) {
		s.Blockers = f.blockers[f.blockersForm]
	}
	for _, l := range f.j.choice.kept() {
		i := 0
		for l.forms[i].verdict != l.verdict {
			i++
		}
		if l.block {
			s.Code = append(s.Code, l.forms[i].piece)
		} else {
			s.Memory = append(s.Memory, l.forms[i].piece)
		}
	}
}

// drop takes out what is wanted least; false if there is nothing left.
func (f *fitting) drop() bool {
	kept := f.j.choice.kept()
	if n := len(kept); n > 0 {
		kept[n-1].drop(reasonBudget)
		return true
	}
	if f.historyForm != tokens.LeftOut && len(f.history) > 0 {
		f.history = nil
		return true
	}
	if len(f.blockers) > 0 {
		f.blockers = nil
		return true
	}
	return false
}

// tasksText is the section of the last n tasks.
func tasksText(s history.State, n int) string {
	return withoutHeading(history.State{Tasks: s.Window(n).Tasks}.Render())
}

// blockersText is the section of the last n blockers.
func blockersText(b []history.Blocker, n int) string {
	return withoutHeading(history.State{Blockers: b[max(0, len(b)-n):]}.Render())
}

// withoutHeading is a rendered section without its heading.
func withoutHeading(rendered string) string {
	_, text, _ := strings.Cut(rendered, "\n")
	return strings.TrimSpace(text)
}

// addShorterForm adds a form that is shorter than the one before.
func addShorterForm(forms []string, text string) []string {
	if text == "" || len(forms) > 0 && len(text) >= len(forms[len(forms)-1]) {
		return forms
	}
	return append(forms, text)
}
