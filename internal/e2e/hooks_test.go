//go:build unix

package e2e

import (
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// hook runs one event of session s1 in the bundle's root and returns what the agent is told.
func (b *bundle) hook(agent, name string, fields map[string]any) string {
	b.Helper()
	e := map[string]any{"hook_event_name": name, "session_id": "s1", "cwd": b.root}
	for k, v := range fields {
		e[k] = v
	}
	data, err := json.Marshal(e)
	b.ok(err)
	r, err := b.Feed(string(data), "retriever", "hook", agent)
	b.ok(err)
	if r.Code != 0 || r.Err != "" {
		b.Fatalf("want silence and exit 0 of %v", r)
	}
	var reply struct {
		Out struct {
			Text string `json:"additionalContext"`
		} `json:"hookSpecificOutput"`
	}
	if r.Out != "" {
		b.ok(json.Unmarshal([]byte(r.Out), &reply))
	}
	return reply.Out.Text
}

// quay is a tree whose files a prompt finds by the names that it says.
func (b *bundle) quay() {
	b.Helper()
	b.git("init", "-q")
	b.write("quay/crane.go",
		"package quay\n\n// LiftContainer hoists a container from the quay onto the deck of a ship.\nfunc LiftContainer(ship, container string) error {\n\treturn hoist(ship, container)\n}\n")
	b.write("quay/berth.go",
		"package quay\n\n// AssignBerth gives a ship the berth that is long enough for it.\nfunc AssignBerth(ship string) (int, error) {\n\treturn longest(ship)\n}\n")
	b.write("quay/toll.go",
		"package quay\n\n// Toll is what a ship pays a day.\nfunc Toll(tons int) int { return 3 * tons }\n")
	b.index()
}

const quayPrompt = "LiftContainer must fail where AssignBerth has found no berth: how do LiftContainer and AssignBerth work"

func TestHooksAloneTellWhatWasUsedMissedAndDeadWeight(t *testing.T) {
	both(t, func(b *bundle) {
		b.Env = append(b.Env, "CONTEXTD_HOOK_DEADLINE=30s")
		b.quay()
		first := b.hook("claude-code", "UserPromptSubmit", map[string]any{"prompt": quayPrompt})
		for _, want := range []string{"quay/crane.go:", "quay/berth.go:"} {
			if !strings.Contains(first, want) {
				b.Fatalf("no %q in %q", want, first)
			}
		}
		b.hook("claude-code", "PostToolUse",
			map[string]any{"tool_name": "Edit",
				"tool_input": map[string]any{"file_path": filepath.Join(b.root, "quay/crane.go"), "old_string": "a",
					"new_string": "b"}})
		b.hook("claude-code", "PostToolUse",
			map[string]any{"tool_name": "Read",
				"tool_input": map[string]any{"file_path": filepath.Join(b.root, "quay/toll.go")}})
		b.hook("claude-code", "Stop", map[string]any{"last_assistant_message": "It is done."})

		var list struct{ Receipts []struct{ ID string } }
		b.ok(b.JSON(&list, "retriever", "explain", "--root", b.root))
		var receipt struct {
			Agent   string `json:"agent_kind"`
			Outcome struct{ Used, Refetched, Dead, Missed []string }
		}
		b.ok(b.JSON(&receipt, "retriever", "explain", list.Receipts[0].ID))
		o := receipt.Outcome
		in := func(list []string, what string) bool {
			return slices.ContainsFunc(list, func(s string) bool { return strings.Contains(s, what) })
		}
		if receipt.Agent != "claude-code" || !in(o.Used, "quay/crane.go") || !in(o.Dead, "quay/berth.go") ||
			!slices.Equal(o.Missed, []string{"quay/toll.go"}) {
			b.Errorf("%+v", receipt)
		}

		if again := b.hook("claude-code", "UserPromptSubmit",
			map[string]any{"prompt": quayPrompt}); strings.Contains(again, "quay/berth.go") {
			b.Errorf("the window holds it: %q", again)
		}
		b.hook("claude-code", "PreCompact", map[string]any{"trigger": "auto"})
		if again := b.hook("claude-code", "UserPromptSubmit",
			map[string]any{"prompt": quayPrompt}); !strings.Contains(again, "quay/berth.go") {
			b.Errorf("compacted, and not given again: %q", again)
		}
	})
}

func TestAHookIsSilentOnARedisThatHangs(t *testing.T) {
	t.Parallel()
	b := newBundle(t, nil)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	b.ok(err)
	defer l.Close() // it takes connections and never says a word
	b.Redis = "redis://" + l.Addr().String()
	b.git("init", "-q")
	for _, e := range []string{"UserPromptSubmit", "SessionStart"} {
		if text := b.hook("codex", e, map[string]any{"prompt": quayPrompt, "source": "startup"}); text != "" {
			b.Errorf("%s: said %q", e, text)
		}
	}
	log, err := os.ReadFile(filepath.Join(b.State(), "hook", "hook.log"))
	b.ok(err)
	if strings.Count(string(log), "hook did not answer")+strings.Count(string(log), "redis_unreachable") < 2 {
		b.Errorf("log:\n%s", log)
	}
}

func TestAHookNeverIndexes(t *testing.T) {
	t.Parallel()
	b := newBundle(t, nil)
	b.git("init", "-q")
	b.tree(0, 3, 0, 20)
	b.Env = append(b.Env, "CONTEXTD_HOOK_DEADLINE=30s")
	if text := b.hook("codex", "UserPromptSubmit", map[string]any{"prompt": quayPrompt}); text != "" {
		b.Errorf("said %q", text)
	}
	st, err := b.Status()
	b.ok(err)
	if len(st.Projects) != 0 {
		b.Errorf("%+v", st.Projects)
	}
}
