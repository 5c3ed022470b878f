package hook

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"time"

	"github.com/contextd/contextd/internal/prompt"
)

// Store is what hooks need of contextd. It is opened by the first call: most events need none.
type Store interface {
	// Context compiles a context and names the root of its project.
	Context(ctx context.Context, req prompt.Request) (reply *prompt.Reply, root string, err error)
	// Feedback tells how a context was used.
	Feedback(ctx context.Context, id string, f prompt.Feedback) error
	// Compacted says that an agent's window holds nothing any more.
	Compacted(ctx context.Context, agent Agent) error
	// Opening is what stands open in the project of a folder, and what is most important in memory.
	Opening(ctx context.Context, agent Agent, dir, home string) (Opening, error)
	// Given notes memory that was put into the agent's prompt.
	Given(ctx context.Context, agent Agent, project string, memory []Memory) error
}

// Hook answers the events of one kind of agent.
type Hook struct {
	Agent      Agent
	Store      Store
	Dir        string // the folder "hook" of the state
	ProjectDir string // the project's folder as the agent names it; "": the working directory of the event
	WorkDir    string // of this process, for an event that names no folder
	Home       string
	Tokens     int           // that a hook adds at most, about
	Limit      time.Duration // for one event
	Log        *slog.Logger
	Now        func() time.Time
}

// Handle answers one event. say is called at most once, with what the agent is to read; it may be called long before
// Handle returns, and the rest may be given up.
func (h *Hook) Handle(ctx context.Context, e Event, say func([]byte)) error {
	j := h.journal(e)
	switch e.Name {
	case "UserPromptSubmit":
		return h.giveCode(ctx, e, j, say)
	case "SessionStart":
		return h.giveOpening(ctx, e, j, say)
	case "PostToolUse":
		return h.recordToolUse(ctx, e, j)
	case "Stop", "Interrupt", "SubagentStop":
		if e.SubAgent != "" && !OpenJournal(h.Dir, h.Agent, e.Session, e.SubAgent).Exists() {
			return nil // what it did counts for the session, which goes on
		}
		return h.sendPending(ctx, j, e.Answer)
	case "SessionEnd":
		if err := h.sendPending(ctx, j, ""); err != nil {
			return err
		}
		return j.Forget(ctx)
	case "PreCompact":
		return h.recordCompaction(ctx, j)
	}
	return nil
}

// journal is that of the sub-agent where one has its own, else that of the session.
func (h *Hook) journal(e Event) *Journal {
	if e.SubAgent != "" {
		if own := OpenJournal(h.Dir, h.Agent, e.Session, e.SubAgent); own.Exists() || e.Name == "UserPromptSubmit" {
			return own
		}
	}
	return OpenJournal(h.Dir, h.Agent, e.Session, "")
}

// giveCode answers a prompt with code, then sends the feedback of earlier turns that no Stop has sent: a user may
// interrupt an agent.
func (h *Hook) giveCode(ctx context.Context, e Event, j *Journal, say func([]byte)) error {
	if !Asks(e.Prompt) {
		return nil
	}
	dir, err := projectDir(h.ProjectDir, e.Dir, h.Home)
	if err != nil {
		return err
	}
	records, err := j.Read()
	if err != nil {
		return err
	}
	s := stateOf(records)
	req, err := request(h.Agent, e.Prompt, dir, h.Home, h.Tokens, h.Limit, s.held)
	if err != nil {
		return err
	}
	reply, root, err := h.Store.Context(ctx, req)
	if err != nil {
		return fmt.Errorf("find code: %w", err)
	}
	h.Log.Info("code given", "id", reply.ID, "root", root, "pieces", len(reply.Pieces), "status", string(reply.Status),
		"reasons", reply.Reasons, "took_ms", reply.TookMS)
	given := record{Kind: givenPieces, ID: reply.ID, Roots: rootNames(root, dir)}
	if slices.Contains(reply.Reasons, prompt.ReceiptNotStored) ||
		slices.Contains(reply.Reasons, prompt.UsageUnavailable) {
		given.ID = "" // nothing can be learnt from it
	}
	for _, p := range reply.Pieces {
		given.Pieces = append(given.Pieces, newPiece(p))
	}
	// First the record, then the answer: with the other order a hook that ends between the two gives the same again and
	// learns nothing.
	if err := j.Append(ctx, given); err != nil {
		return err
	}
	if text := codeText(root, reply.Pieces); text != "" {
		say(additionalContext(e.Name, text))
	}
	return h.sendFeedback(ctx, j, s.pending(), "")
}

// rootNames are the names below which an agent's paths may lie: the real path, and the folder that it works in if that
// is another name for it.
func rootNames(root, dir string) []string {
	names := []string{root}
	if real, err := filepath.EvalSymlinks(dir); err == nil && real == root && dir != root {
		names = append(names, dir)
	}
	return names
}

// recordToolUse records what a tool did. It reads the journal only for edits, to find given lines that they repeat.
func (h *Hook) recordToolUse(ctx context.Context, e Event, j *Journal) error {
	acts := Acts(e)
	if len(acts) == 0 || !j.Exists() { // nothing was asked yet
		return nil
	}
	var pieces []piece
	if slices.ContainsFunc(acts, func(a Act) bool { return a.Text != "" }) {
		records, err := j.Read()
		if err != nil {
			return err
		}
		s := stateOf(records)
		pieces = s.lastPieces()
	}
	sub := e.SubAgent != "" && !OpenJournal(h.Dir, h.Agent, e.Session, e.SubAgent).Exists()
	records := make([]record, len(acts))
	for i, a := range acts {
		records[i] = newRecord(a, pieces, sub)
	}
	return j.Append(ctx, records...)
}

// sendPending sends the feedback of the turns that ended.
func (h *Hook) sendPending(ctx context.Context, j *Journal, said string) error {
	records, err := j.Read()
	if err != nil {
		return err
	}
	s := stateOf(records)
	return h.sendFeedback(ctx, j, s.pending(), said)
}

// sendFeedback gives feedback on turns, the last first: said belongs to it. It is noted as sent when the store has it;
// to be sent twice does no harm.
func (h *Hook) sendFeedback(ctx context.Context, j *Journal, turns []turn, said string) error {
	for i, t := range slices.Backward(turns) {
		f := t.feedback()
		if i == len(turns)-1 {
			f.Response = said
		}
		if err := h.Store.Feedback(ctx, t.id, f); err != nil {
			if !isUnknownContext(err) {
				return fmt.Errorf("tell what became of %q: %w", t.id, err)
			}
			h.Log.Info("feedback dropped", "id", t.id, "error", err)
		}
		if err := j.Append(ctx, record{Kind: wasSent, ID: t.id}); err != nil {
			return err
		}
	}
	return nil
}

// recordCompaction records that the agent's window is empty.
func (h *Hook) recordCompaction(ctx context.Context, j *Journal) error {
	if j.Exists() {
		if err := j.Append(ctx, record{Kind: wasCompacted}); err != nil {
			return err
		}
	}
	return h.Store.Compacted(ctx, h.Agent)
}

// giveOpening answers the start of a session with blockers and memory, unless the window still holds them.
func (h *Hook) giveOpening(ctx context.Context, e Event, j *Journal, say func([]byte)) error {
	Sweep(h.Dir, h.Now())
	switch e.Source {
	case "resume", "fork":
		return nil
	case "compact":
		if err := h.recordCompaction(ctx, j); err != nil {
			return err
		}
	default: // a new window
		if j.Exists() {
			if err := j.Append(ctx, record{Kind: wasCompacted}); err != nil {
				return err
			}
		}
	}
	dir, err := projectDir(h.ProjectDir, e.Dir, h.Home)
	if err != nil {
		return err
	}
	o, err := h.Store.Opening(ctx, h.Agent, dir, h.Home)
	if err != nil {
		return fmt.Errorf("read what stands open: %w", err)
	}
	text, shown := openingText(o, h.Tokens)
	if text == "" {
		return nil
	}
	if err := h.Store.Given(ctx, h.Agent, o.Project, shown); err != nil {
		// without this it could be remembered again as something new
		return err
	}
	say(additionalContext(e.Name, text))
	return nil
}

// additionalContext is the form in which both agents take text for the prompt.
func additionalContext(event, text string) []byte {
	data, err := json.Marshal(map[string]any{"hookSpecificOutput": map[string]string{"hookEventName": event,
		"additionalContext": text}})
	if err != nil { // of strings: it cannot fail
		return nil
	}
	return append(data, '\n')
}
