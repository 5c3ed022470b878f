package history

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/contextd/contextd/internal/store"
)

// Complete records a completed task and returns it as recorded. t.Intent may be any text that says what was to be done;
// without CompletedAt it is now. A blocker of the same id ends with it. The same task again changes nothing; another
// one under its id is ErrDuplicate.
func (h *History) Complete(ctx context.Context, project string, t Task) (Task, error) {
	if err := cmp.Or(t.check(), checkSecret(ctx, "task", t.ID)); err != nil {
		return Task{}, fmt.Errorf("record a task of %q: %w", project, err)
	}
	what := fmt.Sprintf("record task %q", t.ID)
	given := t.CompletedAt
	if given.IsZero() {
		t.CompletedAt = h.now().UTC().Truncate(time.Millisecond)
	}
	t, event, err := h.capture(ctx, t)
	if err != nil {
		return Task{}, fmt.Errorf("%s of %q: %w", what, project, err)
	}
	var recorded Task
	err = h.change(ctx, project, what, func(s State, revs map[string]int64) ([]store.Write, []Event, error) {
		for _, old := range s.Tasks {
			if old.ID != t.ID {
				continue
			}
			if old.digest != t.digest || !given.IsZero() && !given.Equal(old.CompletedAt) {
				return nil, nil, fmt.Errorf("%w (completed %s)", ErrDuplicate, stamp(old.CompletedAt))
			}
			recorded = old
			return nil, nil, nil
		}
		t.seq = s.last + 1
		recorded = t.show()
		data, err := t.record()
		if err != nil {
			return nil, nil, err
		}
		writes := []store.Write{{ID: taskDoc + t.ID, Data: data, If: cmp.Or(revs[taskDoc+t.ID], store.Absent)}}
		if _, ok := revs[blockerDoc+t.ID]; ok {
			writes = append(writes, store.Write{ID: blockerDoc + t.ID})
		}
		writes = append(writes, prune(s.Tasks, 1)...)
		return writes, []Event{event}, nil
	})
	return recorded, err
}

// capture gives a task what is made of it when it completes, and the event for the audit log: with intent and summary,
// whatever the toggle.
func (h *History) capture(ctx context.Context, t Task) (Task, Event, error) {
	digest, err := sum(t)
	if err != nil {
		return t, Event{}, err
	}
	if t, err = redacted(ctx, t); err != nil {
		return t, Event{}, err
	}
	t.digest, t.intent = digest, IntentOf(t.Intent)
	t.summary = SummaryOf(t.intent, t)
	whole := t
	whole.Summary = t.summary
	return t, Event{Event: "task_completed", Digest: digest, Task: &whole}, nil
}

// prune removes the oldest tasks, so that with more of them MaxTasks are there.
func prune(tasks []Task, more int) (writes []store.Write) {
	for _, old := range tasks[:min(len(tasks), max(0, len(tasks)+more-MaxTasks))] {
		writes = append(writes, store.Write{ID: taskDoc + old.ID})
	}
	return writes
}

// SetRequiresContext turns the toggle of a task that is still in the window of MaxTasks; store.ErrNotFound if it is
// not.
func (h *History) SetRequiresContext(ctx context.Context, project, id string, on bool) (Task, error) {
	var changed Task
	err := h.change(ctx, project, fmt.Sprintf("change task %q", shown(ctx, id)), func(
		s State, revs map[string]int64,
	) ([]store.Write, []Event, error) {
		for _, t := range s.Tasks {
			if t.ID != id {
				continue
			}
			was := t.RequiresContext
			t.RequiresContext = on
			changed = t.show()
			if was == on {
				return nil, nil, nil
			}
			data, err := t.record()
			return []store.Write{{ID: taskDoc + id, Data: data, If: revs[taskDoc+id]}},
				[]Event{{Event: "requires_context",
					Task: &Task{ID: id, RequiresContext: on, Success: t.Success, CompletedAt: t.CompletedAt}}}, err
		}
		return nil, nil, fmt.Errorf("%w: no task of this id among the last %d", store.ErrNotFound, MaxTasks)
	})
	return changed, err
}
