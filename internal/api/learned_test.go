package api

import (
	"fmt"
	"math"
	"reflect"
	"testing"

	"github.com/contextd/contextd/internal/history"
	"github.com/contextd/contextd/internal/prompt"
	"github.com/contextd/contextd/internal/receipt"
)

// A supervisor reports how 24 tasks ended: those whose contexts held code succeeded. The profile then gives code more
// room, says so in each receipt, and is as it was written after a reset.
func TestOutcomesMoveAProfileVisiblyUntilAReset(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, w *world) {
		w.index("web")
		a := w.app.Prompts()
		run := func(from, to int) {
			for i := from; i < to; i++ {
				var c prompt.Reply
				w.get(&c, "POST", "/v1/context",
					fmt.Sprintf(`{"project":"web","agent_kind":"knight","deadline_ms":10000,"task":{"id":"t-%d","title":"Check expiry in src/auth/token.go","requires_context":%v}}`, i, i%2 == 0))
				var task struct{}
				w.get(&task, "POST", "/v1/projects/web/tasks",
					fmt.Sprintf(`{"task_id":"t-%d","success":%v}`, i, i%2 == 0))
			}
		}
		learned := func() []receipt.Learned {
			var r receipt.Receipt
			w.get(&r, "GET", "/v1/receipts/"+w.knight("").ID, "")
			return r.Learned
		}
		stats := func() prompt.LearnedOf {
			var o struct{ Learned []prompt.LearnedOf }
			w.get(&o, "GET", "/v1/projects/web/outcomes", "")
			if len(o.Learned) != 1 {
				t.Fatalf("%+v", o)
			}
			return o.Learned[0]
		}
		run(0, 24)
		if list := learned(); len(list) > 0 {
			t.Errorf("learning is off: %+v", list)
		}
		if x := stats(); x.On || x.Outcomes != 24 || len(x.Changes) == 0 {
			t.Errorf("%+v", x)
		}
		a.Learn = history.Policy{"web": true, "web/squire": false}
		list := learned()
		var bytes receipt.Learned
		for _, l := range list {
			if math.Abs(l.To-l.From) > .3*l.From || l.Outcomes != 24 {
				t.Errorf("%+v", l)
			}
			if l.Number == "code.bytes" {
				bytes = l
			}
		}
		if bytes.From != 8192 || bytes.To <= 8192 || bytes.RateMuch != 1 || bytes.RateLittle != 0 {
			t.Errorf("%+v", list)
		}
		if again := learned(); !reflect.DeepEqual(again, list) {
			t.Errorf("the same state gives %+v, before %+v", again, list)
		}
		if x := stats(); !x.On || !reflect.DeepEqual(x.Changes, list) {
			t.Errorf("%+v", x)
		}
		w.refused(notFound, "DELETE", "/v1/projects/web/learned?profile=jester", "")
		var gone struct{ Forgotten int }
		if w.get(&gone, "DELETE", "/v1/projects/web/learned?profile=squire", ""); gone.Forgotten != 0 ||
			len(learned()) == 0 {
			t.Errorf("the reset of another profile forgot %+v", gone)
		}
		if w.get(&gone, "DELETE", "/v1/projects/web/learned", ""); gone.Forgotten != 24 {
			t.Errorf("%+v", gone)
		}
		run(24, 30)
		if list := learned(); len(list) > 0 {
			t.Errorf("6 outcomes after a reset: %+v", list)
		}
	})
}

// A profile says for itself whether it learns, where the settings do not; one that a request brings holds as it is.
func TestLearningIsOffUnlessSettingOrProfileSaysSo(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.index("web")
	a := w.app.Prompts()
	a.Learned = nil // who asks what was learnt is told that it cannot be read
	for name, c := range map[string]struct {
		rules  history.Policy
		more   string
		learns bool
	}{
		"nothing said":           {},
		"project on":             {rules: history.Policy{"web": true}, learns: true},
		"other project on":       {rules: history.Policy{"api": true}},
		"profile off in project": {rules: history.Policy{"web": true, "web/knight": false}},
		"profile on everywhere":  {rules: history.Policy{"*/knight": true}, learns: true},
		"a profile of a request": {rules: history.Policy{"*": true},
			more: `,"profile":{"inherits":"knight","learn":true}`},
	} {
		a.Learn = c.rules
		r := w.knight(c.more)
		asked := len(r.Reasons) == 1 && r.Reasons[0] == prompt.LearnUnavailable
		if asked != c.learns || !asked && len(r.Reasons) > 0 {
			t.Errorf("%s: learns %v, want %v (%v)", name, asked, c.learns, r.Reasons)
		}
	}
}
