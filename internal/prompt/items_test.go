package prompt

import (
	"testing"

	"github.com/contextd/contextd/internal/retrieve"
)

// A pointer shows the line that defines what it points to, not what is said of it.
func TestThePointersLineIsTheDefinition(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ symbol, snippet, want string }{
		{"Drop", "// Drop ends sessions.\n// Drop is safe.\nfunc (s *Store) Drop() {\n", "func (s *Store) Drop() {"},
		{"drop", "# drop ends sessions\n@cached\ndef drop(self):\n    \"\"\"drop it\"\"\"\n", "def drop(self):"},
		{"drop", "/**\n * drop ends sessions\n */\nexport function drop() {\n", "export function drop() {"},
		{"DROP", "#define DROP 1\n", "#define DROP 1"},
		{"Drop", "// Drop ends sessions; its definition was cut off.\n",
			"// Drop ends sessions; its definition was cut off."},
		{"Drop", "\n\tn++\n}\n", "function Drop"},
		{"", "\n\tn++\n}\n", "n++"},
		{"", "", ""},
	} {
		if got := signature(&retrieve.Result{Symbol: row.symbol, Kind: "function",
			Snippet: row.snippet}); got != row.want {
			t.Errorf("%q of %q: %q, want %q", row.symbol, row.snippet, got, row.want)
		}
	}
}

// A profile without tests gets none, however a language calls them, and loses no product to a name that only looks like
// one.
func TestWhatIsATestIsAsInTheRanking(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{"auth/session_test.go": kindTest,
		"src/test/java/auth/Session.java": kindTest, "Auth/SessionTests.cs": kindTest,
		"auth/session.spec.ts": kindTest, "spec/session_spec.rb": kindTest, "t/conftest.py": kindTest,
		"auth/fixtures/users.json": kindTest,
		"auth/session.go":          kindCode, "internal/spec/session.go": kindCode, "deploy/pod_spec.go": kindCode,
		"auth/latest.py": kindCode} {
		j := &job{task: &Task{}, found: found{code: &retrieve.Reply{Results: []retrieve.Result{{Path: path}}}}}
		if got := j.code(); got[0].Kind != want {
			t.Errorf("%s is of kind %q, want %q", path, got[0].Kind, want)
		}
	}
}
