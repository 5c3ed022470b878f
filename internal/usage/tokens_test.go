package usage

import (
	"slices"
	"testing"

	"github.com/contextd/contextd/internal/store"
)

// pair are two pieces of one file and one of another.
func pair(id string) Turn {
	return Turn{ID: id, AgentKind: "knight", Profile: "knight", Items: []Shown{
		{ID: "code:a.go#A", Path: "a.go", Tokens: 10, FileTokens: 500},
		{ID: "code:a.go#B", Path: "a.go", Tokens: 20, FileTokens: 510},
		{ID: "code:b.go#C", Path: "b.go", Tokens: 30, FileTokens: 900}}}
}

func TestTokensOfUsedFilesCountOnceAPrompt(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, s store.Store) {
		tr := New(s, at(noon))
		for _, id := range []string{"one", "two"} {
			begin(t, tr, pair(id))
			for range 2 {
				finish(t, tr, id, Feedback{Edited: []string{"a.go"}})
			}
			finish(t, tr, id, Feedback{Followed: []string{"code:a.go#B"}})
		}
		got := boosts(t, New(s, at(noon))).Precisions()
		if len(got) != 1 || got[0].TokensGiven != 2*60 || got[0].TokensFiles != 2*500 {
			t.Errorf("%+v, want 120 tokens given and 1000 of the files", got)
		}
	})
}

func TestFollowedPiecesAreUsedAndNothingElseIs(t *testing.T) {
	t.Parallel()
	for name, followed := range map[string][]string{"by id": {"code:b.go#C"}, "by path": {"/srv/web/b.go"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tr := New(embedded(t), at(noon))
			begin(t, tr, pair("one"))
			r := finish(t, tr, "one", Feedback{Followed: followed})
			if !slices.Equal(r.Used, []string{"code:b.go#C"}) || len(r.Dead) != 2 || len(r.Missed) != 0 {
				t.Errorf("%+v", r)
			}
		})
	}
}

func TestFollowedPiecesOfNoPromptAreNotMissed(t *testing.T) {
	t.Parallel()
	tr := New(embedded(t), at(noon))
	begin(t, tr, pair("one"))
	if r := finish(t, tr, "one", Feedback{Followed: []string{"code:z.go#Z"}}); len(r.Missed) != 0 {
		t.Errorf("%+v", r)
	}
}

func TestATurnThatIsDoneMakesTheRestDeadWeight(t *testing.T) {
	t.Parallel()
	tr := New(embedded(t), at(noon))
	begin(t, tr, pair("one"))
	if r := finish(t, tr, "one", Feedback{}); len(r.Dead) != 0 {
		t.Errorf("feedback that says nothing: %+v", r)
	}
	if r := finish(t, tr, "one", Feedback{Done: true}); len(r.Dead) != 3 {
		t.Errorf("%+v", r)
	}
}
