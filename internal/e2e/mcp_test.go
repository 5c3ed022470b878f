//go:build unix

package e2e

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/contextd/contextd/internal/e2e/e2etest"
)

// client is an agent's connection by "retriever mcp" in the root.
func (b *bundle) client(flags ...string) *e2etest.MCP {
	b.Helper()
	m, err := b.MCP(b.root, flags...)
	b.ok(err)
	b.Cleanup(m.Kill)
	return m
}

func TestFiveClientsAreFiveReadersBesideOneDaemon(t *testing.T) {
	both(t, func(b *bundle) {
		b.tree(0, 6, 1, 20)
		b.ok(os.MkdirAll(filepath.Join(b.root, ".git"), 0o755))
		d := b.daemon("--watch", b.root)
		b.finds(e2etest.Question(3), e2etest.SourceName(3))
		var clients []*e2etest.MCP
		for range 5 {
			m := b.client()
			clients = append(clients, m)
			if text, err := m.Call("search_code", map[string]any{"query": e2etest.Question(3)}); err != nil ||
				!strings.Contains(text, e2etest.SourceName(3)) {
				b.Errorf("%s, %v", text, err)
			}
		}
		if ids, known := b.Processes(); known && len(ids) != 6 {
			b.Errorf("processes %q, want five clients and a daemon", ids)
		}
		b.write("late.go", "package late\n\n// UnloadFreight is new.\nfunc UnloadFreight() {}\n")
		b.eventually(func() error { // the daemon sees to it
			text, err := clients[0].Call("search_code", map[string]any{"query": "UnloadFreight"})
			if err == nil && !strings.Contains(text, "late.go") {
				err = fmt.Errorf("got %s", text)
			}
			return err
		})
		for _, m := range clients {
			b.ok(m.End(soon))
		}
		if ids, known := b.Processes(); known && len(ids) != 1 {
			b.Errorf("processes %q are left, want the daemon alone", ids)
		}
		b.ok(d.Stop(10*time.Second + slack))
	})
}

func TestAServerEndsWithItsClientThoughItsInputStaysOpen(t *testing.T) {
	t.Parallel()
	b := newBundle(t, nil)
	b.tree(0, 2, 1, 20)
	input, held, err := os.Pipe() // this process holds its other end
	b.ok(err)
	defer held.Close()
	script := fmt.Sprintf(`exec 3<&0; CONTEXTD_STATE_DIR=%q CONTEXTD_REDIS=off HOME=%q %q mcp <&3 & echo $!; wait`,
		b.State(), b.Dir, filepath.Join(b.Bin, "retriever"))
	client := exec.Command("/bin/sh", "-c", script)
	client.Dir, client.Stdin = b.root, input
	r, output, err := os.Pipe()
	b.ok(err)
	client.Stdout, client.Stderr = output, output
	b.ok(client.Start())
	b.ok(errors.Join(input.Close(), output.Close()))
	var pid int
	_, err = fmt.Fscanln(r, &pid)
	b.ok(err)
	_, err = io.WriteString(held, `{"jsonrpc":"2.0","id":1,"method":"ping"}`+"\n")
	b.ok(err)
	if _, err := r.Read(make([]byte, 1)); err != nil { // it answers: it knows its parent
		b.Fatal(err)
	}
	defer func() { _ = exec.Command("kill", fmt.Sprint(pid)).Run() }()
	b.ok(client.Process.Kill())
	_ = client.Wait()
	b.ok(r.SetReadDeadline(time.Now().Add(soon)))
	if _, err := io.ReadAll(r); err != nil { // the end of its output is that of the server
		b.Errorf("process %d outlives its client: %v", pid, err)
	}
}
