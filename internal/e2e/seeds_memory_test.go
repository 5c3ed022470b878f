//go:build unix

package e2e

import (
	"encoding/json"
	"fmt"

	client "github.com/contextd/contextd/clients/go"
)

func (s *supervisor) decode(data []byte, into any) { s.Helper(); s.ok(json.Unmarshal(data, into)) }

// says is a conversation in which the user says something and then other things.
func says(text string, more ...string) func(*client.ContextRequest) {
	return func(r *client.ContextRequest) {
		r.Conversation = []client.Message{{Role: "user", Content: text}}
		for _, m := range more {
			r.Conversation = append(r.Conversation, client.Message{Role: "assistant", Content: "I see."},
				client.Message{Role: "user", Content: m})
		}
	}
}

func (s *supervisor) contradictions() {
	for i, x := range []struct{ memory, same, other string }{
		{"The lease of a cart ends after 30 seconds", "We let the lease of a cart end after 30 seconds.",
			"We let the lease of a cart end after 60 seconds."},
		{"Do not retry a payment that was refused", "A payment that was refused must not be retried.",
			"Retry a payment that was refused."},
		{"Receipts are signed with ES256", "We sign receipts with ES256.", "We sign receipts with RS256."},
	} {
		agent := fmt.Sprintf("squire-dedup-%d", i)
		id := s.save(agent, client.Draft{ItemType: "DECISION", Content: x.memory}).ID
		for text, redundant := range map[string]bool{x.same: true, x.other: false} {
			c := s.compile("knight", says(text), func(r *client.ContextRequest) { r.Agent = agent })
			r := s.receipt(c.ID)
			if _, place := r.find(id); r.dropped(id, "redundant") != redundant || place < 0 != redundant {
				s.Errorf("%q beside %q: redundant %v: %+v", x.memory, text, !redundant, r.Items)
			}
		}
	}
}

func (s *supervisor) fade() {
	const fact = "The lamp above the shop burns paraffin in winter."
	id := s.save("squire-fade", client.Draft{ItemType: "DECISION", Content: fact}).ID
	for fade, redundant := range map[float64]bool{0: true, .5: false} {
		c := s.compile("knight", says("As said: the lamp above the shop burns paraffin in winter, always.", "Go on."),
			func(r *client.ContextRequest) { r.Agent, r.DedupFade = "squire-fade", fade })
		if s.receipt(c.ID).dropped(id, "redundant") != redundant {
			s.Errorf("a fade of %v: redundant %v", fade, !redundant)
		}
	}
}

func (s *supervisor) hints() {
	things := []string{"tag", "notes", "mail", "build", "branch", "version", "upload", "checks"}
	for _, thing := range things {
		for _, kind := range []string{"FACT", "PROCEDURE"} {
			s.save("squire-hints", client.Draft{ItemType: kind,
				Content: fmt.Sprintf("The %s of a release has its place in the %s of releases", thing, thing)})
		}
	}
	for text, more := range map[string][2]string{
		"Describe the process we follow for a release": {"procedure", "fact"},
		"Tell me about a release":                      {"fact", "procedure"},
	} {
		r := s.receipt(s.ask(client.ContextRequest{Agent: "squire-hints", Query: text}).ID)
		if a, b := r.kept(more[0]), r.kept(more[1]); a <= b {
			s.Errorf("%q is given %d pieces of kind %s, %d of kind %s", text, a, more[0], b, more[1])
		}
	}
}

func (s *supervisor) flash() {
	const agent, n = "squire-flash", 70
	important := .85
	var drafts []client.Draft
	for i := range n {
		drafts = append(drafts, client.Draft{ItemType: "DECISION",
			Content: fmt.Sprintf("Decision %d: module number%d is kept apart", i, i), Importance: &important})
	}
	done, err := s.api.FlashSave(s.Context(), agent, "", drafts...)
	s.ok(err)
	if done.HotRetained < 1 || done.HotRetained > 40 || len(done.Items) < done.HotRetained ||
		len(done.Pointers) != n-done.HotRetained || done.Pointers[0].Line == "" {
		s.Fatalf("%d HOT, %d pointers", done.HotRetained, len(done.Pointers))
	}
	all, err := s.api.Checkpoints(s.Context(), agent)
	if s.ok(err); len(all) != 1 || all[0].ID != done.CheckpointID || all[0].Hot != done.HotRetained {
		s.Fatalf("checkpoints %+v", all)
	}
	one, err := s.api.Checkpoint(s.Context(), agent, done.CheckpointID)
	if s.ok(err); len(one.Items) != n || one.Items[0].Content == "" {
		s.Errorf("the checkpoint holds %d items", len(one.Items))
	}
	var said struct{ Checkpoints []client.Checkpoint }
	s.command(&said, "memory", "checkpoints", "--agent", agent)
	if len(said.Checkpoints) != 1 || said.Checkpoints[0].ID != done.CheckpointID {
		s.Errorf("the command lists %+v", said)
	}
	for used, want := range map[int]bool{149_999: false, 150_000: true} {
		if c := s.ask(client.ContextRequest{Query: "hello", InputTokensUsed: used,
			InputTokensFlashAt: 150_000}); c.FlashSave != want {
			s.Errorf("%d tokens used: a flash save is advised: %v", used, c.FlashSave)
		}
	}
}

func (s *supervisor) retier() {
	s.save("squire-tiers", client.Draft{ItemType: "ERROR", Content: "The build is red", TaskID: "task-042"})
	for _, want := range []int{1, 0} {
		if n, err := s.api.Retier(s.Context(), "squire-tiers", shop, "task-043"); err != nil || n != want {
			s.Errorf("%d items changed, want %d, %v", n, want, err)
		}
	}
	heard := s.listen("blocker_changed")
	_, err := s.api.Block(s.Context(), shop, client.Blocker{ID: "task-044", Reason: "waits for the key"})
	s.ok(err)
	s.hears(heard, "blocker_changed", "", `"blocked"`)
	s.ok(s.api.Unblock(s.Context(), shop, "task-044"))
	s.hears(heard, "blocker_changed", "", `"unblocked"`)
}
