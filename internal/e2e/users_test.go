//go:build unix

package e2e

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/contextd/contextd/internal/e2e/e2etest"
	"github.com/contextd/contextd/internal/rdb/rdbtest"
)

// documentedRules are the ACL rules of docs/OPERATIONS.md but for the password.
func documentedRules(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "OPERATIONS.md"))
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`(?m)^ +ACL SETUSER contextd on >PASSWORD (.*)$`).FindSubmatch(text)
	if found == nil {
		t.Fatal("docs/OPERATIONS.md holds no line of ACL rules")
	}
	return strings.Fields(string(found[1]))
}

// TestMainJobAsTheDocumentedUserOverTLS: with the rules of docs/OPERATIONS.md nothing is refused, and they give no more
// than commands, one by one.
func TestMainJobAsTheDocumentedUserOverTLS(t *testing.T) {
	t.Parallel()
	s := rdbtest.TLS(t, rdbtest.Search)
	rules := documentedRules(t)
	if wide := slices.IndexFunc(rules, func(r string) bool { return strings.HasPrefix(r, "+@") }); wide >= 0 {
		t.Errorf("the rules give a whole category: %s", rules[wide])
	}
	s.User(t, "contextd", "harbour", rules...)
	b := newBundle(t, s.Server)
	b.Redis, b.Prefix = strings.Replace(s.TLSURL, "rediss://", "rediss://contextd:harbour@", 1), "ctx"
	d := b.ready()
	b.change()
	b.enqueue()
	b.finds(e2etest.Question(21), e2etest.SourceName(21))
	b.settled()
	for _, args := range [][]string{
		{"retriever", "memory", "save", "The harbour opens at nine.", "--kind", "fact", "--agent", "a",
			"--project", "p"},
		{"retriever", "memory", "list", "--agent", "a", "--project", "p"},
		{"retriever", "context", "--query", e2etest.Question(5), "--root", b.root},
		{"indexer", "index", b.root, "--full"},
		{"indexer", "doctor"},
		{"indexer", "status"},
		{"indexer", "queue", "list"},
		{"indexer", "reset", "--yes"},
	} {
		if r, err := b.Exec(args[0], args[1:]...); err != nil || strings.Contains(r.Err+r.Out, "NOPERM") ||
			r.Code != 0 && args[1] != "doctor" {
			t.Error(r, err)
		}
	}
	b.ok(d.Stop(soon))
	if denied := s.Denied(t); len(denied) > 0 {
		t.Errorf("refused: %q", denied)
	}
}

// TestAForbiddenCommandIsNamedWithItsUser: by the command that needs it, by doctor, and as a reason of the answer.
func TestAForbiddenCommandIsNamedWithItsUser(t *testing.T) {
	t.Parallel()
	s := rdbtest.Own(t, rdbtest.Search)
	rules := slices.DeleteFunc(documentedRules(t), func(r string) bool { return r == "+ft.create" || r == "+xadd" })
	url := s.User(t, "contextd", "harbour", rules...)
	b := newBundle(t, s)
	b.Redis, b.Prefix = url, "ctx"
	b.tree(0, 2, 0, 2)
	for command, args := range map[string][]string{"ft.create": {"index", b.root}, "xadd": {"enqueue", b.root}} {
		r, err := b.Exec("indexer", args...)
		if err != nil || r.Code == 0 || !strings.Contains(r.Err, "contextd") ||
			!strings.Contains(strings.ToLower(r.Err), command) || !strings.Contains(r.Err, "ACL rules") {
			t.Errorf("want user, command and a hint: %v, %v", r, err)
		}
		if strings.Contains(r.Err, "harbour") {
			t.Errorf("the password is shown: %v", r)
		}
	}
	b.degraded("redis_auth", "index_missing", "index_building")
}
