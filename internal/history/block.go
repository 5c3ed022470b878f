package history

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/contextd/contextd/internal/store"
)

// Block says that a task cannot go on. Without BlockedAt it is now. A second reason for one task replaces the first;
// since when it is blocked stays.
func (h *History) Block(ctx context.Context, project string, b Blocker) (Blocker, error) {
	if err := cmp.Or(checkID("blocker", b.ID), checkSecret(ctx, "blocker", b.ID)); err != nil {
		return Blocker{}, fmt.Errorf("block in %q: %w", project, err)
	}
	reason, err := h.reason(ctx, b.Reason)
	if err != nil {
		return Blocker{}, fmt.Errorf("block task %q of %q: %w", b.ID, project, err)
	}
	b.Reason = reason
	err = h.change(ctx, project, fmt.Sprintf("block task %q", b.ID), func(
		s State, revs map[string]int64,
	) ([]store.Write, []Event, error) {
		for _, old := range s.Blockers {
			if old.ID != b.ID {
				continue
			}
			same := old.Reason == b.Reason
			b.BlockedAt, b.rest = old.BlockedAt, old.rest
			if same {
				return nil, nil, nil
			}
		}
		if revs[blockerDoc+b.ID] == 0 && len(s.Blockers) >= MaxBlockers {
			return nil, nil, fmt.Errorf("%w (%d are)", ErrFull, len(s.Blockers))
		}
		if b.BlockedAt.IsZero() {
			b.BlockedAt = h.now().UTC().Truncate(time.Millisecond)
		}
		data, err := b.MarshalJSON()
		return []store.Write{{ID: blockerDoc + b.ID, Data: data, If: cmp.Or(revs[blockerDoc+b.ID], store.Absent)}},
			[]Event{{Event: "blocked", Blocker: &b}}, err
	})
	return b, err
}

// Unblock ends a blocker; store.ErrNotFound if there is none.
func (h *History) Unblock(ctx context.Context, project, id string) error {
	return h.change(ctx, project, fmt.Sprintf("unblock task %q", shown(ctx, id)), func(
		s State, revs map[string]int64,
	) ([]store.Write, []Event, error) {
		if revs[blockerDoc+id] == 0 {
			return nil, nil, fmt.Errorf("%w: it is not blocked", store.ErrNotFound)
		}
		b := Blocker{ID: id}
		return []store.Write{{ID: blockerDoc + id, If: revs[blockerDoc+id]}},
			[]Event{{Event: "unblocked", Blocker: &b}}, nil
	})
}

// reason is a reason as it is kept: one line, no secrets.
func (h *History) reason(ctx context.Context, text string) (string, error) {
	clean, err := redact(ctx, text)
	return cut(strings.Join(strings.Fields(clean), " "), maxReason), err
}
