//go:build unix

package e2e

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	client "github.com/contextd/contextd/clients/go"
)

// save remembers something of the shop.
func (s *supervisor) save(agent string, d client.Draft) *client.Saved {
	s.Helper()
	saved, err := s.api.Save(s.Context(), agent, shop, d)
	s.ok(err)
	return saved
}

// problem wants an error of a kind.
func (s *supervisor) problem(slug string, err error) {
	s.Helper()
	if !client.Is(err, slug) {
		s.Errorf("want a problem %q, got %v", slug, err)
	}
}

func TestMemoryKeepsItsRules(t *testing.T) {
	both(t, func(b *bundle) {
		s := supervise(b)
		tiers := map[string]string{"TASK": "HOT", "decision": "HOT", "CODE": "HOT", "Plan": "HOT", "ERROR": "HOT",
			"CONVENTION": "HOT", "TEST_RESULT": "HOT",
			"FACT": "WARM", "PROCEDURE": "WARM", "SUMMARY": "WARM", "EPISODE": "WARM", "VERBOSE_LOG": "COLD"}
		for kind, tier := range tiers {
			if saved := s.save("squire-1",
				client.Draft{ItemType: kind, Content: "A " + kind + " of its own"}); saved.Tier != tier ||
				saved.Merged || saved.ID == "" {
				s.Errorf("a %s: %+v, want it %s", kind, saved, tier)
			}
		}

		// The same again is the same item, whoever says it where it is everybody's.
		const rule = "Prices are whole cents, never fractions of them."
		first := s.save("knight-1", client.Draft{ItemType: "CONVENTION", Content: rule, Scope: "project",
			Tags: []string{"cart"}})
		again := s.save("squire-1", client.Draft{ItemType: "convention",
			Content: "Prices are  WHOLE cents,\nnever fractions of them.", Scope: "project", Tags: []string{"money"}})
		items, err := s.api.Load(s.Context(), "developer-1", shop, "HOT")
		s.ok(err)
		if !again.Merged || again.ID != first.ID || len(items) != 1 ||
			!slices.Equal(items[0].Tags, []string{"cart", "money"}) || items[0].AccessCount != 1 {
			s.Errorf("saved %+v, again %+v, now %+v", first, again, items)
		}

		// What an agent notes for itself is nobody else's.
		const own = "The second argument of the constructor is a store of sessions for accounts."
		s.save("knight-1", client.Draft{ItemType: "DECISION", Content: own})
		for _, agent := range []string{"squire-1", "knight-2"} {
			items, err := s.api.Load(s.Context(), agent, shop, "HOT", "WARM", "COLD")
			s.ok(err)
			said, _, err := s.api.Recall(s.Context(), agent, shop, own, "")
			s.ok(err)
			if slices.Contains(contents(items), own) || slices.ContainsFunc(said, func(r client.Recalled) bool {
				return r.Content == own
			}) {
				s.Errorf("%s sees what knight-1 noted for itself", agent)
			}
		}
		mine, his := textOf(s.compile("knight")), textOf(s.compile("squire"))
		if !strings.Contains(mine, own) || strings.Contains(his, own) || !strings.Contains(his, rule) {
			s.Errorf("the knight sees:\n%s\nthe squire:\n%s", mine, his)
		}

		// What contextd put into a prompt does not come back as a memory of that agent.
		for _, text := range []string{own, rule, "Note: " + own,
			"func (s *Store) DeleteSessionsOf(user string) int { n := 0; for id, one := range s.sessions { if one.User == user { delete(s.sessions, id)"} {
			_, err := s.api.Save(s.Context(), "knight-1", shop, client.Draft{ItemType: "FACT", Content: text})
			s.problem("injected-text", err)
		}
		// nor through another agent of the project
		_, err = s.api.Save(s.Context(), "knight-2", shop, client.Draft{ItemType: "FACT", Content: own})
		s.problem("injected-text", err)
		// who was not given it may have found it out
		_, err = s.api.Save(s.Context(), "knight-2", "", client.Draft{ItemType: "FACT", Content: own})
		s.ok(err)
		if _, text, err := s.api.Recall(s.Context(), "royalty-1", shop, "how are prices kept",
			"convention"); err != nil || !strings.Contains(text, rule) {
			s.Errorf("recall: %q, %v", text, err)
		}
		_, err = s.api.Save(s.Context(), "royalty-1", shop, client.Draft{ItemType: "DECISION", Content: rule})
		s.problem("injected-text", err)

		s.ok(s.api.Forget(s.Context(), "knight-1", shop, first.ID))
		s.problem("not-found", s.api.Forget(s.Context(), "knight-1", shop, first.ID))
		if text := textOf(s.compile("squire")); strings.Contains(text, rule) {
			s.Errorf("what was forgotten is in the context:\n%s", text)
		}
	})
}

func TestASecretReachesNoStorePromptOrLog(t *testing.T) {
	both(t, func(b *bundle) {
		s := supervise(b)
		const secret = "AKIAZQ3DRSTUVWXY2345"
		saved := s.save("knight-1", client.Draft{ItemType: "DECISION",
			Content: "Deleted users are noted in the bucket with the key " + secret + " of the shop."})
		if len(saved.Redacted) != 1 {
			s.Errorf("saved %+v", saved)
		}
		_, err := s.api.FlashSave(s.Context(), "knight-1", shop,
			client.Draft{ItemType: "PLAN", Content: "First use " + secret + " in a test."})
		s.ok(err)
		_, err = s.api.CompleteTask(s.Context(), shop, client.Task{ID: "task-1", Intent: "Try " + secret + " out",
			Summary: "It was " + secret, Success: new(true), RequiresContext: new(true)}, "knight-1", "")
		s.ok(err)
		_, err = s.api.Block(s.Context(), shop, client.Blocker{ID: "task-2", Reason: secret + " is refused"})
		s.ok(err)
		text := textOf(s.compile("knight"))
		if !strings.Contains(text, "Deleted users are noted in the bucket") || strings.Contains(text, secret) {
			s.Errorf("the context:\n%s", text)
		}
		s.server.Kill()
		s.ok(filepath.WalkDir(s.Dir, func(file string, e fs.DirEntry, err error) error {
			if err != nil || !e.Type().IsRegular() {
				return err
			}
			data, err := os.ReadFile(file)
			if bytes.Contains(data, []byte(secret)) {
				s.Errorf("%q holds the secret", file)
			}
			return err
		}))
		if b.redis == nil {
			return
		}
		c := b.redis.Client(b)
		for _, pattern := range []string{"doc:*", "log:*"} {
			if len(b.keys(pattern)) == 0 {
				s.Errorf("no key %q", pattern)
			}
		}
		s.ok(c.Save(s.Context()).Err())
		for _, key := range b.keys("*") {
			if dump, err := c.Dump(s.Context(), key).Result(); err != nil || strings.Contains(dump, secret) {
				s.Errorf("%q holds the secret, or: %v", key, err)
			}
		}
	})
}
