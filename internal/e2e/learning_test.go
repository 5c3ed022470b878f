//go:build unix

package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	client "github.com/contextd/contextd/clients/go"
)

// receipt is the account of a context.
func (s *supervisor) receipt(id string) *account {
	s.Helper()
	var r account
	s.call("GET", "/v1/receipts/"+id, nil, &r)
	return &r
}

// find is the piece with an id, and its place among those that stand in the context; -1 for none.
func (a *account) find(id string) (piece, int) {
	place := 0
	for _, p := range a.Items {
		if p.ID == id {
			if p.Decision == "dropped" {
				place = -1
			}
			return p, place
		}
		if p.Decision != "dropped" {
			place++
		}
	}
	return piece{}, -1
}

// changes is what differs between two receipts.
type changes struct {
	Same   bool
	Causes []string
	Items  []struct{ ID, From, To, Cause, Why string }
}

func (s *supervisor) diff(from, to *client.ContextReply) *changes {
	s.Helper()
	var d changes
	s.call("GET", "/v1/receipts/"+from.ID+"/diff/"+to.ID, nil, &d)
	return &d
}

func TestWhatWasUsedComesBeforeWhatWasIgnored(t *testing.T) {
	both(t, func(b *bundle) {
		s := supervise(b)
		const one = "Sessions of one user are found by a scan over all of them."
		const two = "The goodbye mail to deleted users goes out by the mail package."
		facts := map[string]string{}
		for _, text := range []string{one, two} {
			facts[text] = s.save("squire-1", client.Draft{ItemType: "FACT", Content: text, Scope: "project"}).ID
		}
		first := s.compile("knight")
		before := s.receipt(first.ID)
		_, a := before.find(facts[one])
		_, z := before.find(facts[two])
		if a < 0 || z < 0 {
			s.Fatalf("receipt %+v", before)
		}
		used, ignored := two, one // what stood behind gets used
		if a > z {
			used, ignored = one, two
		}
		last := first
		for range 2 {
			o, err := s.api.Feedback(s.Context(), last.ID, client.Feedback{Response: "I have kept to this: " + used})
			s.ok(err)
			if !slices.Contains(o.Used, facts[used]) || !slices.Contains(o.Dead, facts[ignored]) || o.Precision <= 0 ||
				o.Precision >= 1 {
				s.Errorf("outcome %+v", o)
			}
			s.crash() // what was learnt lasts
			last = s.compile("knight")
		}
		after := s.receipt(last.ID)
		p, u := after.find(facts[used])
		q, i := after.find(facts[ignored])
		if u < 0 || i < 0 || u > i || p.Boost <= 1 || q.Boost >= 1 {
			s.Errorf("used is number %d with %+v, ignored number %d with %+v", u, p, i, q)
		}
		if text := textOf(last); strings.Index(text, used) > strings.Index(text, ignored) {
			s.Errorf("used %q stands behind ignored %q:\n%s", used, ignored, text)
		}
		if o := s.receipt(first.ID).Outcome; o == nil || !slices.Contains(o.Used, facts[used]) {
			s.Errorf("the outcome of the first: %+v", o)
		}
		d := s.diff(first, last)
		if !slices.Contains(d.Causes, "usage") || d.Same {
			s.Errorf("the order is another: %+v", d)
		}
		code, _ := after.find("code:internal/account/delete.go#DeleteAccount")
		o, err := s.api.Feedback(s.Context(), last.ID, client.Feedback{Edited: []string{"internal/account/delete.go"},
			Opened: []string{"go.mod"}, Searched: []string{"who calls SendReceipt"}})
		s.ok(err)
		if !slices.Contains(o.Used, code.ID) || !slices.Contains(o.Missed, "go.mod") {
			s.Errorf("outcome %+v", o)
		}
		share, err := s.server.Metric("contextd_context_precision", `agent_kind="knight",profile="knight"`)
		if err != nil || share <= 0 || share > 1 {
			s.Errorf("the metric of precision says %v, %v", share, err)
		}
	})
}

func TestADiffTellsTheTrueCause(t *testing.T) {
	both(t, func(b *bundle) {
		s := supervise(b)
		s.past()
		base := s.compile("knight")
		want := func(what string, c *client.ContextReply, causes ...string) {
			s.Helper()
			if d := s.diff(base, c); !slices.Equal(d.Causes, causes) || !d.Same && len(causes) == 0 {
				s.Errorf("%s: causes %q, same %v, want %q: %+v", what, d.Causes, d.Same, causes, d.Items)
			}
		}
		want("nothing", s.compile("knight"))
		want("a smaller budget", s.compile("knight", func(r *client.ContextRequest) { r.BudgetTokens = 900 }), "budget")
		want("another profile", s.compile("knight", func(r *client.ContextRequest) { r.Profile = "royalty" }), "policy")
		want("another mode", s.compile("knight", func(r *client.ContextRequest) {
			r.Task.Mode = "analysis_only"
		}), "policy")
		want("a conversation", s.compile("knight", func(r *client.ContextRequest) {
			r.Conversation = []client.Message{{Role: "user",
				Content: "Ending sessions by a nightly job left deleted users logged in for a day."}}
		}), "dedup")
		s.save("squire-1", client.Draft{ItemType: "DECISION",
			Content: "A user whose account is deleted gets a last mail.", Scope: "project"})
		want("a new memory", s.compile("knight"), "memory")
		base = s.compile("knight")
		s.ok(s.api.Unblock(s.Context(), shop, "task-043"))
		want("a blocker that went", s.compile("knight"), "history")
		base = s.compile("knight")
		s.edit("internal/session/store.go", "ends all sessions of a user", "ends every session of a user")
		s.refresh(shop, "internal/session/store.go")
		s.upToDate(shop)
		next := s.compile("knight")
		want("an edited file", next, "code")
		if d := s.diff(base, next); len(d.Items) != 1 ||
			d.Items[0].ID != "code:internal/session/store.go#DeleteSessionsOf" || d.Items[0].Why != "its text changed" {
			s.Errorf("an edited file: %+v", d.Items)
		}
	})
}

// edit changes a text in a file.
func (s *supervisor) edit(name, from, to string) {
	s.Helper()
	text := s.read(name)
	if !strings.Contains(text, from) {
		s.Fatalf("%s lacks %q", name, from)
	}
	s.write(name, strings.Replace(text, from, to, 1))
}

func TestAMemoryWhoseFileChangedSaysVerify(t *testing.T) {
	both(t, func(b *bundle) {
		s := supervise(b)
		const text = "A session lasts 12 hours without use, and Lookup refuses it then."
		id := s.save("squire-1", client.Draft{ItemType: "CONVENTION", Content: text, Scope: "project",
			Citations: []client.Citation{{Path: "internal/session/store.go",
				Span: &client.Span{Start: 12, End: 13}}}}).ID
		other := s.save("squire-1", client.Draft{ItemType: "CONVENTION", Content: "Totals are cents.", Scope: "project",
			Citations: []client.Citation{{Path: "internal/cart/total.go"}}}).ID
		verify := func(want bool) error {
			items, err := s.api.Load(s.Context(), "knight-1", shop)
			if err != nil {
				return err
			}
			for _, it := range items {
				if it.Verify != (want && it.ID == id) || len(it.Citations) != 1 || it.Citations[0].Hash == "" {
					return fmt.Errorf("%+v", it)
				}
			}
			if len(items) != 2 {
				return fmt.Errorf("%d items", len(items))
			}
			return nil
		}
		s.ok(verify(false))
		if c := textOf(s.compile("knight")); !strings.Contains(c, "(convention): "+text) {
			s.Errorf("before the change:\n%s", c)
		}
		s.edit("internal/session/store.go", "12 * time.Hour", "3 * time.Hour")
		s.refresh(shop)
		s.upToDate(shop)
		s.eventually(func() error { return verify(true) })
		c := s.compile("knight")
		if !strings.Contains(textOf(c), "(convention, verify: what it cites has changed): "+text) {
			s.Errorf("after the change:\n%s", textOf(c))
		}
		r := s.receipt(c.ID)
		if p, _ := r.find(id); !p.Verify {
			s.Errorf("the receipt: %+v", p)
		}
		if p, _ := r.find(other); p.Verify {
			s.Errorf("the receipt: %+v", p)
		}
		s.crash()
		s.ok(verify(true))
		again := s.save("squire-1", client.Draft{ItemType: "CONVENTION", Content: text, Scope: "project",
			// who looked says it is so still
			Citations: []client.Citation{{Path: "internal/session/store.go", Span: &client.Span{Start: 12, End: 13}}}})
		if !again.Merged || again.ID != id {
			s.Errorf("said again: %+v", again)
		}
		s.ok(verify(false))
	})
}
