package prompt

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"github.com/contextd/contextd/internal/receipt"
	"github.com/contextd/contextd/internal/store"
	"github.com/contextd/contextd/internal/store/shelves"
)

// An agent's window is the conversation that it sent last: a log of one entry, "window:" and the agent, holds the
// hashes of its messages. When the window is compacted they move to the document "gone" of the shelf ("windows",
// agent): who sends them again later has them no more, and what they say is not redundant.

const windowBucket = "windows"

// goneDoc are the hashes of an agent's messages that were compacted away, the newest last.
var goneDoc = shelves.JSON[[]string]("gone")

// windows remembers what was written last, so that a window that did not change costs nothing.
type windows struct {
	mu   sync.Mutex // guards last
	last map[string]string
}

// changed notes an agent's window and reports whether it is another than before.
func (w *windows) changed(agent, digest string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.last[agent] == digest {
		return false
	}
	if w.last == nil || len(w.last) >= maxWindows {
		w.last = map[string]string{}
	}
	w.last[agent] = digest
	return true
}

// forget makes the next window of an agent a new one.
func (w *windows) forget(agent string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.last, agent)
}

const maxWindows = 10_000

// keepWindow remembers the window of an agent.
func (a *Assembler) keepWindow(ctx context.Context, agent string, conversation []Message) error {
	hashes := make([]string, len(conversation))
	for i, m := range conversation {
		hashes[i] = receipt.ShortHash(m.Content)
	}
	data, err := json.Marshal(hashes)
	if err != nil {
		return fmt.Errorf("write the window of %q: %w", agent, err)
	}
	if !a.windows.changed(agent, receipt.ShortHash(string(data))) {
		return nil
	}
	if _, err := a.Store.Append(ctx, "window:"+agent, 1, data); err != nil {
		a.windows.forget(agent)
		return fmt.Errorf("keep the window of %q: %w", agent, err)
	}
	return nil
}

// compactedMessages are the hashes of the messages that an agent had before it was compacted.
func (a *Assembler) compactedMessages(ctx context.Context, agent string) (map[string]bool, error) {
	list, _, err := goneDoc.Get(ctx, a.Store, store.Shelf{Bucket: windowBucket, Owner: agent})
	if err != nil {
		return nil, fmt.Errorf("read the window of %q: %w", agent, err)
	}
	gone := make(map[string]bool, len(list))
	for _, h := range list {
		gone[h] = true
	}
	return gone, nil
}

// Compacted says that an agent's window was compacted: of the messages that it had none makes anything redundant any
// more.
func (a *Assembler) Compacted(ctx context.Context, agent string) error {
	if a.Store == nil {
		return errNoStore
	}
	if agent == "" || len(agent) > maxAgent {
		return invalid("agent", "want 1 to %d bytes", maxAgent)
	}
	entries, err := a.Store.Last(ctx, "window:"+agent, 1)
	if err != nil {
		return fmt.Errorf("read the window of %q: %w", agent, err)
	}
	if len(entries) == 0 {
		return nil
	}
	var had []string
	if err := json.Unmarshal(entries[0].Data, &had); err != nil {
		return fmt.Errorf("read the window of %q: %w", agent, err)
	}
	err = goneDoc.Update(ctx, a.Store, store.Shelf{Bucket: windowBucket, Owner: agent}, func(
		list []string, _ bool,
	) (*[]string, error) {
		for _, h := range had {
			if !slices.Contains(list, h) {
				list = append(list, h)
			}
		}
		list = list[max(0, len(list)-MaxMessages):]
		return &list, nil
	})
	a.windows.forget(agent)
	if err != nil {
		return fmt.Errorf("change the window of %q: %w", agent, err)
	}
	return nil
}
