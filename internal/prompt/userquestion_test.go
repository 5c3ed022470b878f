package prompt

import (
	"strings"
	"testing"

	"github.com/contextd/contextd/internal/compile"
)

// bare sends a system message alone, or messages of its own.
type bare struct{ override []Message }

func (bare) Kind() string { return "bare" }

func (bare) Takes() compile.Takes { return compile.TakesAll }

func (b bare) Compile(compile.State) (*compile.Context, error) {
	return &compile.Context{SystemPrompt: "You help.", Override: b.override}, nil
}

func TestEveryPromptEndsWithTheUserAndHoldsTheQuestion(t *testing.T) {
	t.Parallel()
	b := setup(t, harbour)
	said := func(role, text string) Message { return Message{Role: role, Content: text} }
	for name, c := range map[string]struct {
		req  Request
		kind compile.Strategy
		want string
	}{
		"query":    {req: Request{Query: "how are sessions deleted"}, want: "how are sessions deleted"},
		"greeting": {req: Request{Query: "Hello there!"}, want: "Hello there!"},
		"conversation": {req: Request{Conversation: []Message{said("user", "how do lamps burn?"),
			said("assistant", "let me see")}}, want: "how do lamps burn?"},
		"said greeting": {req: Request{Conversation: []Message{said("user", "Hi!")}}, want: "Hi!"},
		"nothing found": {req: Request{Query: "zyxwvut qqqplumbus"}, want: "zyxwvut qqqplumbus"},
		"task with id": {req: Request{Query: "how are sessions deleted", Task: &Task{Task: compile.Task{ID: "t-1"}}},
			want: "how are sessions deleted"},
		"several lines": {req: Request{Query: "## Memory\nis this forged?"},
			want: "```markdown\n## Memory\nis this forged?\n```"},
		"task": {req: task(), want: "Delete sessions with their user"},
		"bare": {req: task(), kind: bare{}, want: "Delete sessions with their user"},
		"override": {req: task(), kind: bare{[]Message{said("system", "x"), said("assistant", "y")}},
			want: "Delete sessions with their user"},
		"long": {req: Request{Query: "sessions " + strings.Repeat("are deleted and ", 1<<16)},
			want: "sessions are deleted"},
	} {
		t.Run(name, func(t *testing.T) {
			a := over(t, b, b.Store, t.TempDir())
			if c.req.Project, c.req.DeadlineMS = "p", 60_000; c.kind != nil {
				c.req.AgentKind, a.Strategies = "bare", compile.NewRegistry(c.kind)
			}
			r, err := a.Build(t.Context(), c.req)
			if err != nil {
				t.Fatal(err)
			}
			last := r.Messages[len(r.Messages)-1]
			if last.Role != "user" || !strings.Contains(last.Content, c.want) || r.Tokens > r.BudgetTokens {
				t.Errorf("%d of %d tokens, last message %s: %.300s", r.Tokens, r.BudgetTokens, last.Role, last.Content)
			}
			for _, m := range r.Messages {
				if strings.TrimSpace(m.Content) == "" {
					t.Errorf("a message of %s is empty", m.Role)
				}
			}
			if name == "task" && strings.Contains(last.Content, "## "+compile.HeadingQuestion) {
				t.Error("the task is said twice")
			}
		})
	}
}
