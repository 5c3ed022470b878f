package prompt

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/contextd/contextd/internal/memory"
)

func remembered(b *bench, kind, text string) {
	b.t.Helper()
	b.save(memory.Draft{Kind: kind, Scope: "project", Content: text})
	b.later(24 * time.Hour)
}

// TestOneSentenceStandsOnceHoweverOftenItWasSaved: with and without its full stop, as a fact and as a decision, in each
// scope.
func TestOneSentenceStandsOnceHoweverOftenItWasSaved(t *testing.T) {
	t.Parallel()
	b := setup(t, harbour)
	const text = "Invoices are rounded to whole cents before they are added up"
	for scope, kind := range map[string]string{"project": "decision", "task": "fact", "global": "fact"} {
		// within one scope they merge when they are saved
		b.save(memory.Draft{Kind: kind, Scope: scope, Content: text})
		b.save(memory.Draft{Kind: "fact", Scope: scope, Content: strings.ToUpper(text) + "."})
		b.later(24 * time.Hour)
	}
	req := Request{Root: b.root, Project: "p", Agent: "knight-1", Query: "how are invoices rounded to cents"}
	r := b.build(req)
	if got := strings.Count(strings.ToLower(prompt(r)), strings.ToLower(text)); got != 1 ||
		!strings.Contains(prompt(r), "(decision, ") {
		t.Errorf("it stands %d times:\n%s", got, prompt(r))
	}
	account, err := b.Receipt(context.Background(), r.ID)
	if err != nil {
		t.Fatal(err)
	}
	repeated := 0
	for _, l := range account.Items {
		if l.Reason == reasonRepeated {
			repeated++
		}
	}
	if repeated != 2 {
		t.Errorf("%d of the others are accounted for, want 2: %+v", repeated, account.Items)
	}
}

// TestTheNewestDecisionOnOneThingStandsWithItsDate: the older one is found by a search, and holds again once it is said
// again.
func TestTheNewestDecisionOnOneThingStandsWithItsDate(t *testing.T) {
	t.Parallel()
	b, ctx := setup(t, harbour), context.Background()
	const old, young, other = "We use Postgres for the invoices of the harbour",
		"We use MySQL for the invoices of the harbour", "Invoices of the harbour are sent by post on Fridays"
	remembered(b, "decision", old)
	since := b.now().UTC().Format(time.DateOnly)
	remembered(b, "decision", young)
	remembered(b, "decision", other)
	req := Request{Root: b.root, Project: "p", Agent: "knight-1",
		Query: "which database is used for the invoices of the harbour"}
	text := prompt(b.build(req))
	if strings.Contains(text, old) || !strings.Contains(text, "(decision, "+since+"): "+young) ||
		!strings.Contains(text, other) {
		t.Errorf("want the newer one of %s and the other alone:\n%s", since, text)
	}
	r, err := b.Recall(ctx, RecallRequest{Agent: "knight-1", Project: "p",
		Query: "Postgres for the invoices of the harbour"})
	if err != nil || !strings.Contains(r.Text, old) {
		t.Errorf("the older one is not found: %+v, %v", r, err)
	}
	if _, err := b.Memory.Save(ctx, memory.Who{Agent: "squire-9", Project: "p"},
		memory.Draft{Kind: "decision", Scope: "project", Content: young}); err == nil {
		t.Error("what was shown is remembered again")
	}
	c := setup(t, harbour)
	remembered(c, "decision", old)
	remembered(c, "decision", young)
	remembered(c, "decision", old)
	req.Root = c.root
	if text := prompt(c.build(req)); !strings.Contains(text, old) || strings.Contains(text, young) {
		t.Errorf("what was said again does not hold:\n%s", text)
	}
}
