package importtest

import (
	"strings"
	"testing"
)

// A program that imports the Go client compiles the standard library and one package for WebSockets, and nothing else
// of the server.
func TestGoClientImportsOneModule(t *testing.T) {
	t.Parallel()
	names := imports(t)["clients/go"]
	if len(names) < 10 {
		t.Fatalf("saw the imports %q only", names)
	}
	for _, name := range names {
		host, _, _ := strings.Cut(name, "/")
		if strings.Contains(host, ".") && name != "github.com/coder/websocket" {
			t.Errorf("clients/go imports %q", name)
		}
	}
}
