package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/contextd/contextd/internal/gates"
	"github.com/contextd/contextd/internal/retrieve"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// engine is an Engine whose answers a test chooses.
type engine struct {
	mu     sync.Mutex
	asked  []Question
	found  *Found
	notes  *Recalled
	failed error
	block  bool // until the call ends
}

func (e *engine) Search(ctx context.Context, q Question) (*Found, error) {
	e.mu.Lock()
	e.asked = append(e.asked, q)
	e.mu.Unlock()
	if e.block {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	if e.found == nil && e.failed == nil {
		return one("/srv/web", result("src/a.go", 1, "func A() {}")), nil
	}
	return e.found, e.failed
}

func (e *engine) Recall(context.Context, string, string, string) (*Recalled, error) {
	if e.notes == nil && e.failed == nil {
		return &Recalled{Roots: []string{"/srv/web"}}, nil
	}
	return e.notes, e.failed
}

func (e *engine) Remember(context.Context, string, string, string) (*Remembered, error) {
	return &Remembered{Root: "/srv/web"}, e.failed
}
func (e *engine) Report(context.Context, string, Outcome) error { return e.failed }
func (e *engine) Why(context.Context, string, string) (retrieve.Verdict, error) {
	return retrieve.Verdict{Path: "src/a.go", Indexed: true, Chunks: 1, Generation: 1}, e.failed
}
func (e *engine) Context(context.Context, string, string, int) (*Compiled, error) {
	return &Compiled{Root: "/srv/web", Text: "what is known", ID: "r1"}, e.failed
}

// result is a strong result of lines that are shown whole.
func result(path string, from int, snippet string) retrieve.Result {
	to := from + strings.Count(snippet, "\n")
	return retrieve.Result{Path: path, StartLine: from, EndLine: to, SnippetLine: from, Snippet: snippet,
		Language: "go", Relevance: .9, Grade: gates.Strong}
}

// one is the answer of one folder.
func one(root string, results ...retrieve.Result) *Found {
	r := &retrieve.Reply{Root: root, Status: retrieve.OK, Searched: retrieve.Searched{Files: 12, Chunks: 90},
		Results: results, BestRelevance: .1}
	if len(results) == 0 {
		r.Status = retrieve.Empty
	}
	return &Found{Base: root, Replies: []*retrieve.Reply{r}}
}

// connect is a client of a server over the engine, in this process.
func connect(t *testing.T, e Engine, all bool) *sdk.ClientSession {
	t.Helper()
	s, err := New(Options{Engine: e, All: all, Version: "1"})
	if err != nil {
		t.Fatal(err)
	}
	there, here := sdk.NewInMemoryTransports()
	session, err := s.sdk.Connect(t.Context(), there, nil)
	if err != nil {
		t.Fatal(err)
	}
	client, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), here, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = errors.Join(client.Close(), session.Wait()) })
	return client
}

// call is the text of a call's result, and whether it is an error.
func call(t *testing.T, c *sdk.ClientSession, tool string, args any) (text string, failed bool) {
	t.Helper()
	res, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		t.Fatal(err)
	}
	if len(res.Content) != 1 || res.StructuredContent != nil {
		t.Fatalf("want one text and nothing structured: %+v", res)
	}
	return res.Content[0].(*sdk.TextContent).Text, res.IsError
}

type args map[string]any

// request is a call as the SDK hands it over.
func request(args string) *sdk.CallToolRequest {
	return &sdk.CallToolRequest{Params: &sdk.CallToolParamsRaw{Arguments: json.RawMessage(args)}}
}
