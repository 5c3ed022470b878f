package memory

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// flashPercent is the share of its token limit from which an agent's working context is to be saved and cleared.
const flashPercent = 80

// ShouldFlash reports whether so many tokens of a limit call for a flash save. Without a limit none do.
func ShouldFlash(used, limit int) bool { return limit > 0 && used*100 >= limit*flashPercent }

// Flash asks for a flash save.
type Flash struct {
	Drafts []Draft // what the agent holds in its working context and did not save yet
	TaskID string  // the task it works on
	Used   int     // tokens of its working context, as a note in the checkpoint
	Limit  int
	Hot    int // tokens that HOT may take, about; 0 means those of the options
}

// Flashed is what a flash save did.
type Flashed struct {
	CheckpointID string    `json:"checkpoint_id"`
	Archived     int       `json:"items_archived"`
	HotRetained  int       `json:"hot_items_retained"`
	Saved        []Saved   `json:"-"`        // one for each draft
	Hot          []Item    `json:"items"`    // what the agent goes on with
	Pointers     []Pointer `json:"pointers"` // to what is WARM for want of room
}

// FlashSave lets an agent clear its working context: what it still holds is saved, everything is re-tiered, a
// checkpoint names what is HOT and WARM, COLD items of its own are put away, and HOT is what it goes on with. A crash
// between any two of these steps loses nothing: an item is written at its new place before it is taken from the old
// one, and all of it can be done again.
func (m *Memory) FlashSave(ctx context.Context, who Who, f Flash) (Flashed, error) {
	if err := who.Check(f.TaskID); err != nil {
		return Flashed{}, err
	}
	if f.Used < 0 || f.Limit < 0 || f.Hot < 0 {
		return Flashed{}, invalid("tokens", fmt.Sprintf("%d of %d, %d HOT", f.Used, f.Limit, f.Hot),
			"no negative numbers")
	}
	var out Flashed
	var err error
	if len(f.Drafts) > 0 {
		if out.Saved, err = m.SaveAll(ctx, who, f.Drafts); err != nil {
			return Flashed{}, err
		}
	}
	if _, err = m.Retier(ctx, who, f.TaskID); err != nil {
		return Flashed{}, err
	}
	if err := m.demote(ctx, who, f.TaskID, f.Hot); err != nil {
		return Flashed{}, err
	}
	found, err := m.visible(ctx, who, false, func(it *Item) bool { return it.Tier != Cold })
	if err != nil {
		return Flashed{}, err
	}
	c := Checkpoint{Version: format, Agent: who.Agent, Project: who.Project, CreatedAt: m.now(), TaskID: f.TaskID,
		Used: f.Used, Limit: f.Limit}
	var hot []seen
	for _, s := range found {
		c.Items = append(c.Items, Ref{ID: s.ID, Scope: s.Scope, Tier: s.Tier, Importance: s.Importance})
		if s.Tier == Hot {
			hot = append(hot, s)
		}
	}
	c.Hot, c.Warm = len(hot), len(found)-len(hot)
	if out.CheckpointID, err = m.addCheckpoint(ctx, c); err != nil {
		return Flashed{}, err
	}
	p := placeOf(ScopeTask, who)
	live, err := m.read(ctx, p.live)
	if err != nil {
		return Flashed{}, err
	}
	var cold []*entry
	for _, e := range live.items {
		if e.Tier == Cold {
			cold = append(cold, e)
		}
	}
	if out.Archived, err = m.putAway(ctx, p, cold); err != nil {
		return Flashed{}, err
	}
	out.Pointers = pointers(found)
	out.Hot, out.HotRetained = m.show(ctx, hot), len(hot)
	return out, nil
}

// nextCheckpoint is the id after those of before, the last one first: a number that grows whatever the clock does, and
// a part that no other agent has.
func nextCheckpoint(agent string, at time.Time, before []Checkpoint) string {
	n := 0
	if len(before) > 0 {
		number, _, _ := strings.Cut(strings.TrimPrefix(before[0].ID, "ckp_"), "_")
		n, _ = strconv.Atoi(number) // ours; another form counts as 0 and collides at worst
	}
	return fmt.Sprintf("ckp_%08d_%x", n+1, sha256.Sum256([]byte(agent+at.String())))[:21]
}

// Restored is what came back from a checkpoint.
type Restored struct {
	CheckpointID string   `json:"checkpoint_id"`
	Revived      int      `json:"revived"` // items that had been put away or had faded since
	Missing      []string `json:"missing"` // ids of items that were forgotten since
	Hot          []Item   `json:"items"`   // what the agent goes on with
}

// Restore takes an agent back to a checkpoint ("": its last one): what was HOT or WARM then is live again and as
// important as it was then, at least. What was written since stays. A checkpoint of another agent is ErrForeign, one of
// a newer version ErrNewer.
func (m *Memory) Restore(ctx context.Context, who Who, id string) (Restored, error) {
	if err := who.check(); err != nil {
		return Restored{}, err
	}
	c, err := m.Checkpoint(ctx, who.Agent, id)
	if err != nil {
		return Restored{}, err
	}
	who.Project = cmp.Or(who.Project, c.Project)
	if c.Project != "" && c.Project != who.Project {
		return Restored{}, invalid("project", who.Project,
			fmt.Sprintf("%q, in which checkpoint %q was made", c.Project, c.ID))
	}
	out := Restored{CheckpointID: c.ID, Missing: []string{}}
	for _, scope := range Scopes() {
		var mine []Ref
		for _, r := range c.Items {
			if r.Scope == scope {
				mine = append(mine, r)
			}
		}
		if len(mine) == 0 {
			continue
		}
		n, missing, err := m.revive(ctx, placeOf(scope, who), mine)
		if err != nil {
			return Restored{}, err
		}
		out.Revived += n
		out.Missing = append(out.Missing, missing...)
	}
	if out.Hot, err = m.Load(ctx, who); err != nil {
		return Restored{}, err
	}
	return out, nil
}

// revive makes the items of a checkpoint live and at least as important as they were.
func (m *Memory) revive(ctx context.Context, p place, refs []Ref) (n int, missing []string, err error) {
	var back []string // of all steps
	live, n, err := m.change(ctx, p.live, true, func(live *snapshot) ([]edit, error) {
		away, err := m.read(ctx, p.archive)
		if err != nil {
			return nil, err
		}
		var edits []edit
		missing = nil
		for _, r := range refs {
			e := live.find(r.ID)
			if e == nil {
				if e = away.find(r.ID); e == nil {
					missing = append(missing, r.ID)
					continue
				}
				back = append(back, r.ID)
			} else if e.Importance >= r.Importance && (!e.Demoted || r.Tier != Hot) {
				continue
			}
			it := e.Item
			it.Demoted = it.Demoted && r.Tier != Hot
			it.Importance = max(it.Importance, min(1, r.Importance))
			it.Tier = TierOf(it.Importance)
			edits = append(edits, edit{item: it})
		}
		return edits, nil
	})
	if err != nil {
		return n, missing, err
	}
	if err := m.drop(ctx, p.archive, back); err != nil {
		return n, missing, err
	}
	return n, missing, m.bound(ctx, p, live)
}
