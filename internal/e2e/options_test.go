//go:build unix

package e2e

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	client "github.com/contextd/contextd/clients/go"
)

// ask is the context of a question or a conversation, for an agent without a kind.
func (s *supervisor) ask(r client.ContextRequest) *client.ContextReply {
	s.Helper()
	r.Project, r.DeadlineMS = shop, 10_000
	var c *client.ContextReply
	s.eventually(func() (err error) {
		if c, err = s.api.Context(s.Context(), r); err == nil && c.Status == "degraded" {
			err = fmt.Errorf("degraded: %q", c.Reasons)
		}
		return err
	})
	return c
}

// sectionsOf are the names of a context's sections.
func sectionsOf(c *client.ContextReply) (names []string) {
	for _, x := range c.Sections {
		names = append(names, x.Name)
	}
	return names
}

func TestWhatIsAskedForDecidesWhatStandsInAContext(t *testing.T) {
	both(t, func(b *bundle) {
		s := supervise(b)
		s.past()
		lacks := func(c *client.ContextReply, names ...string) {
			s.Helper()
			for _, n := range names {
				if slices.Contains(sectionsOf(c), n) {
					s.Errorf("the context has a section %q:\n%s", n, textOf(c))
				}
			}
		}
		found := []string{"Memory", "Recent Task History", "Active Blockers", "Relevant Code"}

		hello := s.ask(
			client.ContextRequest{Conversation: []client.Message{{Role: "user", Content: "Hi there, good morning!"}}})
		if lacks(hello, found...); hello.Status != "empty" {
			s.Errorf("a greeting is %q", hello.Status)
		}
		question := s.ask(client.ContextRequest{Query: "what does DeleteSessionsOf do"})
		if question.Status != "ok" || !strings.Contains(textOf(question), "internal/session/store.go") {
			s.Errorf("a question is %q:\n%s", question.Status, textOf(question))
		}

		// lines that a task names stand with their text whatever the gates
		bare := func(r *client.ContextRequest) { r.Task.Diff = "" }
		no := false
		lacks(s.compile("knight", func(r *client.ContextRequest) {
			r.Task.RequiresContext = &no
		}), "Recent Task History", "Active Blockers")
		lacks(s.compile("knight", bare, func(r *client.ContextRequest) {
			one := 1.
			r.MinRelevance = &one
			r.Task.MentionedFiles, r.Task.FileOperations, r.Task.Description = nil, nil, "Sessions stay."
		}), "Relevant Code")
		for at, want := range map[float64]bool{0: true, 1: false} {
			// what is relevant enough stands with its text, all else is pointed to
			text := textOf(s.compile("knight", bare, func(r *client.ContextRequest) { r.InjectAt = &at }))
			if strings.Contains(text, "delete(a.users, user)\n\treturn nil\n}\n```") != want ||
				strings.Contains(text,
					"internal/account/delete.go:1-12: func (a *Accounts) DeleteAccount(user string) error {") == want {
				s.Errorf("inject_at %v:\n%s", at, text)
			}
		}
		if text := textOf(s.compile("knight", func(r *client.ContextRequest) {
			r.Task.Description += " See `internal/cart/total.go:12` too."
		})); !strings.Contains(text, "internal/cart/total.go") {
			s.Errorf("a file that is mentioned is not there:\n%s", text)
		}
		whole, short := s.compile("knight"), s.compile("knight", func(r *client.ContextRequest) {
			r.Task.Mode = "cheap"
		})
		if short.Tokens > whole.Tokens {
			s.Errorf("cheap: %d tokens, otherwise %d", short.Tokens, whole.Tokens)
		}

		_, err := s.api.CompleteTask(s.Context(), shop,
			client.Task{ID: "task-050", Type: "mail", Intent: "Send receipts", Success: new(true)}, "", "")
		s.ok(err)
		if text := textOf(s.compile("knight", func(r *client.ContextRequest) {
			r.Task.Type = "mail"
		})); !strings.Contains(text, "task-050") || strings.Contains(text, "task-041") {
			s.Errorf("tasks of one type:\n%s", text)
		}
		for _, on := range []bool{true, false} {
			shown, err := s.api.ShowTask(s.Context(), shop, "task-041", on)
			if err != nil || shown.RequiresContext == nil || *shown.RequiresContext != on ||
				(shown.Intent == "Rename carts") != on {
				s.Errorf("toggle %v: %+v, %v", on, shown, err)
			}
		}

		for used, want := range map[int]bool{79_999: false, 80_000: true} {
			if c := s.compile("knight", func(r *client.ContextRequest) {
				r.InputTokensUsed, r.InputTokensLimit = used, 100_000
			}); c.FlashSave != want {
				s.Errorf("with %d of 100,000 tokens a flash save is advised: %v", used, c.FlashSave)
			}
		}

		// What the live window says is left out, of this agent's only, and until it is compacted.
		const said = "Ending sessions by a nightly job left deleted users logged in for a day."
		talk := func(r *client.ContextRequest) {
			r.Conversation = []client.Message{{Role: "user", Content: "What failed?"},
				{Role: "assistant", Content: said}}
		}
		if text := textOf(s.compile("knight", talk)); strings.Contains(text, "(failure)") {
			s.Errorf("the window says it already:\n%s", text)
		}
		if text := textOf(s.compile("developer")); !strings.Contains(text, said) {
			s.Errorf("another agent's window does not say it:\n%s", text)
		}
		s.crash()
		s.ok(s.api.Compacted(s.Context(), "knight-1"))
		if text := textOf(s.compile("knight", talk)); !strings.Contains(text, "(failure): "+said) {
			s.Errorf("the window was compacted:\n%s", text)
		}
	})
}

func TestProfilesOfOnesOwnHoldForServerAndCommands(t *testing.T) {
	t.Parallel()
	b := newBundle(t, nil)
	file := filepath.Join(filepath.Dir(b.root), "team.yaml")
	b.ok(os.WriteFile(file,
		[]byte("profiles:\n  paladin:\n    inherits: knight\n    agents: [paladin]\n    excluded_kinds: [failure]\n    code: {results: 1, chars: 300, bytes: 300}\n"), 0o600))
	b.Env = append(b.Env, "CONTEXTD_PROFILES="+file)
	s := supervise(b)
	s.past()
	c := s.compile("paladin")
	text := textOf(c)
	if !strings.Contains(text, "You are a knight") || strings.Contains(text, "Ending sessions by a nightly job") ||
		strings.Count(text, "```go\n") != 1 {
		s.Errorf("the context of a paladin:\n%s", text)
	}
	if r := s.receipt(c.ID); !slices.ContainsFunc(r.Items, func(p piece) bool {
		return p.Kind == "failure" && p.Reason == "kind_excluded"
	}) {
		s.Errorf("the receipt: %+v", r)
	}
	if r, err := s.Exec("retriever", "context", "--agent", "paladin", "--project", shop, "--query", "x",
		"--json"); err != nil || r.Code != 2 || strings.Contains(r.Err, "known") {
		s.Errorf("the command knows the kind, and wants a task: %v, %v", r, err)
	}
	s.server.Kill()
	b.ok(os.WriteFile(file, []byte("profiles:\n  paladin:\n    inherits: knight\n    min_importance: 1.4\n"), 0o600))
	ctx, cancel := context.WithTimeout(s.Context(), soon)
	defer cancel()
	r, err := s.ExecContext(ctx, "retriever", "serve", "--listen", "127.0.0.1:0")
	if err != nil || r.Code != 2 ||
		!strings.Contains(r.Err, `team.yaml:4: profile "paladin": min_importance must be between 0 and 1 (got 1.4)`) {
		s.Errorf("a profile that cannot be: %v, %v", r, err)
	}
}
