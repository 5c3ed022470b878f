package hook

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
)

func TestEventsOfBothAgentsAreRead(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		in   string
		want Event
	}{
		"Claude Code, prompt": {
			`{"session_id":"b3","transcript_path":"/h/t.jsonl","cwd":"/srv/web","permission_mode":"default","hook_event_name":"UserPromptSubmit","prompt":"why does login fail"}`,
			Event{Name: "UserPromptSubmit", Session: "b3", Dir: "/srv/web", Prompt: "why does login fail"}},
		"Claude Code, start": {
			`{"session_id":"b3","cwd":"/srv/web","hook_event_name":"SessionStart","source":"compact","model":"m"}`,
			Event{Name: "SessionStart", Session: "b3", Dir: "/srv/web", Source: "compact"}},
		"Claude Code, stop": {
			`{"session_id":"b3","cwd":"/srv/web","hook_event_name":"Stop","stop_hook_active":false,"last_assistant_message":"Done."}`,
			Event{Name: "Stop", Session: "b3", Dir: "/srv/web", Answer: "Done."}},
		"Claude Code, sub-agent": {
			`{"session_id":"b3","agent_id":"a1","agent_type":"Explore","cwd":"/srv/web","hook_event_name":"SubagentStop"}`,
			Event{Name: "SubagentStop", Session: "b3", SubAgent: "a1", Dir: "/srv/web"}},
		"Codex, prompt": {
			`{"session_id":"019a","turn_id":"7","transcript_path":null,"cwd":"/srv/web","hook_event_name":"UserPromptSubmit","model":"m","permission_mode":"default","prompt":"add a flag"}`,
			Event{Name: "UserPromptSubmit", Session: "019a", Dir: "/srv/web", Prompt: "add a flag"}},
		"Codex, compaction": {
			`{"session_id":"019a","turn_id":"7","transcript_path":null,"cwd":"/srv/web","hook_event_name":"PreCompact","model":"m","trigger":"auto"}`,
			Event{Name: "PreCompact", Session: "019a", Dir: "/srv/web"}},
		"a field of another type counts as missing": {
			`{"session_id":["x"],"cwd":7,"hook_event_name":"Stop","last_assistant_message":null}`, Event{Name: "Stop"}},
		"an event that nobody knows yet": {`{"hook_event_name":"Moonrise","phase":{"of":[1,2]}}`,
			Event{Name: "Moonrise"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := Read(strings.NewReader(tt.in))
			if err != nil || got.Name != tt.want.Name || got.Session != tt.want.Session ||
				got.SubAgent != tt.want.SubAgent || got.Dir != tt.want.Dir || got.Prompt != tt.want.Prompt ||
				got.Source != tt.want.Source || got.Answer != tt.want.Answer {
				t.Errorf("%+v, %v", got, err)
			}
		})
	}
}

func TestWhatIsNoEventIsRefused(t *testing.T) {
	t.Parallel()
	for name, in := range map[string]string{
		"nothing": "", "no JSON": "hello", "a list": "[]", "a number": "7", "cut off": `{"hook_event_name":"Stop"`,
		"without a name": `{"session_id":"x"}`, "a name of another type": `{"hook_event_name":5}`,
		"nested too deep": `{"hook_event_name":"Stop","x":` + strings.Repeat("[", 20_000) +
			strings.Repeat("]", 20_000) + "}",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if e, err := Read(strings.NewReader(in)); !errors.Is(err, errInput) {
				t.Errorf("%+v, %v", e, err)
			}
		})
	}
}

// counted counts what was taken from it.
type counted struct {
	io.Reader
	n int
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.n += n
	return n, err
}

func TestNoMoreThanOneMegabyteOfAnEventIsRead(t *testing.T) {
	t.Parallel()
	for name, in := range map[string][]byte{
		"garbage":       bytes.Repeat([]byte{0xff}, 4*MaxInput),
		"a long string": append([]byte(`{"hook_event_name":"Stop","x":"`), bytes.Repeat([]byte("a"), 4*MaxInput)...),
		"a long list":   append([]byte(`{"hook_event_name":"Stop","x":[`), bytes.Repeat([]byte("1,"), 2*MaxInput)...),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := &counted{Reader: bytes.NewReader(in)}
			if _, err := Read(r); err == nil || r.n > MaxInput+1 {
				t.Errorf("read %d bytes: %v", r.n, err)
			}
		})
	}
}

func TestAnEventIsReadWithoutTheEndOfTheStream(t *testing.T) {
	t.Parallel()
	r, w := io.Pipe()
	go func() { _, _ = w.Write([]byte(`{"hook_event_name":"Stop"}` + "\n")) }() // and it stays open
	if e, err := Read(r); err != nil || e.Name != "Stop" {
		t.Errorf("%+v, %v", e, err)
	}
	r.Close()
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"hook_event_name":"PostToolUse","cwd":"/w","tool_name":"Bash","tool_input":{"command":"sed -n '1,2p' a.go | cat > b"}}`))
	f.Add([]byte(`{"hook_event_name":"PostToolUse","cwd":"/w","tool_name":"apply_patch","tool_input":{"command":"*** Begin Patch\n*** Update File: a.go\n+x\n"}}`))
	f.Add([]byte(`{"hook_event_name":"PostToolUse","cwd":"/w","tool_name":"Read","tool_input":{"file_path":"a.go","offset":"1"},"tool_response":[]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		e, err := Read(bytes.NewReader(data))
		if err != nil {
			return
		}
		acts := Acts(e)
		if len(acts) > maxActs {
			t.Errorf("%d acts", len(acts))
		}
		for _, a := range acts {
			if (a.File == "") == (a.Query == "") {
				t.Errorf("neither file nor query, or both: %+v", a)
			}
		}
		Asks(e.Prompt)
	})
}
