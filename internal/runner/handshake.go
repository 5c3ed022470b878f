package runner

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"time"
)

const (
	// HandshakeTime is how long a server may take to start and to name its tools.
	HandshakeTime = 5 * time.Second
	// maxLine bounds one message of a server.
	maxLine = 1 << 20
	// maxLines bounds its messages before the answer that is waited for.
	maxLines = 1000
)

// Protocol is the revision of MCP that the handshake offers; a server may answer with another.
const Protocol = "2025-06-18"

// Server is what a server says of itself.
type Server struct {
	Name, Version, Protocol string
	Tools                   []Tool
}

// Tool is one tool of a server, with the JSON Schema of its arguments.
type Tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"inputSchema"`
}

// Handshake starts a server of MCP on its standard input and output, initializes it, asks for its tools and ends it.
func Handshake(ctx context.Context, argv []string) (s Server, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, HandshakeTime, fmt.Errorf("no answer within %s", HandshakeTime))
	defer cancel()
	var said outputHead
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Stderr = &said
	cmd.WaitDelay = time.Second
	in, err := cmd.StdinPipe()
	if err != nil {
		return s, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return s, err
	}
	if err := cmd.Start(); err != nil {
		return s, err
	}
	stop := context.AfterFunc(ctx, func() { _ = out.Close() }) // a child of the server may hold the other end
	defer stop()
	s, err = exchange(in, out)
	if cause := context.Cause(ctx); err != nil && cause != nil {
		err = cause
	}
	_ = in.Close() // the server ends with its input
	end := time.AfterFunc(time.Second, cancel)
	defer end.Stop()
	_, _ = io.Copy(io.Discard, io.LimitReader(out, 16*maxLine))
	_ = cmd.Wait() // how it ends is not asked
	return s, said.explain(err)
}

// Names are the names of its tools.
func (s Server) Names() []string {
	names := make([]string, len(s.Tools))
	for i, t := range s.Tools {
		names[i] = t.Name
	}
	return names
}

type message struct {
	ID     json.RawMessage `json:"id"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Message string `json:"message"`
	} `json:"error"`
}

func exchange(in io.Writer, out io.Reader) (s Server, err error) {
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, maxLine)
	var hello struct {
		ProtocolVersion string `json:"protocolVersion"`
		ServerInfo      struct {
			Name    string `json:"name"`
			Version string `json:"version"`
		} `json:"serverInfo"`
	}
	ask := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"` + Protocol +
		`","capabilities":{},"clientInfo":{"name":"retriever install","version":"1"}}}`
	if err := call(in, lines, "1", ask, &hello); err != nil {
		return s, fmt.Errorf("initialize: %w", err)
	}
	var list struct {
		Tools []Tool `json:"tools"`
	}
	ask = `{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n" +
		`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`
	if err := call(in, lines, "2", ask, &list); err != nil {
		return s, fmt.Errorf("tools/list: %w", err)
	}
	s = Server{hello.ServerInfo.Name, hello.ServerInfo.Version, hello.ProtocolVersion, list.Tools}
	if hello.ProtocolVersion == "" || len(s.Tools) == 0 {
		return s, errors.New("it names no protocol or no tools")
	}
	return s, nil
}

// call sends a request and reads its answer; other messages in between are passed over.
func call(in io.Writer, lines *bufio.Scanner, id, request string, result any) error {
	if _, err := io.WriteString(in, request+"\n"); err != nil {
		return err
	}
	for range maxLines {
		if !lines.Scan() {
			if err := lines.Err(); err != nil {
				return err
			}
			return errors.New("it ended without an answer")
		}
		var m message
		if err := json.Unmarshal(lines.Bytes(), &m); err != nil {
			return errors.New("it prints what is no message of the protocol")
		}
		switch {
		case !bytes.Equal(m.ID, []byte(id)):
		case m.Error != nil:
			return fmt.Errorf("it refuses: %q", m.Error.Message)
		default:
			return json.Unmarshal(m.Result, result)
		}
	}
	return errors.New("it does not answer")
}
