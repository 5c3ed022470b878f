package prompt

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/contextd/contextd/internal/memory"
	"github.com/contextd/contextd/internal/receipt"
	"github.com/contextd/contextd/internal/secret"
	"github.com/contextd/contextd/internal/store"
	"github.com/contextd/contextd/internal/usage"
)

// MaxReceipts is how many receipts of a project are kept.
const MaxReceipts = 500

// keepWithin bounds how long a reply waits for what is to be remembered of it, unless its deadline is longer.
const keepWithin = 500 * time.Millisecond

// receiptLog is the log that holds the receipts of a project; part is that of shelfOf.
func receiptLog(part string) string { return "receipts:" + part }

// keep remembers a context: its receipt, what went into the agent's prompt, what to learn from. All of it lies in the
// store before the reply goes out, so that feedback finds it even after a crash. What fails is said in the reply.
func (a *Assembler) keep(ctx context.Context, j *job, r *receipt.Receipt, reply *Reply) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), max(keepWithin, j.deadline))
	defer cancel()
	var texts []string
	turn := usage.Turn{ID: r.ID, At: r.At, Agent: j.agent, AgentKind: j.kind, Profile: r.Profile}
	for _, l := range j.choice.kept() {
		s := usage.Shown{ID: l.item.ID, Kind: l.item.Kind, Path: l.path, Text: l.item.Text, Tokens: l.cost,
			FileTokens: j.fileTokens(&l.item)}
		if l.Guess { // mostly unused by its nature: that is not to speak against code
			s.Kind = kindGuess
		}
		switch l.verdict {
		case receipt.Pointer:
			s.Text = l.item.Line
		case receipt.Compressed:
			s.Text = l.short
		}
		texts, turn.Items = append(texts, s.Text), append(turn.Items, s)
	}
	tasks := []source{{reason: ReceiptNotStored, work: func(ctx context.Context) (func(), error) {
		stored := *r
		if err := j.keepFitting(&stored); err != nil {
			return nil, err
		}
		return nil, a.store(ctx, &stored)
	}}}
	if len(texts) > 0 && a.Memory != nil {
		tasks = append(tasks, source{reason: MemoryUnavailable, work: func(ctx context.Context) (func(), error) {
			return nil, a.Memory.NoteInjected(ctx, memory.Who{Agent: j.agent, Project: r.Project}, texts...)
		}})
	}
	if len(turn.Items) > 0 && a.Usage != nil {
		turn.Items = turn.Items[:min(len(turn.Items), usage.MaxItems)]
		tasks = append(tasks, source{reason: UsageUnavailable, work: func(ctx context.Context) (func(), error) {
			return nil, a.Usage.Begin(ctx, r.Project, turn)
		}})
	}
	errs := make([]error, len(tasks))
	var wg sync.WaitGroup
	for i, t := range tasks {
		wg.Go(func() { _, errs[i] = t.work(ctx) })
	}
	wg.Wait()
	for i, err := range errs {
		if err != nil {
			a.log().Warn("context not remembered", "id", r.ID, "reason", tasks[i].reason, "error", err)
			j.degrade(tasks[i].reason)
		}
	}
	reply.Reasons, reply.Status = append([]string{}, j.reasons...), j.status()
}

// store keeps a receipt.
func (a *Assembler) store(ctx context.Context, r *receipt.Receipt) error {
	if a.Store == nil {
		return errNoStore
	}
	data, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("write receipt %q: %w", r.ID, err)
	}
	if data, err = secret.RedactJSONWithin(ctx, data); err == nil {
		_, err = a.Store.Append(ctx, receiptLog(shelfOf(r.Project)), MaxReceipts, data)
	}
	if err != nil {
		return fmt.Errorf("keep receipt %q: %w", r.ID, err)
	}
	return nil
}

var errNoStore = errors.New("there is no store of documents")

// Receipt returns the receipt of a context with what was heard of it since; store.ErrNotFound if it is none of the last
// MaxReceipts of its project.
func (a *Assembler) Receipt(ctx context.Context, id string) (*receipt.Receipt, error) {
	part, ok := projectPart(id)
	if !ok {
		return nil, fmt.Errorf("receipt %.60q: %w", id, store.ErrNotFound)
	}
	if a.Store == nil {
		return nil, errNoStore
	}
	entries, err := a.Store.Last(ctx, receiptLog(part), MaxReceipts)
	if err != nil {
		return nil, fmt.Errorf("look for receipt %q: %w", id, err)
	}
	head := []byte(`{"id":"` + id + `"`) // id is the first field
	for _, e := range entries {
		if bytes.HasPrefix(e.Data, head) {
			return a.readReceipt(ctx, e.Data)
		}
	}
	return nil, fmt.Errorf("receipt %q: %w", id, store.ErrNotFound)
}

// readReceipt reads a receipt and adds what became of its pieces.
func (a *Assembler) readReceipt(ctx context.Context, data []byte) (*receipt.Receipt, error) {
	r := &receipt.Receipt{}
	if err := json.Unmarshal(data, r); err != nil {
		return nil, fmt.Errorf("read a receipt: %w", err)
	}
	if err := fillNeededBudgets(r); err != nil {
		return nil, err
	}
	if a.Usage == nil {
		return r, nil
	}
	report, err := a.Usage.Report(ctx, r.Project, r.ID)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return nil, fmt.Errorf("read what became of %q: %w", r.ID, err)
	}
	if err == nil && len(report.Used)+len(report.Refetched)+len(report.Dead)+len(report.Missed) > 0 {
		r.Outcome = &receipt.Outcome{Used: report.Used, Refetched: report.Refetched, Dead: report.Dead,
			Missed: report.Missed, Precision: report.Precision}
	}
	return r, nil
}

// Receipts returns up to n receipts of a project, the newest first, without what became of them.
func (a *Assembler) Receipts(ctx context.Context, project string, n int) ([]*receipt.Receipt, error) {
	list, err := a.readReceipts(ctx, project, min(max(n, 0), MaxReceipts), func([]byte) bool { return true })
	if err != nil {
		return nil, err
	}
	for _, r := range list {
		if err := fillNeededBudgets(r); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// readReceipts reads those of the last n receipts of a project whose bytes are wanted, the newest first.
func (a *Assembler) readReceipts(
	ctx context.Context, project string, n int, wanted func(data []byte) bool,
) ([]*receipt.Receipt, error) {
	if a.Store == nil {
		return nil, errNoStore
	}
	entries, err := a.Store.Last(ctx, receiptLog(shelfOf(project)), n)
	if err != nil {
		return nil, fmt.Errorf("list receipts of project %q: %w", project, err)
	}
	out := []*receipt.Receipt{}
	for _, e := range entries {
		if !wanted(e.Data) {
			continue
		}
		r := &receipt.Receipt{}
		if err := json.Unmarshal(e.Data, r); err != nil {
			return nil, fmt.Errorf("read a receipt of project %q: %w", project, err)
		}
		if r.Project == project { // another one may share the log
			out = append(out, r)
		}
	}
	return out, nil
}

// Diff tells what changed from one context to another, and why.
func (a *Assembler) Diff(ctx context.Context, from, to string) (*receipt.Changes, error) {
	x, err := a.Receipt(ctx, from)
	if err != nil {
		return nil, err
	}
	y, err := a.Receipt(ctx, to)
	if err != nil {
		return nil, err
	}
	return receipt.Diff(x, y), nil
}
