package prompt

import (
	"context"
	"testing"

	"github.com/contextd/contextd/internal/receipt"
)

// drop asks for a function by its name: it is strong, and stands with its text.
func drop() Request {
	least := .3
	return Request{Project: "p", AgentKind: "default", Query: "Store Drop deletes all sessions of a user",
		MinRelevance: &least, DeadlineMS: 60_000}
}

func TestHeldCodeStandsInNoContext(t *testing.T) {
	t.Parallel()
	b := setup(t, harbour)
	first := b.build(drop())
	if len(first.Pieces) == 0 || first.Pieces[0].Path != "auth/session.go" || first.Pieces[0].Text == "" {
		t.Fatalf("pieces %+v", first.Pieces)
	}
	p := first.Pieces[0]
	for name, tt := range map[string]struct {
		held Held
		gone bool
	}{
		"the piece":                {Held{ID: p.ID, Hash: p.Hash, Pointer: p.Pointer}, true},
		"its file":                 {Held{Path: p.Path}, true},
		"an older text of it":      {Held{ID: p.ID, Hash: "0000000000000000"}, false},
		"another piece":            {Held{ID: "code:auth/user.go#Other", Hash: p.Hash, Pointer: p.Pointer}, false},
		"another file":             {Held{Path: "auth/session"}, false},
		"an empty path is no file": {Held{}, false},
	} {
		t.Run(name, func(t *testing.T) {
			req := drop()
			req.Held = []Held{tt.held}
			reply := b.build(req)
			found := false
			for _, x := range reply.Pieces {
				found = found || x.ID == p.ID
			}
			if found == tt.gone {
				t.Errorf("stands in the context: %v (%+v)", found, reply.Pieces)
			}
			r, err := b.Receipt(context.Background(), reply.ID)
			if err != nil {
				t.Fatal(err)
			}
			for _, l := range r.Items {
				if l.ID == p.ID && (l.Decision == receipt.Dropped) != tt.gone || l.ID == p.ID && tt.gone &&
					l.Reason != reasonHeld {
					t.Errorf("receipt says %s, %q", l.Decision, l.Reason)
				}
			}
		})
	}
}

func TestAHeldPointerStillMayComeAsText(t *testing.T) {
	t.Parallel()
	b := setup(t, harbour)
	p := b.build(drop()).Pieces[0]
	if p.Pointer {
		t.Fatalf("want a text: %+v", p)
	}
	req := drop()
	req.Held = []Held{{ID: p.ID, Hash: p.Hash, Pointer: true}}
	if again := b.build(req).Pieces; len(again) == 0 || again[0].ID != p.ID {
		t.Errorf("pieces %+v", again)
	}
}

func TestTokensOfTheWholeFileFollowItsSize(t *testing.T) {
	t.Parallel()
	b := setup(t, harbour)
	b.build(drop())
	r, err := b.Usage.Boosts(context.Background(), "p")
	if err != nil || len(r.Precisions()) != 0 {
		t.Fatal(r, err)
	}
	reply := b.build(drop())
	if _, err := b.Feedback(context.Background(), reply.ID,
		Feedback{Followed: []string{reply.Pieces[0].ID}, Done: true}); err != nil {
		t.Fatal(err)
	}
	if r, err = b.Usage.Boosts(context.Background(), "p"); err != nil {
		t.Fatal(err)
	}
	got := r.Precisions()[0]
	size := len(harbour["auth/session.go"])
	if got.TokensFiles < size/8 || got.TokensFiles > size || got.TokensGiven == 0 {
		t.Errorf("%+v for a file of %d bytes", got, size)
	}
}
