package mcp

import (
	"encoding/json"
	"slices"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/contextd/contextd/internal/tokens"
)

// list are the tools that a client sees.
func list(t *testing.T, all bool) []*sdk.Tool {
	t.Helper()
	res, err := connect(t, &engine{}, all).ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return res.Tools
}

func names(tools []*sdk.Tool) (all []string) {
	for _, t := range tools {
		all = append(all, t.Name)
	}
	return all
}

func TestThreeToolsAreOfferedAndAllOnDemand(t *testing.T) {
	t.Parallel()
	for all, want := range map[bool][]string{false: {"recall", "remember", "search_code"},
		true: {"context", "recall", "recall_context", "remember", "report_outcome", "search_code", "why"}} {
		if got := names(list(t, all)); !slices.Equal(got, want) {
			t.Errorf("all %v: %q, want %q", all, got, want)
		}
	}
}

func TestTheToolsTakeLessThan600Tokens(t *testing.T) {
	t.Parallel()
	counter, err := tokens.For("")
	if err != nil {
		t.Fatal(err)
	}
	sum := counter.Count(instructions)
	if sum > 150 {
		t.Errorf("the instructions have %d tokens", sum)
	}
	sum = 0
	for _, tool := range list(t, false) {
		text, err := json.Marshal(tool)
		if err != nil {
			t.Fatal(err)
		}
		sum += counter.Count(string(text))
	}
	if t.Logf("%d tokens", sum); sum >= 600 {
		t.Errorf("the tools have %d tokens", sum)
	}
}

func TestEachToolSaysWhatItDoesToTheWorld(t *testing.T) {
	t.Parallel()
	writes := []string{"remember", "report_outcome", "context"}
	for _, tool := range list(t, true) {
		a := tool.Annotations
		switch {
		case a == nil || a.DestructiveHint == nil || a.OpenWorldHint == nil:
			t.Errorf("%s: annotations are missing: %+v", tool.Name, a)
		case a.ReadOnlyHint == slices.Contains(writes, tool.Name) || *a.DestructiveHint || *a.OpenWorldHint:
			t.Errorf("%s: %+v", tool.Name, a)
		}
		if tool.OutputSchema != nil {
			t.Errorf("%s has an output schema: clients would drop the text", tool.Name)
		}
		if loaded := tool.Meta["anthropic/alwaysLoad"] == true; loaded != (tool.Name == "search_code") {
			t.Errorf("%s: always loaded %v", tool.Name, loaded)
		}
	}
}

func TestOnlyToolsAreACapability(t *testing.T) {
	t.Parallel()
	init := connect(t, &engine{}, false).InitializeResult()
	if c, err := json.Marshal(init.Capabilities); err != nil || string(c) != `{"tools":{}}` {
		t.Errorf("capabilities %s, %v", c, err)
	}
	if want := "Call search_code first"; len(init.Instructions) < len(want) || init.Instructions[:len(want)] != want {
		t.Errorf("instructions %q", init.Instructions)
	}
}

func TestTheDesignsNameOfRecallIsTaken(t *testing.T) {
	t.Parallel()
	for _, all := range []bool{false, true} {
		if got, failed := call(t, connect(t, &engine{}, all), "recall_context", args{"query": "prices"}); failed {
			t.Errorf("all %v: %q", all, got)
		}
	}
	if _, err := connect(t, &engine{}, false).CallTool(t.Context(),
		&sdk.CallToolParams{Name: "why", Arguments: args{"path": "a"}}); err == nil {
		t.Error("a tool that is not offered was called")
	}
}
