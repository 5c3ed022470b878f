package mcp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}` + "\n" +
	`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"

const asking = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"search_code","arguments":{"query":"x"}}}` + "\n"

// message is a line of the server.
type message struct {
	ID     json.RawMessage
	Result json.RawMessage
	Error  *struct{ Code int }
}

// talk is what the server says to an input: each line of it must be a message.
func talk(t *testing.T, e Engine, input io.Reader) (said []message) {
	t.Helper()
	s, err := New(Options{Engine: e})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := s.Run(t.Context(), input, &out); err != nil {
		t.Errorf("Run: %v", err)
	}
	for line := range strings.Lines(out.String()) {
		var m message
		if err := json.Unmarshal([]byte(line), &m); err != nil || !strings.HasSuffix(line, "\n") {
			t.Fatalf("%q is no message: %v", line, err)
		}
		said = append(said, m)
	}
	return said
}

func TestWhatWasAskedBeforeTheInputEndedIsAnswered(t *testing.T) {
	t.Parallel()
	said := talk(t, &engine{}, strings.NewReader(hello+asking))
	if len(said) != 2 || string(said[1].ID) != "2" || !strings.Contains(string(said[1].Result), "src/a.go") {
		t.Errorf("said %+v", said)
	}
}

func TestACallThatHangsDoesNotOutliveTheInput(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		talk(t, &engine{block: true}, strings.NewReader(hello+asking))
		if took := time.Since(began); took != drainTimeout {
			t.Errorf("ended after %v, want %v", took, drainTimeout)
		}
	})
}

func TestACallThatWasTakenBackHoldsNothingUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		talk(t, &engine{block: true},
			strings.NewReader(hello+asking+
				`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`+"\n"))
		if took := time.Since(began); took != 0 {
			t.Errorf("ended after %v", took)
		}
	})
}

func TestLinesThatAreNoMessagesAreRefusedAndTheNextIsAnswered(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		line string
		code int
	}{
		"no JSON":      {"nonsense", -32700},
		"cut off":      {`{"jsonrpc":"2.0","id":`, -32700},
		"a number":     {"5", -32600},
		"a batch":      {"[" + strings.TrimSpace(asking) + "]", -32600},
		"other fields": {`{"id":1}`, -32600},
		"too long":     {`"` + strings.Repeat("x", maxLine) + `"`, -32600},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			said := talk(t, &engine{}, strings.NewReader(hello+test.line+"\n\r\n"+asking))
			codes, answered := 0, false
			for _, m := range said {
				if m.Error != nil && m.Error.Code == test.code && string(m.ID) == "null" {
					codes++
				}
				answered = answered || string(m.ID) == "2" && m.Result != nil
			}
			if codes != 1 || !answered {
				t.Errorf("said %+v", said)
			}
		})
	}
}

func TestALongLineIsNotKept(t *testing.T) {
	t.Parallel()
	r := bufio.NewReader(io.MultiReader(strings.NewReader(strings.Repeat("x", 1<<20)), strings.NewReader("\nnext\n")))
	if line, long, err := readLine(r, 1000); len(line) != 0 || cap(line) > 8192 || !long || err != nil {
		t.Errorf("%d bytes kept, long %v, %v", len(line), long, err)
	}
	if line, long, err := readLine(r, 1000); string(line) != "next\n" || long || err != nil {
		t.Errorf("then %q, %v, %v", line, long, err)
	}
}

func FuzzInput(f *testing.F) {
	for _, s := range []string{hello + asking, "[]\n", `{"jsonrpc":"2.0","id":1.5,"method":"tools/call"}`,
		`{"jsonrpc":"2.0","id":1,"result":{}}` + "\n",
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}` + "\n", "\x00\xff\n",
		`{"jsonrpc":"2.0","id":3,"method":"server/discover","params":{"_meta":{}}}` + "\n",
		hello + `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"recall","arguments":[[[[]]]]}}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, input string) { talk(t, &engine{}, strings.NewReader(input)) })
}
