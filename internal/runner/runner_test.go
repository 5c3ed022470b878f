package runner

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestMain is the server, too: how it behaves is its argument.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "serve" {
		serve(os.Args[2])
		return
	}
	os.Exit(m.Run())
}

func serve(how string) {
	switch how {
	case "die":
		fmt.Fprintln(os.Stderr, "error: no index here")
		os.Exit(2)
	case "hang":
		time.Sleep(time.Hour)
	case "talk":
		fmt.Println("Welcome!")
	case "flood":
		for {
			if _, err := fmt.Println(`{"jsonrpc":"2.0","method":"x"}`); err != nil {
				return
			}
		}
	case "long":
		fmt.Println(`"` + strings.Repeat("x", 2*maxLine) + `"`)
	}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		switch text := lines.Text(); {
		case strings.Contains(text, `"initialize"`) && how == "refuse":
			fmt.Println(`{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"not today"}}`)
		case strings.Contains(text, `"initialize"`):
			fmt.Println(`{"jsonrpc":"2.0","method":"notifications/message"}`)
			fmt.Println(`{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"fake","version":"7"}}}`)
		case strings.Contains(text, "tools/list") && how == "none":
			fmt.Println(`{"jsonrpc":"2.0","id":2,"result":{"tools":[]}}`)
		case strings.Contains(text, "tools/list"):
			fmt.Println(`{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"search_code","inputSchema":{"type":"object"}},{"name":"recall"}]}}`)
		}
	}
}

func TestHandshakeNamesTheToolsOfAServer(t *testing.T) {
	t.Parallel()
	s, err := Handshake(t.Context(), []string{os.Args[0], "serve", "well"})
	if err != nil || s.Name != "fake" || s.Version != "7" ||
		!slices.Equal(s.Names(), []string{"search_code", "recall"}) ||
		string(s.Tools[0].InputSchema) != `{"type":"object"}` {
		t.Fatalf("got %+v, %v", s, err)
	}
}

func TestHandshakeTellsWhyAServerDoesNotAnswer(t *testing.T) {
	t.Parallel()
	for how, want := range map[string]string{
		"die":    `"error: no index here"`,
		"talk":   "no message of the protocol",
		"refuse": "not today",
		"none":   "no tools",
		"flood":  "does not answer",
		"long":   "too long",
	} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			if s, err := Handshake(t.Context(), []string{os.Args[0], "serve", how}); err == nil ||
				!strings.Contains(err.Error(), want) {
				t.Errorf("got %+v, %v; want an error with %q", s, err, want)
			}
		})
	}
	if _, err := Handshake(t.Context(), []string{"/nowhere/retriever", "mcp"}); err == nil {
		t.Error("a missing binary answers")
	}
}

func TestHandshakeEndsAServerThatHangs(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeoutCause(t.Context(), 200*time.Millisecond, fmt.Errorf("waited in vain"))
	defer cancel()
	if _, err := Handshake(ctx, []string{os.Args[0], "serve", "hang"}); err == nil ||
		!strings.Contains(err.Error(), "waited in vain") {
		t.Fatal(err)
	}
}

func TestRunTellsWhatACommandSaid(t *testing.T) {
	t.Parallel()
	if err := Run(t.Context(), []string{os.Args[0], "serve", "die"}); err == nil ||
		!strings.Contains(err.Error(), `"error: no index here"`) {
		t.Fatal(err)
	}
	if err := Run(t.Context(), []string{os.Args[0], "serve", "well"}); err != nil {
		t.Fatal(err)
	}
}
