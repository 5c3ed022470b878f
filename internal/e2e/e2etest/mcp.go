//go:build unix

package e2etest

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// MCP is a client of "retriever mcp", with the process that it started. It makes one call at a time.
type MCP struct {
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Reader
	id   int
	done chan struct{}
	err  error // how it ended; valid when done is closed
}

// MCP starts "retriever mcp" in the folder dir and says hello.
func (w *World) MCP(dir string, flags ...string) (*MCP, error) {
	m := &MCP{cmd: exec.Command(filepath.Join(w.Bin, "retriever"), append([]string{"mcp"}, flags...)...),
		done: make(chan struct{})}
	var err error
	if m.in, err = m.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	r, out, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer out.Close()
	m.cmd.Stdout, m.out = out, bufio.NewReader(r)
	if err := w.startIn(m.cmd, dir); err != nil {
		_ = r.Close()
		return nil, err
	}
	go func() {
		m.err = m.cmd.Wait()
		close(m.done)
	}()
	_, err = m.Ask("initialize", map[string]any{"protocolVersion": "2025-11-25", "capabilities": map[string]any{},
		"clientInfo": map[string]any{"name": "e2e", "version": "1"}})
	if err == nil {
		_, err = io.WriteString(m.in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n")
	}
	return m, err
}

// Pid is the process.
func (m *MCP) Pid() int { return m.cmd.Process.Pid }

// Ask sends a request and returns the result. Whatever else the process writes is an error.
func (m *MCP) Ask(method string, params any) (json.RawMessage, error) {
	m.id++
	request, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": m.id, "method": method, "params": params})
	if err != nil {
		return nil, err
	}
	if _, err := m.in.Write(append(request, '\n')); err != nil {
		return nil, fmt.Errorf("ask %s: %w", method, err)
	}
	line, err := m.out.ReadBytes('\n')
	if err != nil {
		return nil, fmt.Errorf("ask %s: %w", method, err)
	}
	var reply struct {
		ID     int
		Result json.RawMessage
		Error  any
	}
	if err := json.Unmarshal(line, &reply); err != nil || reply.ID != m.id || reply.Error != nil {
		return nil, fmt.Errorf("ask %s: %s is no result (%w)", method, line, err)
	}
	return reply.Result, nil
}

// Call calls a tool. A result that is an error is one here.
func (m *MCP) Call(tool string, args map[string]any) (string, error) {
	result, err := m.Ask("tools/call", map[string]any{"name": tool, "arguments": args})
	if err != nil {
		return "", err
	}
	var reply struct {
		Content []struct{ Text string }
		IsError bool
	}
	if err := json.Unmarshal(result, &reply); err != nil || len(reply.Content) != 1 {
		return "", fmt.Errorf("call %s: %s (%w)", tool, result, err)
	}
	if reply.IsError {
		return "", errors.New(reply.Content[0].Text)
	}
	return reply.Content[0].Text, nil
}

// End closes its input and wants it to end well within the time.
func (m *MCP) End(within time.Duration) error {
	_ = m.in.Close()
	return m.Ended(within)
}

// Ended waits for a good end.
func (m *MCP) Ended(within time.Duration) error {
	select {
	case <-m.done:
		return m.err
	case <-time.After(within):
		m.Kill()
		return errors.New("the process does not end")
	}
}

// Kill ends it at once.
func (m *MCP) Kill() {
	_ = m.cmd.Process.Kill()
	<-m.done
}

// Processes are the ids of the processes of this world's binaries, where the system tells.
func (w *World) Processes() (ids []string, known bool) {
	entries, err := os.ReadDir("/proc")
	if err != nil || len(entries) == 0 {
		return nil, false
	}
	state := "CONTEXTD_STATE_DIR=" + w.State() + "\x00"
	for _, e := range entries {
		exe, err := os.Readlink(filepath.Join("/proc", e.Name(), "exe"))
		if err != nil || filepath.Dir(exe) != w.Bin {
			continue
		}
		if env, err := os.ReadFile(filepath.Join("/proc", e.Name(), "environ")); err == nil &&
			strings.Contains(string(env), state) {
			ids = append(ids, e.Name())
		}
	}
	return ids, true
}
