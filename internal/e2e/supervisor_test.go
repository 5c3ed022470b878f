//go:build unix

package e2e

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/txtar"

	client "github.com/contextd/contextd/clients/go"
	"github.com/contextd/contextd/internal/e2e/e2etest"
)

// shop is the id that the supervisor gives its project.
const shop = "shop"

// supervisor drives agents over HTTP, in a world of its own: an indexer daemon, a server, and clients of it.
type supervisor struct {
	*bundle
	indexer, server *e2etest.Daemon
	api             *client.Client
}

// supervise starts both processes and registers the shop.
func supervise(b *bundle) *supervisor {
	b.Helper()
	s := &supervisor{bundle: b}
	s.unpack("shop.txtar")
	s.startIndexer()
	s.startServer()
	s.register(shop)
	return s
}

// unpack writes the files of an archive below the root.
func (b *bundle) unpack(name string) {
	b.Helper()
	a, err := txtar.ParseFile(filepath.Join("testdata", name))
	b.ok(err)
	if len(a.Files) < 5 {
		b.Fatalf("%s has %d files", name, len(a.Files))
	}
	for _, f := range a.Files {
		b.write(f.Name, string(f.Data))
	}
}

// startIndexer starts the indexer daemon.
func (s *supervisor) startIndexer() { s.Helper(); s.indexer = s.daemon("--allow-root", s.root) }

// startServer starts the server, and talks to it from now on.
func (s *supervisor) startServer() {
	s.Helper()
	d, err := s.Serve("--allow-root", s.root)
	s.ok(err)
	s.guard(d)
	s.ok(d.Ready(soon))
	s.server, s.api = d, client.New(d.URL, client.Options{})
}

// crash kills the server as kill -9 does, and starts another.
func (s *supervisor) crash() {
	s.Helper()
	s.server.Kill()
	s.startServer()
}

// register asks for a project of the root, and waits until it is indexed.
func (s *supervisor) register(project string) {
	s.Helper()
	s.refresh(project)
	s.upToDate(project)
}

// refresh asks that files, or everything, be indexed again.
func (s *supervisor) refresh(project string, files ...string) {
	s.Helper()
	by, err := s.api.Refresh(s.Context(), project, s.root, files...)
	s.ok(err)
	if by != "daemon" {
		s.Errorf("the refresh is seen to by %q, want the daemon", by)
	}
}

// upToDate waits until a project is indexed and nothing of it waits.
func (s *supervisor) upToDate(project string) {
	s.Helper()
	s.eventually(func() error {
		var p struct {
			Root       string
			Generation int64
			Pending    int
			Stale      bool
		}
		err := s.api.Call(s.Context(), "GET", "/v1/projects/"+project, nil, nil, &p)
		if err == nil && (p.Generation == 0 || p.Pending > 0 || p.Stale) {
			err = fmt.Errorf("project %q: %+v", project, p)
		}
		return err
	})
}

// call asks for an operation that has to succeed.
func (s *supervisor) call(method, path string, body, reply any) {
	s.Helper()
	at, err := url.Parse(path)
	s.ok(err)
	s.ok(s.api.Call(s.Context(), method, at.Path, at.Query(), body, reply))
}

// work is the task that all agents are given: each strategy takes what its agent needs.
func work() *client.Work {
	return &client.Work{
		ID: "task-042", Title: "Delete sessions with their user", Mode: "implement",
		Description:    "DeleteAccount leaves the sessions of the user valid. It has to call DeleteSessionsOf in internal/session/store.go.",
		MentionedFiles: []string{"internal/account/delete.go"},
		Issue: &client.Issue{Title: "Sessions outlive their user",
			Description: "A deleted user stays logged in until the session expires.\n\n1. log in\n2. delete the account\n3. the session still works"},
		DesignDocument: "# Sessions\n\nA session belongs to one user. Nothing may outlive its owner.\n",
		FileOperations: []client.FileOperation{{Op: "modify", Path: "internal/account/delete.go"},
			{Op: "modify", Path: "internal/account/delete_test.go"}},
		Steps: []client.Step{
			{Description: "Write the failing test",
				Code: "if n := store.DeleteSessionsOf(\"ann\"); n != 0 {\n\tt.Error(n)\n}\n",
				Run:  "go test ./internal/account"},
			{Description: "Make it pass", Run: "go test ./..."}},
		Diff:       "--- a/internal/account/delete.go\n+++ b/internal/account/delete.go\n@@ -10,3 +10,4 @@\n \tdelete(a.users, user)\n+\ta.sessions.DeleteSessionsOf(user)\n \treturn nil\n",
		Acceptance: []string{"no session of a deleted user is valid", "the test fails without the change"},
	}
}

// compile asks for the context of the agent <kind>-1, with changes of the request, until it is one of full strength: a
// machine that is busy may miss a deadline.
func (s *supervisor) compile(kind string, changes ...func(*client.ContextRequest)) *client.ContextReply {
	s.Helper()
	r := client.ContextRequest{Project: shop, Agent: kind + "-1", AgentKind: kind, Task: work(), DeadlineMS: 10_000,
		BudgetTokens: 8000}
	for _, change := range changes {
		change(&r)
	}
	var c *client.ContextReply
	s.eventually(func() (err error) {
		if c, err = s.api.Context(s.Context(), r); err == nil && c.Status == "degraded" &&
			!slices.Equal(c.Reasons, []string{"budget"}) {
			err = fmt.Errorf("%s is degraded: %q", c.ID, c.Reasons)
		}
		return err
	})
	if c.Tokens < 1 || c.Tokens > c.BudgetTokens || len(c.Messages) != 2 || c.PrefixHash == "" || c.Fingerprint == nil {
		s.Errorf("context of a %s: %+v", kind, c)
	}
	return c
}

// textOf is all that a context says.
func textOf(c *client.ContextReply) string {
	var b strings.Builder
	for _, m := range c.Messages {
		b.WriteString(m.Content + "\n")
	}
	return b.String()
}

// account is what of a receipt matters here.
type account struct {
	ID      string
	Agent   string
	Items   []piece
	Outcome *struct {
		Used, Dead []string
		Precision  float64
	}
}

// piece is one line of a receipt.
type piece struct {
	ID, Source, Kind, Decision, Reason string
	Relevance, Boost, Score            float64
	Verify                             bool
}

// read is the text of a file of the root.
func (b *bundle) read(name string) string {
	b.Helper()
	data, err := os.ReadFile(filepath.Join(b.root, name))
	b.ok(err)
	return string(data)
}
