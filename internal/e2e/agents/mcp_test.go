//go:build agents && unix

package agents

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/contextd/contextd/internal/e2e/e2etest"
)

// The versions that were tried.
const (
	inspectorPackage   = "@modelcontextprotocol/inspector@2.12.0"
	conformancePackage = "@modelcontextprotocol/conformance@0.1.16"
	pythonSDK          = "mcp==2.3.0"
)

// serve starts "retriever serve" for the world's project: the address of its /mcp.
func serve(t *testing.T, w *World) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	_ = l.Close()
	cmd := exec.CommandContext(t.Context(), retriever(), "serve", "--allow-root", w.Project, "--listen", addr)
	cmd.Dir, cmd.Env, cmd.Stderr = w.Project, w.environ(), os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	err = e2etest.Eventually(time.Minute, func() error {
		r, err := http.Get("http://" + addr + "/readyz")
		if err == nil && r.Body.Close() == nil && r.StatusCode != http.StatusOK {
			err = fmt.Errorf("readyz: %s", r.Status)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return "http://" + addr + "/mcp"
}

func TestInspectorListsAndCallsTheTools(t *testing.T) {
	modules := npm(t, inspectorPackage)
	w := newWorld(t)
	w.Path = []string{node(t)}
	for name, target := range map[string][]string{
		"stdio": {retriever(), "mcp"},
		"http":  {serve(t, w), "--transport", "http"},
	} {
		t.Run(name, func(t *testing.T) {
			inspect := func(args ...string) string {
				t.Helper()
				out, complaints, err := w.run(t, filepath.Join(modules, ".bin", "mcp-inspector"),
					append(append([]string{"--cli"}, target...), args...)...)
				if err != nil {
					t.Fatalf("%v: %s %s", err, tail(out), tail(complaints))
				}
				return out
			}
			var list struct{ Tools []struct{ Name string } }
			if out := inspect("--method", "tools/list"); json.Unmarshal([]byte(out), &list) != nil ||
				len(list.Tools) != 3 {
				t.Errorf("tools: %s", out)
			}
			if out := inspect("--method", "tools/call", "--tool-name", "search_code", "--tool-arg", "query=AddToCart",
				"--tool-arg", "root="+w.Project); !strings.Contains(out, "shop/cart.go:") {
				t.Errorf("search_code: %s", out)
			}
		})
	}
}

// pythonClient asks over standard input and output, in each protocol that the SDK has by itself.
const pythonClient = `
import asyncio, sys
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

async def main():
    server = StdioServerParameters(command=sys.argv[1], args=["mcp", "--root", sys.argv[2]], env=dict(a.split("=", 1) for a in sys.argv[3:]))
    async with stdio_client(server) as (reader, writer):
        async with ClientSession(reader, writer) as session:
            await session.initialize()
            print(sorted(t.name for t in (await session.list_tools()).tools))
            for tool, args in (("search_code", {"query": "AddToCart"}), ("remember", {"text": "Carts are kept for a week.", "kind": "fact"}), ("recall", {"query": "carts"})):
                print((await session.call_tool(tool, args)).content[0].text)

asyncio.run(main())
`

func TestThePythonSDKCallsTheTools(t *testing.T) {
	python := filepath.Join(pip(t, pythonSDK), "bin", "python")
	w := newWorld(t)
	script := filepath.Join(w.Home, "client.py")
	if err := os.WriteFile(script, []byte(pythonClient), 0o600); err != nil {
		t.Fatal(err)
	}
	out, complaints, err := w.run(t, python, append([]string{script, retriever(), w.Project}, w.environ()...)...)
	if err != nil {
		t.Fatalf("%v: %s %s", err, tail(out), tail(complaints))
	}
	for _, want := range []string{
		"['recall', 'remember', 'search_code']", "shop/cart.go:", "Noted for all agents", "Carts are kept for a week.",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing in\n%s", want, out)
		}
	}
}

func TestTheConformanceSuitePasses(t *testing.T) {
	modules := npm(t, conformancePackage)
	w := newWorld(t)
	w.Path = []string{node(t)}
	at := serve(t, w)
	for _, scenario := range []string{"server-initialize", "ping", "tools-list", "dns-rebinding-protection"} {
		t.Run(scenario, func(t *testing.T) {
			out, complaints, err := w.run(t, filepath.Join(modules, ".bin", "conformance"), "server", "--url", at,
				"--scenario", scenario)
			if err != nil {
				t.Errorf("%v: %s %s", err, tail(out), tail(complaints))
			}
			t.Log(tail(out))
		})
	}
}
