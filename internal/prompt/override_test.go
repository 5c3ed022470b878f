package prompt

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/contextd/contextd/internal/memory"
	"github.com/contextd/contextd/internal/profile"
	"github.com/contextd/contextd/internal/receipt"
)

func TestAWholeProfileInTheRequestOverridesTheKindsOwn(t *testing.T) {
	t.Parallel()
	b := setup(t, harbour)
	it := b.save(memory.Draft{Kind: "convention", Scope: "project", Content: "errors of the database are wrapped",
		Importance: ptr(.9)})
	req := task()
	body := `{"profile": {"system_prompt": "You are the harbour pilot.", "sections": [{"name": "House Rules", "source": "memory"}, {"name": "Order", "source": "task"}]}}`
	if err := json.Unmarshal([]byte(body), &req); err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{"knight", "pilot"} { // a kind that nobody knows needs no code
		req.AgentKind = kind
		r := b.build(req)
		text := prompt(r)
		rules, order := strings.Index(text, "## House Rules\n"), strings.Index(text, "## Order\n")
		if !strings.HasPrefix(r.Messages[0].Content, "You are the harbour pilot.\n") || rules < 0 || order < rules ||
			len(r.Sections) != 2 || r.Fingerprint.Profile != profile.OverrideID {
			t.Errorf("%s: %+v", kind, r)
		}
		if l := account(t, b, r.ID, it.ID); l.Section != "House Rules" || l.Decision != receipt.Full {
			t.Errorf("%s: %+v", kind, l)
		}
		if r.Searched.Files != 0 {
			t.Errorf("%s: code was searched that no section shows", kind)
		}
	}
	req.Profile.Own = json.RawMessage(`{"sections": [{"name": "Found", "source": "code"}]}`)
	if r := b.build(req); !strings.Contains(prompt(r), "Delete sessions with their user") ||
		!strings.Contains(prompt(r), "## Found\n") {
		t.Errorf("a prompt without the section of the task does not say what to do: %s", prompt(r))
	}
	req.Profile.Own = json.RawMessage(`{"min_importance": 2}`)
	if _, err := b.Build(context.Background(), req); err == nil ||
		err.Error() != "profile: min_importance must be between 0 and 1 (got 2)" {
		t.Errorf("error %v", err)
	}
}

func TestAKnightSeesTheTestOfAFileThatItsTaskNames(t *testing.T) {
	t.Parallel()
	files := map[string]string{"cart/total_test.go": "package cart\n\nfunc TestOther(t *testing.T) {}\n"}
	pairs := map[string]string{
		"cart/price.go": "cart/price_test.go", "shop/basket.py": "tests/shop/test_basket.py",
		"web/menu.tsx": "web/menu.test.tsx", "lib/crane.rb": "spec/lib/crane_spec.rb",
		"src/main/java/quay/Rope.java": "src/test/java/quay/RopeTest.java", "src/buoy.cc": "test/buoy_unittest.cc",
		"ui/list.js": "ui/__tests__/list.js", "app/Sail.php": "tests/SailTest.php",
	}
	for file, test := range pairs {
		files[file], files[test] = "zero one "+file+"\n", "two three "+test+"\n"
	}
	for _, far := range []string{"a", "b", "c", "d"} { // of other files of that name
		files[far+"/test_basket.py"] = "four five\n"
	}
	b := setup(t, files)
	for file, test := range pairs {
		for _, kind := range []string{"knight", "squire"} { // squires prefer no tests
			req := Request{Project: "p", AgentKind: kind, DeadlineMS: 60_000, Task: &Task{}}
			req.Task.Title, req.Task.ID = "Round up in "+file, "t"
			r := b.build(req)
			if shown := sure(prompt(r), test); shown != (kind == "knight") {
				t.Errorf("%s %s: the test %s stands there: %v\n%s", kind, file, test, shown, prompt(r))
			}
			if n := strings.Count(prompt(r), "/test_basket.py:"); n > testsEach {
				t.Errorf("%s: %d tests of one file", file, n)
			}
		}
	}
}

// sure reports whether a piece of a file stands in a prompt, and not as a guess.
func sure(prompt, file string) bool {
	for line := range strings.Lines(prompt) {
		if strings.HasPrefix(line, file+":") && !strings.HasSuffix(line, "(possible)\n") {
			return true
		}
	}
	return false
}

func TestOnlyAContextThatAsksForCodeIsARetrieval(t *testing.T) {
	t.Parallel()
	b := setup(t, harbour)
	if r := b.build(task()); r.Retrieval == nil || !r.Retrieval.Hit || r.Retrieval.Status != string(OK) {
		t.Errorf("a knight's context: %+v", r.Retrieval)
	}
	off, peasant := task(), task()
	off.Task.RequiresContext = ptr(false)
	peasant.AgentKind = "peasant"
	for _, req := range []Request{off, peasant} {
		if r := b.build(req); r.Retrieval != nil {
			t.Errorf("a context without code counts as a retrieval: %+v", r.Retrieval)
		}
	}
}
