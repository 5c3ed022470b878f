package prompt

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/contextd/contextd/internal/compile"
	"github.com/contextd/contextd/internal/history"
	"github.com/contextd/contextd/internal/intent"
	"github.com/contextd/contextd/internal/memory"
	"github.com/contextd/contextd/internal/profile"
	"github.com/contextd/contextd/internal/receipt"
	"github.com/contextd/contextd/internal/retrieve"
	"github.com/contextd/contextd/internal/store"
	"github.com/contextd/contextd/internal/store/sqlite"
	"github.com/contextd/contextd/internal/tokens"
	"github.com/contextd/contextd/internal/usage"
)

func TestASourceThatFailsIsAReasonAndNoError(t *testing.T) {
	t.Parallel()
	closed, err := sqlite.Open(filepath.Join(t.TempDir(), "documents.db"), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	for _, tt := range []struct {
		name   string
		harm   func(b *bench)
		reason []string
	}{
		{"memory", func(b *bench) {
			b.Memory, err = memory.New(closed, memory.Options{})
		}, []string{MemoryUnavailable}},
		{"no memory", func(b *bench) { b.Memory = nil }, []string{MemoryUnavailable}},
		{"history", func(b *bench) {
			b.History = history.New(closed, t.TempDir(), b.now)
		}, []string{HistoryUnavailable}},
		{"usage", func(b *bench) { b.Usage = usage.New(closed, b.now) }, []string{UsageUnavailable}},
		{"receipts", func(b *bench) { b.Store = closed }, []string{ReceiptNotStored}},
		{"no store", func(b *bench) { b.Store = nil }, []string{ReceiptNotStored}},
		{"the index", func(b *bench) {
			b.Code = answers(func(context.Context, retrieve.Request, error) (*retrieve.Reply, error) {
				return nil, errors.New("boom")
			})
		}, []string{"index_missing"}},
		{"everything", func(b *bench) {
			b.Memory, b.History, b.Usage, b.Store, b.Code, b.Find = nil, nil, nil, nil, nil, nil
		},
			[]string{"history_unavailable", "index_missing", "memory_unavailable", "receipt_not_stored",
				"usage_unavailable"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, harbour)
			tt.harm(b)
			r := b.build(task())
			slices.Sort(r.Reasons)
			if r.Status != Degraded || !slices.Equal(r.Reasons, tt.reason) ||
				!strings.Contains(prompt(r), "## Current Task") {
				t.Errorf("%s %v, want %v", r.Status, r.Reasons, tt.reason)
			}
		})
	}
}

func TestASourceThatHangsIsLeftBehindAtTheDeadline(t *testing.T) {
	t.Parallel()
	b := setup(t, harbour)
	b.save(memory.Draft{Kind: "convention", Scope: "project", Content: "errors are wrapped", Importance: ptr(.9)})
	asked, hang := make(chan bool, 8), make(chan bool)
	defer close(hang)
	b.Code = answers(func(context.Context, retrieve.Request, error) (*retrieve.Reply, error) {
		asked <- true
		<-hang // it does not even look at its context
		return nil, nil
	})
	req := task()
	req.DeadlineMS = 2000
	r := b.build(req)
	if r.Status != Degraded || !slices.Equal(r.Reasons, []string{"deadline"}) ||
		!strings.Contains(prompt(r), "errors are wrapped") || len(asked) == 0 {
		t.Errorf("%+v", r)
	}
}

func TestWhatTheConversationSaysIsLeftOut(t *testing.T) {
	t.Parallel()
	b, ctx := setup(t, harbour), context.Background()
	const fact = "Errors of the session database are wrapped with the name of the query"
	it := b.save(memory.Draft{Kind: "convention", Scope: "project", Content: fact, Importance: ptr(.9)})
	req := task()
	req.Conversation = []Message{{Role: "user", Content: "Please remember: " + fact + "."},
		{Role: "assistant", Content: "I will.\n\n" + harbour["auth/user.go"]}}
	r := b.build(req)
	if l := account(t, b, r.ID, it.ID); l.Decision != receipt.Dropped || l.Reason != "redundant" {
		t.Errorf("%+v", l)
	}
	if l := account(t, b, r.ID, "code:auth/user.go#DeleteUser"); l.Decision != receipt.Dropped ||
		l.Reason != "redundant" {
		t.Errorf("code that stands there: %+v", l)
	}
	if l := account(t, b, r.ID, "code:auth/session.go#Drop"); l.Decision != receipt.Full {
		t.Errorf("code that only resembles it: %+v", l)
	}
	other := req
	other.Agent, other.Conversation = "knight-2", nil
	if l := account(t, b, b.build(other).ID, it.ID); l.Decision != receipt.Full {
		t.Errorf("another agent has not read it: %+v", l)
	}
	if err := b.Compacted(ctx, "knight-1"); err != nil {
		t.Fatal(err)
	}
	if l := account(t, b, b.build(req).ID, it.ID); l.Decision != receipt.Full {
		t.Errorf("after the window was compacted: %+v", l)
	}
	req.Conversation = append(req.Conversation, Message{Role: "user", Content: "Again: " + fact})
	if l := account(t, b, b.build(req).ID, it.ID); l.Decision != receipt.Dropped {
		t.Errorf("said again since: %+v", l)
	}
	if err := b.Compacted(ctx, "nobody"); err != nil {
		t.Errorf("an agent without a window: %v", err)
	}
}

func TestACompactionOutlivesTheProcess(t *testing.T) {
	t.Parallel()
	b, ctx := setup(t, harbour), context.Background()
	req := task()
	req.Conversation = conversation(4, 0)
	b.build(req)
	again := &Assembler{Store: b.Store}
	if err := again.Compacted(ctx, "knight-1"); err != nil {
		t.Fatal(err)
	}
	gone, err := again.compactedMessages(ctx, "knight-1")
	if err != nil || len(gone) != 4 {
		t.Errorf("%v %v", gone, err)
	}
}

func TestWhatWasUsedRanksAboveWhatWasIgnored(t *testing.T) {
	t.Parallel()
	b, ctx := setup(t, harbour), context.Background()
	ignored := b.save(memory.Draft{Kind: "convention", Scope: "project",
		Content: "lanterns burn paraffin at every quay", Importance: ptr(1.)})
	used := b.save(memory.Draft{Kind: "convention", Scope: "project",
		Content: "queries carry their timeout inside the context", Importance: ptr(.82)})
	req := task()
	req.Task.Description += " See lamp/keeper.py." // so that it stands there, however relevant it is
	place := func(r *Reply) (int, int) {
		m := section(t, r, compile.SectionMemory)
		return strings.Index(m, "lanterns"), strings.Index(m, "timeout")
	}
	first := b.build(req)
	if i, u := place(first); i < 0 || u < 0 || i > u {
		t.Fatalf("at first the more important one stands above: %d %d", i, u)
	}
	before := used.AccessCount
	for range 3 {
		r := b.build(req)
		b.later(time.Minute)
		report, err := b.Feedback(ctx, r.ID,
			Feedback{Response: "Done: queries carry their timeout inside the context now.",
				Edited: []string{"auth/user.go"},
				Opened: []string{"auth/session_test.go", "lamp/keeper.py", "docs/tides.md"}})
		if err != nil || !slices.Contains(report.Used, used.ID) || !slices.Contains(report.Dead, ignored.ID) ||
			!slices.Contains(report.Used, "code:auth/user.go#DeleteUser") ||
			!slices.Contains(report.Refetched, "code:auth/session_test.go#TestDropDeletesSessions") ||
			!slices.Contains(report.Refetched, "code:lamp/keeper.py#light_lamp") ||
			!slices.Contains(report.Missed, "docs/tides.md") {
			t.Fatalf("%+v %v", report, err)
		}
		x, err := b.Receipt(ctx, r.ID)
		if err != nil || x.Outcome == nil || !slices.Equal(x.Outcome.Used, report.Used) ||
			x.Outcome.Precision != report.Precision {
			t.Fatalf("%+v %v", x.Outcome, err)
		}
	}
	last := b.build(req)
	if i, u := place(last); i < u {
		t.Errorf("the ignored one still stands above: %d %d", i, u)
	}
	// Usage changes the order only: what stands with its text still does.
	for _, id := range []string{
		ignored.ID, used.ID, "code:auth/user.go#DeleteUser", "code:auth/session.go#Drop",
		"code:auth/session_test.go#TestDropDeletesSessions",
	} {
		if x, y := account(t, b, first.ID, id), account(t, b, last.ID, id); x.Decision != y.Decision ||
			x.Relevance != y.Relevance {
			t.Errorf("%s: %+v became %+v", id, x, y)
		}
	}
	it, err := b.Memory.Get(ctx, memory.Who{Agent: "knight-1", Project: "p"}, used.ID)
	if err != nil || it.AccessCount <= before {
		t.Errorf("what was used is no more important: %+v %v", it, err)
	}
	d, err := b.Diff(ctx, first.ID, last.ID)
	if err != nil || !slices.Contains(d.Causes, receipt.CauseUsage) {
		t.Errorf("%+v %v", d, err)
	}
}

func TestFeedbackTwiceCountsOnce(t *testing.T) {
	t.Parallel()
	b, ctx := setup(t, harbour), context.Background()
	it := b.save(memory.Draft{Kind: "convention", Scope: "project",
		Content: "queries carry their timeout inside the context", Importance: ptr(.9)})
	r := b.build(task())
	for range 3 {
		if _, err := b.Feedback(ctx, r.ID,
			Feedback{Response: "queries carry their timeout inside the context"}); err != nil {
			t.Fatal(err)
		}
	}
	got, err := b.Memory.Get(ctx, memory.Who{Agent: "knight-1", Project: "p"}, it.ID)
	if err != nil || got.AccessCount != it.AccessCount+1 {
		t.Errorf("%d uses, want one more than %d (%v)", got.AccessCount, it.AccessCount, err)
	}
}

func TestWhatIsUnknownIsNotFound(t *testing.T) {
	t.Parallel()
	b, ctx := setup(t, harbour), context.Background()
	r := b.build(task())
	for _, id := range []string{
		"", "ctx_", "x", "ctx_zz", strings.Repeat("a", 5000), r.ID[:31] + "x", newID(start, "p"), newID(start, "other"),
		"../" + r.ID,
	} {
		if _, err := b.Receipt(ctx, id); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("%.40q: %v", id, err)
		}
		if _, err := b.Feedback(ctx, id, Feedback{Response: "x"}); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("feedback to %.40q: %v", id, err)
		}
		if _, err := b.Diff(ctx, r.ID, id); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("diff with %.40q: %v", id, err)
		}
	}
}

func TestReceiptsAreBounded(t *testing.T) {
	t.Parallel()
	b, ctx := setup(t, harbour), context.Background()
	var ids []string
	var old [][]byte
	for i := range MaxReceipts + 300 {
		r := &receipt.Receipt{ID: newID(start.Add(time.Duration(i)*time.Second), "p"), Project: "p", At: start}
		ids = append(ids, r.ID)
		if i < MaxReceipts+250 {
			data, err := json.Marshal(r)
			if err != nil {
				t.Fatal(err)
			}
			if old = append(old, data); i == MaxReceipts+249 {
				if _, err := b.Store.Append(ctx, receiptLog(shelfOf("p")), MaxReceipts+300, old...); err != nil {
					t.Fatal(err)
				}
			}
			continue
		}
		if err := b.store(ctx, r); err != nil {
			t.Fatal(err)
		}
	}
	list, err := b.Receipts(ctx, "p", 10_000)
	if err != nil || len(list) != MaxReceipts || list[0].ID != ids[len(ids)-1] {
		t.Fatalf("%d receipts %v", len(list), err)
	}
	if _, err := b.Receipt(ctx, ids[0]); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("the oldest is still there: %v", err)
	}
	if _, err := b.Receipt(ctx, ids[len(ids)-MaxReceipts]); err != nil {
		t.Errorf("one of the last %d is gone: %v", MaxReceipts, err)
	}
	if other, err := b.Receipts(ctx, "q", 10); err != nil || len(other) != 0 {
		t.Errorf("%v %v", other, err)
	}
}

func TestADiffNamesWhatCausedAChange(t *testing.T) {
	t.Parallel()
	b, ctx := setup(t, harbour), context.Background()
	plan := b.save(memory.Draft{Kind: "plan", Scope: "project",
		Content: strings.Repeat("a long plan about sessions and their users ", 12), Importance: ptr(.9)})
	from := b.build(task())
	change := func(cause receipt.Cause, id string, change func(req *Request)) {
		t.Helper()
		req := task()
		change(&req)
		d, err := b.Diff(ctx, from.ID, b.build(req).ID)
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(d.Items, func(c receipt.ItemChange) bool { return c.ID == id })
		if id != "" && (i < 0 || d.Items[i].Cause != cause) || !slices.Contains(d.Causes, cause) {
			t.Errorf("want %s of %q: %+v", cause, id, d)
		}
	}
	tight := task()
	tight.BudgetTokens = 1
	var small *tokens.TooSmallError
	if _, err := b.Build(ctx, tight); !errors.As(err, &small) {
		t.Fatal(err)
	}
	change(receipt.CauseBudget, plan.ID, func(r *Request) { r.BudgetTokens = small.Need + 20 })
	change(receipt.CausePolicy, "code:auth/user.go#DeleteUser", func(r *Request) { r.Profile.Name = "royalty" })
	change(receipt.CauseTask, "", func(r *Request) { r.Task.ID = "task-043" })
	change(receipt.CauseHistory, "", func(*Request) {
		if _, err := b.History.Complete(ctx, "p",
			history.Task{ID: "task-041", Intent: "Add it", Success: new(true)}); err != nil {
			t.Fatal(err)
		}
	})
	change(receipt.CauseMemory, plan.ID, func(*Request) {
		if _, err := b.Memory.Forget(ctx, memory.Who{Agent: "knight-1", Project: "p"}, plan.ID); err != nil {
			t.Fatal(err)
		}
	})
	change(receipt.CauseCode, "code:auth/user.go#DeleteUser", func(*Request) {
		b.write(map[string]string{"auth/user.go": strings.ReplaceAll(harbour["auth/user.go"], "for good", "for ever")})
		b.refresh()
	})
}

func TestWhatWasInjectedCannotBeRememberedAsNew(t *testing.T) {
	t.Parallel()
	b, ctx := setup(t, harbour), context.Background()
	b.save(memory.Draft{Kind: "convention", Scope: "project",
		Content: "errors of the database are wrapped with the name of the query and the table", Importance: ptr(.9)})
	b.build(task())
	who := memory.Who{Agent: "knight-1", Project: "p"}
	for _, text := range []string{
		"errors of the database are wrapped with the name of the query and the table", harbour["auth/user.go"],
	} {
		s, err := b.Memory.Save(ctx, who, memory.Draft{Kind: "fact", Content: text})
		if !errors.Is(err, memory.ErrLoop) && s.Refused == nil {
			t.Errorf("%q was remembered: %+v %v", text, s, err)
		}
	}
	if _, err := b.Memory.Save(ctx, who,
		memory.Draft{Kind: "fact", Content: "the migration has to run before the server starts"}); err != nil {
		t.Errorf("something new: %v", err)
	}
}

func TestRecall(t *testing.T) {
	t.Parallel()
	b, ctx := setup(t, harbour), context.Background()
	it := b.save(memory.Draft{Kind: "decision", Scope: "project",
		Content: "sessions are stored in the database because restarts must not log users out"})
	b.save(memory.Draft{Kind: "fact", Scope: "project", Content: "sessions expire after a day"})
	r, err := b.Recall(ctx, RecallRequest{Agent: "knight-1", Project: "p",
		Query: "why are sessions stored in the database", MemoryType: "decision"})
	if err != nil || len(r.Items) != 1 || r.Items[0].ID != it.ID ||
		!strings.HasPrefix(r.Text, "```text\nmemory:"+it.ID[:12]+" (decision, "+b.now().UTC().Format(time.DateOnly)+
			"): sessions") {
		t.Fatalf("%+v %v", r, err)
	}
	if s, err := b.Memory.Save(ctx, memory.Who{Agent: "knight-1", Project: "p"},
		memory.Draft{Kind: "fact", Content: r.Items[0].Content}); !errors.Is(err, memory.ErrLoop) && s.Refused == nil {
		t.Errorf("what was recalled was remembered as new: %+v %v", s, err)
	}
	if r, err := b.Recall(ctx, RecallRequest{Agent: "knight-1", Project: "p", Query: "sessions"}); err != nil ||
		len(r.Items) != 2 {
		t.Errorf("all types: %+v %v", r, err)
	}
	if r, err := b.Recall(ctx, RecallRequest{Agent: "knight-1", Project: "p", Query: "qqqplumbus"}); err != nil ||
		len(r.Items) != 0 || r.Text != "" {
		t.Errorf("nothing: %+v %v", r, err)
	}
	for _, bad := range []RecallRequest{
		{Query: "x"},
		{Agent: "a"},
		{Agent: "a", Query: "x", MemoryType: "dream"},
		{Agent: "a", Query: "x", Limit: -1},
	} {
		var wrong *RequestError
		if _, err := b.Recall(ctx, bad); !errors.As(err, &wrong) {
			t.Errorf("%+v: %v", bad, err)
		}
	}
}

func TestTheLogSaysWhatWasCompiled(t *testing.T) {
	t.Parallel()
	b := setup(t, harbour)
	var out bytes.Buffer
	b.Log = slog.New(slog.NewJSONHandler(&out, nil))
	r := b.build(task())
	for _, want := range []string{
		`"msg":"context_assembled"`, `"agent_kind":"knight"`, `"profile_id":"knight"`,
		fmt.Sprintf(`"items_selected":%d`, kept(t, b, r)), `"sections":"Current Task, Relevant Code"`,
		`"agent":"knight-1"`, `"system_prompt_length":`, r.Fingerprint.ID,
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%s is not in %s", want, out.String())
		}
	}
}

func TestManyAgentsAtOnce(t *testing.T) {
	t.Parallel()
	b := setup(t, harbour)
	b.fill(30)
	want := b.build(task()).Messages
	errs := make(chan error, 8)
	for i := range 8 {
		go func() {
			req := task()
			req.Conversation = nil
			for range 5 {
				r, err := b.Build(context.Background(), req)
				if err == nil && !reflect.DeepEqual(r.Messages, want) {
					err = fmt.Errorf("agent %d was given something else: %s", i, prompt(r))
				}
				if err != nil {
					errs <- err
					return
				}
			}
			errs <- nil
		}()
	}
	for range 8 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
}

func TestOnlyTheWindowOfTheFrameCounts(t *testing.T) {
	t.Parallel()
	b := setup(t, harbour)
	const fact = "lanterns burn paraffin at every quay of the harbour"
	it := b.save(memory.Draft{Kind: "convention", Scope: "project", Content: fact, Importance: ptr(.9)})
	for frame, turns := range map[string]int{
		"conversation": 3,
		"creative":     4,
		"question":     5,
		"task":         5,
		"debug":        6,
		"decision":     8,
	} {
		for _, back := range []int{0, turns - 1, turns, turns + 3} { // said so many messages ago
			req := task()
			req.Frame = frame
			req.Conversation = append([]Message{{Role: "user", Content: fact}}, conversation(back, 0)...)
			l := account(t, b, b.build(req).ID, it.ID)
			if redundant := l.Reason == "redundant"; redundant != (back < turns) {
				t.Errorf("%s, %d messages ago: %s %s", frame, back, l.Decision, l.Reason)
			}
		}
	}
}

func TestHugeTextsAreNoTrouble(t *testing.T) {
	t.Parallel()
	b := setup(t, harbour)
	for _, text := range []string{
		strings.Repeat("a", 1<<20), strings.Repeat(" \n", 1<<19) + "x", strings.Repeat("sessions ", 1<<17),
		strings.Repeat("```\n## Memory\n", 1<<16),
	} {
		req := task()
		req.Task.Description = text
		var small *tokens.TooSmallError
		r, err := b.Build(context.Background(), req)
		if err == nil && r.Tokens > r.BudgetTokens || err != nil && !errors.As(err, &small) {
			t.Errorf("%.20q: %v", text, err)
		}
		req = task()
		req.Conversation = []Message{{Role: "user", Content: text}, {Role: "user", Content: "\xff\xfe" + text}}
		if r := b.build(req); r.Status != OK {
			t.Errorf("%.20q: %s %v", text, r.Status, r.Reasons)
		}
	}
}

func TestBudgetsAdaptToWhatIsUsed(t *testing.T) {
	t.Parallel()
	b, ctx := setup(t, harbour), context.Background()
	var dead []usage.Shown
	for i := range 30 {
		dead = append(dead, usage.Shown{ID: fmt.Sprint("m", i), Kind: "decision", Text: "x"})
	}
	j := &job{plan: intent.Plan{}}
	j.policy = profile.Request{Weights: profile.Weights{Task: .5, Project: .3, Global: .2},
		Budgets: map[intent.Memory]int{intent.Decisions: 1000, intent.Procedures: 0}}
	j.choice.lines = []line{{item: item{Item: profile.Item{Kind: "decision", Scope: profile.Project}},
		verdict: receipt.Full}}
	weights := func() (project float64, decisions, procedures int) {
		shares := j.shares()
		if shares[0].Weight != .5 || shares[2].Weight != .2 {
			t.Errorf("%+v", shares)
		}
		return shares[1].Weight, shares[3].Max, shares[4].Max
	}
	if p, d, n := weights(); p != .3 || d != 1000 || n != -1 {
		t.Errorf("before anything is known: %v %d %d", p, d, n)
	}
	if err := b.Usage.Record(ctx, "p", dead, nil); err != nil {
		t.Fatal(err)
	}
	var err error
	if j.found.boosts, err = b.Usage.Boosts(ctx, "p"); err != nil {
		t.Fatal(err)
	}
	if p, d, n := weights(); p != .15 || d != 500 || n != -1 {
		t.Errorf("after nobody used a decision: %v %d %d", p, d, n)
	}
}
