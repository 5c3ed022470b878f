package prompt

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/contextd/contextd/internal/compile"
	"github.com/contextd/contextd/internal/history"
	"github.com/contextd/contextd/internal/memory"
	"github.com/contextd/contextd/internal/receipt"
	"github.com/contextd/contextd/internal/tokens"
)

// turn is a step of the scripted session: a commit of this repository's history is a task, a file that it changed is a
// step (tools/session writes it).
type turn struct {
	Task     string `json:"task"`
	Decision string `json:"decision"` // in a task's last step
	File     string `json:"file"`
	Last     bool   `json:"last"`
}

// script reads the steps whose file is still in the tree.
func script(t *testing.T, root string) (turns []turn) {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", "session.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for in := bufio.NewScanner(f); in.Scan(); {
		var x turn
		if err := json.Unmarshal(in.Bytes(), &x); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(filepath.Join(root, x.File)); err == nil {
			turns = append(turns, x)
		}
	}
	if len(turns) < 180 {
		t.Fatalf("%d of 200 steps are left: write the script again with tools/session", len(turns))
	}
	return turns
}

// ownSources copies this repository's sources, which change while it is worked on.
func ownSources(t *testing.T) map[string]string {
	t.Helper()
	files := map[string]string{}
	for _, top := range []string{"cmd", "internal", "tools", "clients"} {
		err := filepath.WalkDir(filepath.Join("..", "..", top), func(p string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() && d.Name() == "testdata" {
				return filepath.SkipDir
			}
			if d.IsDir() || filepath.Ext(p) != ".go" {
				return nil
			}
			data, err := os.ReadFile(p)
			rel, _ := filepath.Rel(filepath.Join("..", ".."), p)
			files[filepath.ToSlash(rel)] = string(data)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return files
}

// play is a session as a supervisor without contextd would keep it, and what the compiled contexts cost and hold beside
// it.
type play struct {
	*bench
	counter  *tokens.Counter
	kept     int // tokens of all messages so far
	window   []Message
	decided  map[string]string // file → the last decision about it
	whole    int               // tokens of all calls that keep everything
	compiled int               // and of all compiled ones, with the messages of the live window
	needs    int
	found    int
	missing  []string
}

func (p *play) say(role, text string) {
	p.kept += p.counter.Count(text) + perMessage
	p.window = append(p.window, Message{Role: role, Content: text})
}

// windowMessages is how many messages an agent with compiled contexts keeps: two steps.
const windowMessages = 6

// step compiles the context for a step and plays it.
func (p *play) step(x turn, source string) {
	ask := x.Task + "\nNext: change " + x.File
	p.say("user", ask)
	live := p.window[max(0, len(p.window)-windowMessages):]
	task := &Task{Mode: "implement"}
	task.Task = compile.Task{ID: "now", Title: x.Task, Description: "Change " + x.File,
		FileOperations: []compile.FileOperation{{Op: "modify", Path: x.File}}}
	r := p.build(Request{Project: "p", Agent: "developer-1", AgentKind: "developer", Task: task, Conversation: live,
		BudgetTokens: 8000, DeadlineMS: 60_000})
	p.compiled += r.Tokens
	for _, m := range live {
		p.compiled += p.counter.Count(m.Content) + perMessage
	}
	p.whole += p.kept

	var text strings.Builder
	for _, m := range append(r.Messages, live...) {
		text.WriteString(m.Content)
	}
	account, err := p.Receipt(context.Background(), r.ID)
	if err != nil {
		p.t.Fatal(err)
	}
	p.need(strings.Contains(text.String(), source) || slices.ContainsFunc(account.Items, func(l receipt.Line) bool {
		return strings.HasPrefix(l.Source, "file:"+x.File+":") &&
			(l.Decision == receipt.Full || l.Decision == receipt.Compressed)
	}), "code of "+x.File)
	if d := p.decided[x.File]; d != "" {
		p.need(strings.Contains(text.String(), d), "decision on "+x.File+": "+d)
	}
	p.say("tool", source)
	p.say("assistant", "Changed "+x.File+" for: "+x.Task)
}

func (p *play) need(there bool, what string) {
	if p.needs++; there {
		p.found++
	} else {
		p.missing = append(p.missing, what)
	}
}

// end completes a task: what was decided is remembered with the files that it is about.
func (p *play) end(id string, x turn, files []string) {
	p.t.Helper()
	ctx := context.Background()
	decision := x.Task + ": " + x.Decision
	p.say("assistant", decision)
	var cited []memory.Citation
	for _, f := range files {
		cited = append(cited, memory.Citation{Path: f})
		p.decided[f] = x.Decision
	}
	who := memory.Who{Agent: "developer-1", Project: "p"}
	if _, err := p.Memory.Save(ctx, who, memory.Draft{Kind: "decision", Scope: "project", Content: decision, TaskID: id,
		Citations: cited}); err != nil {
		p.t.Fatal(err)
	}
	if _, err := p.History.Complete(ctx, "p",
		history.Task{ID: id, Intent: x.Task, Success: new(true), ChangedFiles: files}); err != nil {
		p.t.Fatal(err)
	}
	if _, err := p.Memory.Retier(ctx, who, id); err != nil {
		p.t.Fatal(err)
	}
	p.later(20 * time.Minute)
}

func TestASessionOfTwoHundredTurnsTakesHalfTheTokensAndKeepsWhatItNeeds(t *testing.T) {
	t.Parallel()
	sources := ownSources(t)
	p := &play{bench: setup(t, sources), decided: map[string]string{}}
	var err error
	if p.counter, err = tokens.For(""); err != nil {
		t.Fatal(err)
	}
	turns := script(t, p.root)
	var files []string
	for i, x := range turns {
		p.step(x, sources[x.File])
		if files = append(files, x.File); x.Last {
			p.end("task-"+time.Duration(i).String(), x, files)
			files = nil
		}
	}
	recall := float64(p.found) / float64(p.needs)
	t.Logf("%d turns: %d tokens compiled, %d kept (%.1f %%); %d of %d needs met (%.3f)", len(turns),
		p.compiled, p.whole, 100*float64(p.compiled)/float64(p.whole), p.found, p.needs, recall)
	if p.compiled*2 > p.whole {
		t.Errorf("%d tokens compiled, more than half of %d", p.compiled, p.whole)
	}
	if recall < .9 {
		t.Errorf("%.3f of what the steps need is there, want at least .9; missing:\n%s", recall,
			strings.Join(p.missing, "\n"))
	}
}
