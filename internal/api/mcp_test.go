package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/contextd/contextd/internal/backend"
)

// rpc is a call of a tool as it is sent.
func rpc(tool string, args any) string {
	text, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/call",
		"params": map[string]any{"name": tool, "arguments": args}})
	return string(text)
}

// spoken are the headers of the protocol.
var spoken = []string{"Accept", "application/json, text/event-stream", "Mcp-Protocol-Version", "2025-11-25"}

// mcpCall is the text of a call's result, and whether it is an error.
func (w *world) mcpCall(tool string, args any, header ...string) (text string, failed bool) {
	w.t.Helper()
	var reply struct {
		Result struct {
			Content []struct{ Text string }
			IsError bool
		}
	}
	w.get(&reply, "POST", "/mcp", rpc(tool, args), append(header, spoken...)...)
	if len(reply.Result.Content) != 1 {
		w.t.Fatalf("%s: want one text: %+v", tool, reply)
	}
	return reply.Result.Content[0].Text, reply.Result.IsError
}

func TestMCPFindsWhatSearchFinds(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, w *world) {
		w.index("web")
		var found struct {
			Results []struct {
				Path  string
				Grade string
			}
		}
		w.get(&found, "POST", "/v1/search", `{"query":"Verify session token","project":"web","deadline_ms":5000}`)
		got, failed := w.mcpCall("search_code", map[string]any{"query": "Verify session token"})
		if failed || !strings.HasPrefix(got, "Root: "+filepath.ToSlash(w.root)) || len(found.Results) == 0 {
			t.Fatalf("failed %v: %s (%+v)", failed, got, found)
		}
		for i, r := range found.Results {
			if want := fmt.Sprintf("\n%d. %s:", i+1, r.Path); !strings.Contains(got, want) ||
				!strings.Contains(got, "("+r.Grade+")") {
				t.Errorf("want %q and grade %s in\n%s", want, r.Grade, got)
			}
		}
		if got, failed := w.mcpCall("remember",
			map[string]any{"text": "Session tokens are signed twice.", "kind": "decision"}); failed {
			t.Error(got)
		}
		if got, failed := w.mcpCall("recall", map[string]any{"query": "session tokens"}); failed ||
			!strings.Contains(got, "signed twice") {
			t.Errorf("failed %v: %s", failed, got)
		}
	})
}

func TestMCPStandsBehindTheGuardOfTheServer(t *testing.T) {
	t.Parallel()
	const token = "a-token-of-many-letters"
	w := setup(t, func(o *Options) { o.Token = token })
	with := append([]string{"Authorization", "Bearer " + token}, spoken...)
	body := rpc("search_code", map[string]any{"query": "x"})
	w.refused(unauthorized, "POST", "/mcp", body, spoken...)
	w.refused(foreignOrigin, "POST", "/mcp", body, append(with, "Origin", "https://elsewhere.test")...)
	w.refused(foreignHost, "POST", "/mcp", body, append(with, "Host", "elsewhere.test")...)
	w.refused(methodRefused, "GET", "/mcp", "", with...)
	if got, failed := w.mcpCall("search_code", map[string]any{"query": "Verify", "root": w.root}, "Authorization",
		"Bearer "+token); failed {
		t.Error(got)
	}
}

func TestMCPReadsRootsThatAreAllowedOnly(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.index("web")
	for _, root := range []string{"/", filepath.Dir(w.root), filepath.Join(w.root, ".."), "../..", "/etc"} {
		if got, failed := w.mcpCall("search_code", map[string]any{"query": "x", "root": root}); !failed ||
			!strings.Contains(got, "not inside an allowed root") {
			t.Errorf("root %q: failed %v, %s", root, failed, got)
		}
	}
	if got, failed := w.mcpCall("search_code", map[string]any{"query": "Verify", "root": w.root}); failed {
		t.Error(got)
	}
}

func TestMCPWithNothingIndexedAsksForARoot(t *testing.T) {
	t.Parallel()
	if got, failed := setup(t).mcpCall("search_code", map[string]any{"query": "x"}); !failed ||
		!strings.Contains(got, `want argument "root"`) {
		t.Errorf("failed %v: %s", failed, got)
	}
}

func TestMCPBodiesAreBoundedAsAllOthers(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.refused(bodyTooLarge, "POST", "/mcp", rpc("search_code", map[string]any{"query": strings.Repeat("x", maxBody)}),
		spoken...)
	if left := w.srv.bodies.left.Load(); left != maxBodies {
		t.Errorf("%d of %d bytes are left", left, maxBodies)
	}
}

func TestMCPTakesTheSDKsOwnClient(t *testing.T) {
	t.Parallel()
	w := start(t, backend.Options{}, func(o *Options) { o.Tools = true })
	c, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(),
		&sdk.StreamableClientTransport{Endpoint: w.http.URL + "/mcp", HTTPClient: w.http.Client()}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	tools, err := c.ListTools(t.Context(), nil)
	if err != nil || len(tools.Tools) != 7 {
		t.Errorf("%+v, %v", tools, err)
	}
	res, err := c.CallTool(t.Context(),
		&sdk.CallToolParams{Name: "search_code", Arguments: map[string]any{"query": "Verify", "root": w.root}})
	if err != nil || res.IsError {
		t.Errorf("%+v, %v", res, err)
	}
}

func TestMCPRefusesWhatIsNoMessage(t *testing.T) {
	t.Parallel()
	w := setup(t)
	deep := strings.Repeat("[", maxBody/2-100) + strings.Repeat("]", maxBody/2-100)
	for _, body := range []string{
		"nonsense", deep, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"recall","arguments":` +
			deep + `}}`,
	} {
		w.refused(invalidJSON, "POST", "/mcp", body, spoken...)
	}
	w.refused(invalidEncoding, "POST", "/mcp", "{\"\xff\":1}", spoken...)
	w.refused(mediaType, "POST", "/mcp", "{}", append([]string{"Content-Type", "text/plain"}, spoken...)...)
	for _, body := range []string{"[]", `{"id":1}`, "5"} {
		if a := w.do("POST", "/mcp", body, spoken...); a.code != http.StatusBadRequest {
			t.Errorf("%s: %d %s", body, a.code, a.body)
		}
	}
}
