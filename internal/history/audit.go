package history

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/contextd/contextd/internal/linefile"
	"github.com/contextd/contextd/internal/secret"
)

// Event is one line of the audit log.
type Event struct {
	At      time.Time `json:"at"`
	Event   string    `json:"event"` // task_completed, requires_context, blocked, unblocked
	Project string    `json:"project"`
	Digest  string    `json:"digest,omitempty"` // of a completed task as it came
	Task    *Task     `json:"task,omitempty"`   // whole
	Blocker *Blocker  `json:"blocker,omitempty"`
}

// auditPath is the audit log of a project. Its name holds a hash of the project, so that no two share one, whatever the
// file system makes of letters, and what can be read of the id.
func (h *History) auditPath(project string) string {
	name := strings.Map(func(r rune) rune {
		switch {
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '-', r == '_':
			return r
		}
		return -1
	}, project)
	hash := sha256.Sum256([]byte(project))
	return filepath.Join(h.dir, name[:min(len(name), 60)]+"-"+hex.EncodeToString(hash[:8])+".jsonl")
}

// lock makes this process and goroutine the only one that changes a project's history on this machine.
func (h *History) lock(ctx context.Context, project string) (unlock func(), err error) {
	if err := os.MkdirAll(h.dir, 0o700); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, lockWait)
	defer cancel()
	unlock, err = linefile.Lock(ctx, h.auditPath(project)+".lock")
	if err != nil {
		return nil, fmt.Errorf("lock the history of %q: %w", project, err)
	}
	return unlock, nil
}

const lockWait = 10 * time.Second // for changes of others, each of which takes milliseconds

// audit appends a line for each event and returns when they are on the disk. It requires the lock.
func (h *History) audit(ctx context.Context, project string, events []Event) error {
	var lines []byte
	for _, e := range events {
		e.At, e.Project = h.now().UTC(), project
		line, err := json.Marshal(e)
		if err != nil {
			return err
		}
		if line, err = secret.RedactJSONWithin(ctx, line); err != nil {
			return err
		}
		lines = append(append(lines, line...), '\n')
	}
	f, err := linefile.Open(h.auditPath(project))
	if err != nil {
		return err
	}
	defer f.Close()
	before, err := linefile.Append(f, lines)
	if err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if before == 0 {
		syncDir(h.dir)
	}
	return nil
}

// syncDir makes a new file's name last. Where a folder cannot be synced, the system does it in its own time.
func syncDir(dir string) {
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync()
		d.Close()
	}
}

// Audit calls yield with every event of a project, oldest first, until it returns false. A completion that a crash made
// appear twice in a row comes once. torn counts the lines that are no event: what a crash left of one.
func (h *History) Audit(project string, yield func(Event) bool) (torn int, err error) {
	f, err := os.Open(h.auditPath(project))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("read the audit log of %q: %w", project, err)
	}
	defer f.Close()
	in := bufio.NewReader(f)
	last := ""
	for {
		line, err := in.ReadBytes('\n')
		if err != nil && err != io.EOF {
			return torn, fmt.Errorf("read the audit log of %q: %w", project, err)
		}
		var e Event
		switch {
		case len(line) == 0:
		case json.Unmarshal(line, &e) != nil || e.Event == "":
			torn++
		default:
			key := e.Event + " " + e.Digest
			if e.Task != nil {
				key += e.Task.ID
			}
			if (e.Digest == "" || key != last) && !yield(e) {
				return torn, nil
			}
			last = key
		}
		if err == io.EOF {
			return torn, nil
		}
	}
}
