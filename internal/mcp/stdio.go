package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	maxLine      = 8 << 20         // bytes of one message: the longest question with each byte escaped as a pair
	drainTimeout = 5 * time.Second // how long calls may take to end once the input has ended
)

// Run answers one client until in ends, which is a good end, or ctx does. It writes nothing to out but messages, a line
// each. in is read by a goroutine that ends with it.
func (s *Server) Run(ctx context.Context, in io.Reader, out io.Writer) error {
	err := s.sdk.Run(ctx, &lineTransport{in: in, out: out})
	if errors.Is(err, io.EOF) || ctx.Err() != nil {
		return nil
	}
	if err != nil {
		return fmt.Errorf("talk to the client: %w", err)
	}
	return nil
}

// lineTransport is a connection of messages that are a line of JSON each. Unlike the SDK's own it survives a line that
// is no message: it is answered with an error. And calls that were sent before the input ended are answered.
type lineTransport struct {
	in  io.Reader
	out io.Writer

	mu      sync.Mutex   // guards out and what is below
	pending map[any]bool // ids of calls without an answer
	idle    chan struct{}
	ended   bool // the input has ended

	msgs   chan jsonrpc.Message
	closed chan struct{}
	once   sync.Once
}

// Connect implements sdk.Transport.
func (l *lineTransport) Connect(context.Context) (sdk.Connection, error) {
	l.pending = map[any]bool{}
	l.msgs, l.closed, l.idle = make(chan jsonrpc.Message), make(chan struct{}), make(chan struct{})
	go l.read()
	return l, nil
}

// SessionID implements sdk.Connection: there are no sessions.
func (l *lineTransport) SessionID() string { return "" }

// Close implements sdk.Connection.
func (l *lineTransport) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

// Read implements sdk.Connection.
func (l *lineTransport) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case m, ok := <-l.msgs:
		if ok {
			return m, nil
		}
	case <-l.closed:
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	end := time.NewTimer(drainTimeout)
	defer end.Stop()
	select {
	case <-l.idle:
	case <-end.C:
	case <-l.closed:
	case <-ctx.Done():
	}
	return nil, io.EOF
}

// Write implements sdk.Connection.
func (l *lineTransport) Write(_ context.Context, m jsonrpc.Message) error {
	data, err := jsonrpc.EncodeMessage(m)
	if err != nil {
		return fmt.Errorf("encode an answer: %w", err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	_, err = l.out.Write(append(data, '\n'))
	if answer, ok := m.(*jsonrpc.Response); ok {
		delete(l.pending, answer.ID.Raw())
		l.rest()
	}
	return err
}

// rest tells Read that nothing is left to answer. The caller holds mu.
func (l *lineTransport) rest() {
	if l.ended && len(l.pending) == 0 {
		select {
		case <-l.idle:
		default:
			close(l.idle)
		}
	}
}

// read passes on the messages of the input until it ends.
func (l *lineTransport) read() {
	defer func() {
		l.mu.Lock()
		l.ended = true
		l.rest()
		l.mu.Unlock()
		close(l.msgs)
	}()
	r := bufio.NewReaderSize(l.in, 64<<10)
	for {
		line, long, err := readLine(r, maxLine)
		switch line = bytes.TrimSpace(line); {
		case long:
			l.refuse(jsonrpc.CodeInvalidRequest, fmt.Sprintf("the message has over %d bytes", maxLine))
		case len(line) == 0: // between messages
		default:
			if m := l.decode(line); m != nil {
				select {
				case l.msgs <- m:
				case <-l.closed:
					return
				}
			}
		}
		if err != nil {
			return
		}
	}
}

// decode is the message of a line; nil for none, which is answered.
func (l *lineTransport) decode(line []byte) jsonrpc.Message {
	if !json.Valid(line) {
		l.refuse(jsonrpc.CodeParseError, "the line is no JSON")
		return nil
	}
	m, err := jsonrpc.DecodeMessage(line)
	if err != nil {
		l.refuse(jsonrpc.CodeInvalidRequest, "want one message of JSON-RPC 2.0 in a line")
		return nil
	}
	if req, ok := m.(*jsonrpc.Request); ok {
		l.note(req)
	}
	return m
}

// note keeps the calls that are to be answered: not those that the client takes back.
func (l *lineTransport) note(req *jsonrpc.Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var cancelled struct{ RequestID any }
	switch {
	case req.IsCall():
		l.pending[req.ID.Raw()] = true
	case req.Method == "notifications/cancelled" && json.Unmarshal(req.Params, &cancelled) == nil:
		if id, err := jsonrpc.MakeID(cancelled.RequestID); err == nil {
			delete(l.pending, id.Raw())
		}
	}
}

// refuse answers a line that is no message.
func (l *lineTransport) refuse(code int, text string) {
	data, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": nil,
		"error": map[string]any{"code": code, "message": text}})
	if err != nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	_, _ = l.out.Write(append(data, '\n')) // the next answer tells who is gone
}

// readLine reads a line of at most most bytes; of a longer one, which it reads to its end, nothing is kept.
func readLine(r *bufio.Reader, most int) (line []byte, long bool, err error) {
	for {
		part, err := r.ReadSlice('\n')
		if long = long || len(line)+len(part) > most; long {
			line = nil
		} else {
			line = append(line, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, long, err
		}
	}
}
