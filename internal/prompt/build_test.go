package prompt

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/contextd/contextd/internal/compile"
	"github.com/contextd/contextd/internal/history"
	"github.com/contextd/contextd/internal/memory"
	"github.com/contextd/contextd/internal/profile"
	"github.com/contextd/contextd/internal/receipt"
	"github.com/contextd/contextd/internal/tokens"
)

// prompt is all that an agent is sent.
func prompt(r *Reply) string {
	var b strings.Builder
	for _, m := range r.Messages {
		b.WriteString(m.Content)
	}
	return b.String()
}

func section(t testing.TB, r *Reply, name string) string {
	t.Helper()
	for _, s := range r.Sections {
		if s.Name == name {
			return s.Content
		}
	}
	return ""
}

// line is the account of a piece, by its id or the start of its source.
func account(t testing.TB, b *bench, id, piece string) receipt.Line {
	t.Helper()
	r, err := b.Receipt(context.Background(), id)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range r.Items {
		if l.ID == piece || strings.HasPrefix(l.Source, piece) {
			return l
		}
	}
	return receipt.Line{}
}

// kept is how many pieces stand in a context.
func kept(t testing.TB, b *bench, r *Reply) (n int) {
	t.Helper()
	x, err := b.Receipt(context.Background(), r.ID)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range x.Items {
		if l.Decision != receipt.Dropped {
			n++
		}
	}
	return n
}

func ptr[T any](x T) *T { return &x }

func TestAKnightIsGivenTaskMemoryHistoryAndCode(t *testing.T) {
	t.Parallel()
	b, ctx := setup(t, harbour), context.Background()
	it := b.save(memory.Draft{Kind: "convention", Scope: "project", Content: "errors of the database are wrapped",
		Importance: ptr(.9)})
	if _, err := b.History.Complete(ctx, "p",
		history.Task{ID: "task-041", Intent: "Add sessions", Success: new(true)}); err != nil {
		t.Fatal(err)
	}
	if _, err := b.History.Block(ctx, "p", history.Blocker{ID: "task-040", Reason: "waits for the key"}); err != nil {
		t.Fatal(err)
	}
	r := b.build(task())
	text := prompt(r)
	for _, want := range []string{
		"## Current Task\ntask-042: Delete sessions with their user\n",
		"## Memory\n```text\nmemory:" + it.ID[:12] + " (convention): errors of the database are wrapped\n```\n",
		"## Recent Task History\n1. task-041: \"Add sessions\" (completed: 2026-03-01T12:00:00Z, ✓ success)\n",
		"## Active Blockers\n- task-040: \"waits for the key\" (blocked: 2026-03-01T12:00:00Z)\n",
		"## Relevant Code\nauth/user.go:1-6\n```go\n",
		"\nauth/session_test.go:1-8\n```go\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	if r.Status != OK || len(r.Reasons) != 0 || r.BudgetTokens != 8000 || r.Searched.Files != 5 ||
		r.BestRelevance < .9 || r.PrefixHash == "" || len(r.ID) != 32 {
		t.Errorf("%+v", r)
	}
	if strings.Contains(text, "paraffin") || strings.Contains(text, "Tides") {
		t.Error("the text of what is not relevant was injected")
	}
}

func TestEqualRequestsGiveEqualBytes(t *testing.T) {
	t.Parallel()
	b := setup(t, harbour)
	b.fill(60)
	req := task()
	req.Conversation, req.BudgetTokens = conversation(10, 1), 900
	first := b.build(req)
	for range 5 {
		again := b.build(req)
		if !reflect.DeepEqual(first.Messages, again.Messages) || first.PrefixHash != again.PrefixHash ||
			first.Fingerprint.ID != again.Fingerprint.ID || first.ID == again.ID {
			t.Fatalf("two contexts of one request differ: %+v, %+v", first, again)
		}
		d, err := b.Diff(context.Background(), first.ID, again.ID)
		if err != nil || !d.Same || len(d.Causes) != 0 {
			t.Fatalf("%+v %v", d, err)
		}
	}
}

func TestGates(t *testing.T) {
	t.Parallel()
	b := setup(t, harbour)
	const test = "code:auth/session_test.go#TestDropDeletesSessions"
	unnamed := func(inject, least *float64) Request { // the task does not name the file: relevance alone decides
		req := task()
		req.Task.Description, req.InjectAt, req.MinRelevance = "Fix DeleteUser: it must drop the sessions of the user.",
			inject, least
		return req
	}
	is := account(t, b, b.build(unnamed(nil, ptr(.001))).ID, test).Relevance // how relevant does not matter below
	if is < .01 || is > .8 {
		t.Fatalf("the relevance is %v: no room for thresholds", is)
	}
	below, above := ptr(is*.9), ptr(is*1.1)
	for _, tt := range []struct {
		name         string
		inject, min  *float64
		want         receipt.Decision
		inText, line bool
	}{
		{"between the thresholds: text, for there is room", nil, below, receipt.Full, true, false},
		{"below inject_at, which the caller said: a pointer", above, below, receipt.Pointer, false, true},
		{"from inject_at on: the text", below, below, receipt.Full, true, false},
		{"below min_relevance: nothing", nil, above, "", false, false},
		{"nothing is relevant enough for its text", ptr(1.), below, receipt.Pointer, false, true},
	} {
		r := b.build(unnamed(tt.inject, tt.min))
		l := account(t, b, r.ID, test)
		code := section(t, r, compile.SectionCode)
		if l.Decision != tt.want || strings.Contains(code, "s.Drop(\"ann\")") != tt.inText ||
			strings.Contains(code, "session_test.go:1-8: func Test") != tt.line {
			t.Errorf("%s: %+v in\n%s", tt.name, l, code)
		}
		if tt.want == "" {
			if l := account(t, b, r.ID, "file:auth/session_test.go"); l.Decision != receipt.Dropped ||
				l.Reason != "below_threshold" || l.Kind != kindTest || l.Relevance != is {
				t.Errorf("%s: %+v", tt.name, l)
			}
		}
	}
}

func TestNothingRelevantIsAnAnswer(t *testing.T) {
	t.Parallel()
	b := setup(t, harbour)
	req := task()
	req.Task.Title, req.Task.Description = "zyxwvut qqqplumbus", ""
	r := b.build(req)
	if r.Status != Empty || r.Searched.Chunks == 0 || section(t, r, compile.SectionCode) != "" || len(r.Messages) != 2 {
		t.Errorf("%+v", r)
	}
}

func TestAGreetingRetrievesNothing(t *testing.T) {
	t.Parallel()
	b := setup(t, harbour)
	b.fill(20)
	r := b.build(Request{Project: "p", Conversation: []Message{{Role: "user", Content: "Hello there!"}}})
	if r.Status != Empty || len(r.Sections) != 0 || r.Searched.Chunks != 0 || len(r.Reasons) != 0 {
		t.Errorf("%+v", r)
	}
}

func TestAQuestionNeedsNoTask(t *testing.T) {
	t.Parallel()
	b := setup(t, harbour)
	for _, req := range []Request{
		{Project: "p", Query: "how are sessions deleted"},
		{Project: "p", Conversation: []Message{{Role: "user", Content: "how are sessions deleted?"},
			{Role: "assistant", Content: "let me see"}}},
	} {
		req.DeadlineMS = 60_000
		r := b.build(req)
		if r.Status != OK || !strings.Contains(prompt(r), "auth/session.go") || r.BudgetTokens != 6000 {
			t.Errorf("%+v", r)
		}
	}
}

func TestRequestsThatCannotBe(t *testing.T) {
	t.Parallel()
	b := setup(t, harbour)
	for _, tt := range []struct {
		name, want string
		change     func(r *Request)
	}{
		{"agent", `agent kind "jester" is not known: want one of architect, default, developer, knight, peasant, reviewer, royalty, squire`, func(r *Request) { r.AgentKind = "jester" }},
		{"profile", `jester`, func(r *Request) { r.Profile.Name = "jester" }},
		{"encoding", `encoding "x" is not known: want cl100k_base or o200k_base`, func(r *Request) {
			r.Encoding = "x"
		}},
		{"mode", `task.mode: mode "x" is unknown`, func(r *Request) { r.Task.Mode = "x" }},
		{"frame", `frame "x" is unknown: want one of debug, decision, `, func(r *Request) { r.Frame = "x" }},
		{"no text", `task: it says nothing`, func(r *Request) { r.Task = &Task{} }},
		{"nothing at all", `task: want a task, a query or a conversation`, func(r *Request) { r.Task = nil }},
		{"no project", `project: want a project or a root`, func(r *Request) { r.Project = "" }},
		{"root", `project: open root`, func(r *Request) { r.Root = "/no/such/folder" }},
		{"budget", `budget of 50 tokens is too small: the mandatory part alone needs `, func(r *Request) {
			r.BudgetTokens = 50
		}},
		{"negative budget", `budget_tokens: want a whole number from 1`, func(r *Request) { r.BudgetTokens = -1 }},
		{"deadline", `deadline_ms: want`, func(r *Request) { r.DeadlineMS = -1 }},
		{"min_generation", `min_generation: want a whole number from 0 (got -1)`, func(r *Request) {
			r.MinGeneration = -1
		}},
		{"inject_at", `inject_at: want a number from 0 to 1 (got 1.5)`, func(r *Request) { r.InjectAt = ptr(1.5) }},
		{"min_relevance", `min_relevance: want a number from 0 to 1 (got -1)`, func(r *Request) {
			r.MinRelevance = ptr(-1.)
		}},
		{"no UTF-8", `task.title: want UTF-8`, func(r *Request) { r.Task.Title = "\xff" }},
		{"a long agent", `agent: 300 bytes, want at most 200`, func(r *Request) { r.Agent = strings.Repeat("a", 300) }},
		{"messages", `conversation: 2001 messages`, func(r *Request) { r.Conversation = make([]Message, 2001) }},
	} {
		req := task()
		tt.change(&req)
		_, err := b.Build(context.Background(), req)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
	req := task()
	req.AgentKind, req.Task, req.Query = "developer", nil, "sessions"
	if _, err := b.Build(context.Background(), req); err == nil ||
		err.Error() != `task: agent kind "developer" works on one: want its id, title or description` ||
		!errors.Is(err, compile.ErrNoTask) {
		t.Errorf("a developer without a task: %v", err)
	}
	req = task()
	req.BudgetTokens = 10
	var small *tokens.TooSmallError
	if _, err := b.Build(context.Background(), req); !errors.As(err, &small) || small.Have != 10 || small.Need < 50 {
		t.Errorf("%v", err)
	}
}

// The count is the whole count: every message as a provider reads it.
func TestTheBudgetIsNeverExceeded(t *testing.T) {
	t.Parallel()
	b := setup(t, harbour)
	b.fill(80)
	r := rand.New(rand.NewSource(1))
	for _, encoding := range tokens.Encodings() {
		counter, err := tokens.For(encoding)
		if err != nil {
			t.Fatal(err)
		}
		built := 0
		for i := range 32 {
			req := task()
			req.Encoding, req.BudgetTokens = encoding, 100+r.Intn(2500)
			req.AgentKind = []string{"knight", "squire", "royalty", "peasant", "architect", "developer", "reviewer",
				"default"}[i%8]
			req.Task.Mode = []string{"implement", "analysis_only", "plan", "cheap", ""}[i%5]
			req.InjectAt = ptr(r.Float64())
			reply, err := b.Build(context.Background(), req)
			var small *tokens.TooSmallError
			if errors.As(err, &small) {
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			built++
			sum := 0
			for _, m := range reply.Messages {
				sum += counter.Count(m.Content) + perMessage
			}
			if sum > req.BudgetTokens || sum != reply.Tokens || reply.BudgetTokens != req.BudgetTokens {
				t.Fatalf("%s: %d tokens, said %d, in a budget of %d", req.AgentKind, sum, reply.Tokens,
					req.BudgetTokens)
			}
		}
		if built < 20 {
			t.Fatalf("%d contexts only", built)
		}
	}
}

func TestTheNeededBudgetKeepsThePiece(t *testing.T) {
	t.Parallel()
	b, ctx := setup(t, harbour), context.Background()
	b.fill(60)
	req := task()
	req.BudgetTokens = 400
	r := b.build(req)
	x, err := b.Receipt(ctx, r.ID)
	if err != nil {
		t.Fatal(err)
	}
	tried := 0
	for _, l := range x.Items {
		if l.Reason != "budget" {
			continue
		}
		if l.NeededBudget <= req.BudgetTokens {
			t.Fatalf("%+v: needs no more than there was", l)
		}
		if tried++; tried > 5 {
			break
		}
		more := req
		more.BudgetTokens = l.NeededBudget
		if got := account(t, b, b.build(more).ID, l.ID); got.Decision == receipt.Dropped || got.Decision == l.Decision {
			t.Errorf("with %d tokens %s is %s (%s), before %s", l.NeededBudget, l.ID, got.Decision,
				got.Reason, l.Decision)
		}
	}
	if tried == 0 {
		t.Fatal("everything fits: is this a test?")
	}
}

func TestACheapContextIsCompressedAndSaysByHowMuch(t *testing.T) {
	t.Parallel()
	b := setup(t, harbour)
	long := strings.Repeat("The tide table is printed in spring. Nobody reads the preface. ", 6) +
		"Sessions are dropped with their user. "
	for i := range 8 {
		b.save(memory.Draft{Kind: "plan", Scope: "project", Content: fmt.Sprintf("Plan %d. %s", i, long),
			Importance: ptr(.9)})
	}
	req := task()
	req.Task.Mode = "cheap"
	r := b.build(req)
	if r.Fingerprint.CompressionRatio >= .7 || r.Fingerprint.CompressionRatio <= 0 {
		t.Errorf("%+v", r.Fingerprint)
	}
	if !strings.Contains(section(t, r, compile.SectionMemory), "… Sessions are dropped with their user.") {
		t.Errorf("%s", section(t, r, compile.SectionMemory))
	}
	req.Task.Mode = "implement"
	if full := b.build(req); full.Fingerprint.CompressionRatio != 1 || full.Tokens <= r.Tokens {
		t.Errorf("%+v", full.Fingerprint)
	}
}

func TestHistoryIsLeftOutForATaskThatWantsNone(t *testing.T) {
	t.Parallel()
	b := setup(t, harbour)
	for i := range 7 {
		if _, err := b.History.Complete(context.Background(), "p",
			history.Task{
				ID: fmt.Sprint("t", i), Type: []string{"fix", "docs"}[i%2], Intent: "Do it", Success: new(i != 3),
			}); err != nil {
			t.Fatal(err)
		}
	}
	req := task()
	if h := section(t, b.build(req), compile.SectionHistory); strings.Count(h, "\n") != 4 ||
		!strings.HasPrefix(h, "1. t2:") || !strings.Contains(h, "✗ failed") {
		t.Errorf("%q", h)
	}
	req.Task.Type = "docs"
	if h := section(t, b.build(req), compile.SectionHistory); strings.Count(h, "\n") != 2 {
		t.Errorf("%q", h)
	}
	req.Task.RequiresContext = ptr(false)
	if r := b.build(req); section(t, r, compile.SectionHistory) != "" || len(r.Reasons) != 0 {
		t.Errorf("%+v", r)
	}
}

func TestAMemoryWhoseCodeChangedIsMarked(t *testing.T) {
	t.Parallel()
	b := setup(t, harbour)
	b.save(memory.Draft{Kind: "convention", Scope: "project", Content: "Drop takes the name of a user",
		Importance: ptr(.9), Citations: []memory.Citation{{Path: "auth/session.go"}}})
	const mark = "(convention, verify: what it cites has changed): Drop"
	if m := section(t, b.build(task()), compile.SectionMemory); strings.Contains(m, "verify") || m == "" {
		t.Errorf("marked though nothing changed: %q", m)
	}
	b.write(map[string]string{"auth/session.go": harbour["auth/session.go"] + "\n// more\n"})
	b.refresh()
	if m := section(t, b.build(task()), compile.SectionMemory); !strings.Contains(m, mark) {
		t.Errorf("%q", m)
	}
}

func TestTheEventHasTheDesignsFields(t *testing.T) {
	t.Parallel()
	b := setup(t, harbour)
	r := b.build(task())
	data, err := json.Marshal(r.Event)
	if err != nil {
		t.Fatal(err)
	}
	var fields map[string]any
	if err := json.Unmarshal(data, &fields); err != nil {
		t.Fatal(err)
	}
	var names []string
	for name := range fields {
		names = append(names, name)
	}
	slices.Sort(names)
	if want := "agent_kind budget_tokens fingerprint items_available items_selected profile_id task_id"; strings.Join(
		names, " ") != want {
		t.Errorf("%v, want %s", names, want)
	}
	n := kept(t, b, r)
	if e := r.Event; e.TaskID != "task-042" || e.AgentKind != "knight" || e.ProfileID != "knight" || n < 3 ||
		e.ItemsSelected != n || e.ItemsAvailable < n || e.BudgetTokens != 8000 ||
		e.Fingerprint.ID != r.Fingerprint.ID {
		t.Errorf("%+v", e)
	}
}

// The three examples of the profile design.
func TestProfilesShapeWhatAnAgentSees(t *testing.T) {
	t.Parallel()
	b := setup(t, harbour)
	for kind, text := range map[string]string{"convention": "sessions: errors are wrapped",
		"decision": "sessions live in the database", "tool_output": "sessions: ok 12 tests",
		"summary": "sessions were added in spring", "review": "sessions: the review asked for an index",
		"conversation": "we talked about sessions"} {
		b.save(memory.Draft{Kind: kind, Scope: "project", Content: text, Importance: ptr(.9)})
	}
	for _, tt := range []struct {
		name, kind, override, mode string
		has, not                   []string
		profile                    string
	}{
		{"a knight fixes a bug", "knight", "", "implement", []string{"errors are wrapped", "ok 12 tests",
			"func DeleteUser"}, []string{"added in spring", "we talked"}, "knight"},
		{"royalty plans a refactoring", "royalty", "", "plan", []string{"live in the database", "added in spring",
			"errors are wrapped"}, []string{"func DeleteUser", "ok 12 tests"}, "royalty"},
		{"a squire reviews", "squire", "", "analysis_only", []string{"the review asked", "live in the database"},
			[]string{"ok 12 tests"}, "squire"},
		{"a knight with a squire's eyes", "knight", "squire", "implement", []string{"the review asked"},
			[]string{"ok 12 tests"}, "squire"},
		{"a peasant sees its task", "peasant", "", "", nil,
			[]string{"live in the database", "added in spring", "func DeleteUser", "ok 12 tests"}, "peasant"},
	} {
		req := task()
		req.AgentKind, req.Profile.Name, req.Task.Mode = tt.kind, tt.override, tt.mode
		r := b.build(req)
		text := prompt(r)
		for _, want := range tt.has {
			if !strings.Contains(text, want) {
				t.Errorf("%s: %q is missing in\n%s", tt.name, want, text)
			}
		}
		for _, not := range tt.not {
			if strings.Contains(text, not) {
				t.Errorf("%s: %q is in\n%s", tt.name, not, text)
			}
		}
		if r.Fingerprint.Profile != tt.profile || r.Fingerprint.Mode != tt.mode {
			t.Errorf("%s: %+v", tt.name, r.Fingerprint)
		}
	}
}

func TestAnAgentThatOnlyAProfileKnows(t *testing.T) {
	t.Parallel()
	b := setup(t, harbour)
	set, err := profile.Load([]profile.File{{Name: "mine.yaml",
		Data: []byte("profiles:\n  janitor:\n    inherits: knight\n    agents: [janitor]\n")}})
	if err != nil {
		t.Fatal(err)
	}
	b.Profiles = set
	req := task()
	req.AgentKind = "Janitor"
	if r := b.build(req); !strings.Contains(r.Messages[0].Content, "You are a knight") ||
		r.Fingerprint.Profile != "janitor" {
		t.Errorf("%+v", r)
	}
}

func TestTheFrameSetsTheBudget(t *testing.T) {
	t.Parallel()
	b := setup(t, harbour)
	for frame, want := range map[string]int{
		"conversation": 3000,
		"question":     6000,
		"task":         8000,
		"decision":     12_000,
		"creative":     6000,
		"debug":        10_000,
	} {
		req := task()
		req.Frame = frame
		if r := b.build(req); r.BudgetTokens != want {
			t.Errorf("%s: %d tokens, want %d", frame, r.BudgetTokens, want)
		}
	}
}

func TestAFullWindowAsksForAFlashSave(t *testing.T) {
	t.Parallel()
	b := setup(t, harbour)
	req := task()
	req.InputTokensLimit = 100_000
	for used, want := range map[int]bool{0: false, 79_999: false, 80_000: true} {
		req.InputTokensUsed = used
		if r := b.build(req); r.FlashSave != want {
			t.Errorf("%d of 100000 tokens: %v", used, r.FlashSave)
		}
	}
}

func TestAnUnknownProjectStillHasItsMemory(t *testing.T) {
	t.Parallel()
	b := open(t, filepath.Clean(t.TempDir()))
	b.save(memory.Draft{Kind: "convention", Scope: "project", Content: "errors are wrapped", Importance: ptr(.9)})
	r := b.build(task())
	if r.Status != Degraded || !slices.Equal(r.Reasons, []string{"index_missing"}) ||
		!strings.Contains(prompt(r), "errors are wrapped") {
		t.Errorf("%+v", r)
	}
}

func TestAFileThatTheTaskNamesIsAlwaysThere(t *testing.T) {
	t.Parallel()
	b := setup(t, harbour)
	for name, change := range map[string]func(t *Task){
		"in its text":        func(t *Task) { t.Description = "Look at lamp/keeper.py first." },
		"by its name alone":  func(t *Task) { t.Description = "Look at keeper.py:2 first." },
		"among the mentions": func(t *Task) { t.MentionedFiles = []string{"./lamp/keeper.py"} },
		"by its whole path":  func(t *Task) { t.MentionedFiles = []string{b.root + "/lamp/keeper.py"} },
		"as an operation": func(t *Task) {
			t.FileOperations = []compile.FileOperation{{Op: "modify", Path: "lamp/keeper.py"}}
		},
	} {
		req := task()
		req.Task.Description = ""
		change(req.Task)
		l := account(t, b, b.build(req).ID, "file:lamp/keeper.py:1-3")
		if l.Decision != receipt.Pointer && l.Decision != receipt.Full || l.Scope != profile.Task {
			t.Errorf("%s: %+v", name, l)
		}
		if len(req.Task.FileOperations) == 0 {
			continue
		}
		if l.Decision != receipt.Full { // it is to be changed
			t.Errorf("%s: %+v, want its text", name, l)
		}
		req.InjectAt = ptr(1.)
		if l := account(t, b, b.build(req).ID, "file:lamp/keeper.py:1-3"); l.Decision != receipt.Pointer {
			t.Errorf("%s, inject_at 1: %+v, want a pointer", name, l)
		}
	}
	req := task()
	req.Task.MentionedFiles = []string{"../../etc/passwd", "/etc/passwd", "no/such.go", "*", "[", "{a,b}", "~/x.go",
		strings.Repeat("a/", 3000) + "b.go"}
	if r := b.build(req); r.Status != OK || r.Fingerprint.FileCount < 5 {
		t.Errorf("%+v", r)
	}
}

func TestATaskIsWorkHoweverItIsPut(t *testing.T) {
	t.Parallel()
	b := setup(t, harbour)
	req := task()
	req.Task.Title, req.Task.Description = "Sessions and their users", ""
	if r := b.build(req); r.BudgetTokens != 8000 {
		t.Errorf("%d tokens, want those of a task", r.BudgetTokens)
	}
	req.Frame = "conversation"
	if r := b.build(req); r.BudgetTokens != 3000 {
		t.Errorf("%d tokens, want those of the frame that was asked for", r.BudgetTokens)
	}
}

func TestSecretsOfATaskAreNotInItsReceipt(t *testing.T) {
	t.Parallel()
	b, ctx := setup(t, harbour), context.Background()
	const secret = "AKIA" + "QWERTYUIOPASDFGH"
	req := task()
	req.Task.Description += " The key is " + secret + "."
	req.Task.ID, req.Task.Tags = "fix "+secret, []string{secret}
	r := b.build(req)
	if _, err := b.Feedback(ctx, r.ID, Feedback{Searched: []string{"who uses " + secret}}); err != nil {
		t.Fatal(err)
	}
	account, err := b.Receipt(ctx, r.ID)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(account)
	if err != nil {
		t.Fatal(err)
	}
	req.Agent = "agent " + secret
	if _, err := b.Build(ctx, req); err == nil || strings.Contains(err.Error(), secret) {
		t.Errorf("an agent that is named by a secret: %v", err)
	}
	if strings.Contains(string(text), secret) || !strings.Contains(string(text), "redacted") {
		t.Errorf("the receipt says %s", text)
	}
}

func TestAContextInWhichNothingFitsSaysBudget(t *testing.T) {
	t.Parallel()
	b := setup(t, harbour)
	req := Request{Root: b.root, Query: task().Task.Description, BudgetTokens: 4000}
	full := b.build(req)
	if full.Status != OK || len(full.Reasons) > 0 {
		t.Fatalf("with room: %s %q", full.Status, full.Reasons)
	}
	must := 0
	for _, err := b.Build(context.Background(), req); err == nil && req.BudgetTokens > 1; _,
		err = b.Build(context.Background(), req) {
		must, req.BudgetTokens = req.BudgetTokens, req.BudgetTokens-max(1, req.BudgetTokens/20)
	}
	req.BudgetTokens = must
	if r := b.build(req); r.Status != Degraded || !slices.Contains(r.Reasons, OverBudget) {
		t.Errorf("%d tokens: %s %q", must, r.Status, r.Reasons)
	}
	req.Query, req.BudgetTokens = "zzyzx qwghlm", 0
	if r := b.build(req); slices.Contains(r.Reasons, OverBudget) {
		t.Errorf("nothing found: %s %q", r.Status, r.Reasons)
	}
}
