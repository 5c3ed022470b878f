package hook

import (
	"bytes"
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
)

// Journal is the file of one session: a line of JSON for each record, only ever appended, under a lock of its own, so
// that several hooks at once, also of other processes, lose nothing. A line that a killed process left half written is
// passed over, and the next one begins again. Over maxJournal the older half goes.
type Journal struct {
	dir  string // the folder "hook" of the state
	name string // "": there is no session, and nothing is kept
}

const (
	maxJournal    = 256 << 10          // bytes
	journalMaxAge = 7 * 24 * time.Hour // sessions that nothing was heard of for so long are forgotten
	maxSweptFiles = 500                // files that one sweep looks at
	journalSuffix = ".jsonl"
	lockSuffix    = ".lock"
)

// OpenJournal is the journal of a session of an agent, or of a sub-agent in it. Its file is named for a hash of theirs:
// what agents call their sessions is no name for a file. It makes nothing yet.
func OpenJournal(dir string, agent Agent, session, sub string) *Journal {
	if session == "" {
		return &Journal{}
	}
	sum := sha256.Sum256([]byte(string(agent) + "\x00" + session + "\x00" + sub))
	return &Journal{dir: dir, name: hex.EncodeToString(sum[:12])}
}

func (j *Journal) path() string { return filepath.Join(j.dir, j.name+journalSuffix) }

// Exists reports whether anything was kept.
func (j *Journal) Exists() bool {
	info, err := os.Lstat(j.path())
	return j.name != "" && err == nil && info.Mode().IsRegular()
}

// Read returns the records. None is no error.
func (j *Journal) Read() ([]record, error) {
	if j.name == "" {
		return nil, nil
	}
	f, err := os.Open(j.path())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the session: %w", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, 2*maxJournal))
	if err != nil {
		return nil, fmt.Errorf("read the session: %w", err)
	}
	return parse(data), nil
}

// parse passes over lines that are none.
func parse(data []byte) (records []record) {
	for line := range bytes.Lines(data) {
		var r record
		if json.Unmarshal(line, &r) == nil && r.Kind != "" {
			records = append(records, r)
		}
	}
	return records
}

// Append adds records in one write.
func (j *Journal) Append(ctx context.Context, records ...record) error {
	if j.name == "" || len(records) == 0 {
		return nil
	}
	var lines []byte
	for _, r := range records {
		line, err := json.Marshal(r)
		if err != nil {
			return fmt.Errorf("write the session: %w", err)
		}
		lines = append(append(lines, line...), '\n')
	}
	unlock, err := j.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	if err := j.append(lines); err != nil {
		return fmt.Errorf("write the session: %w", err)
	}
	return nil
}

// append requires the lock.
func (j *Journal) append(lines []byte) error {
	if info, err := os.Stat(j.path()); err == nil && info.Size() > maxJournal {
		if err := j.dropOlderHalf(info.Size()); err != nil {
			return err
		}
	}
	f, err := linefile.Open(j.path())
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = linefile.Append(f, lines)
	return err
}

// dropOlderHalf keeps the newer half of the file, from the start of a line on.
func (j *Journal) dropOlderHalf(size int64) error {
	f, err := os.Open(j.path())
	if err != nil {
		return err
	}
	rest := make([]byte, maxJournal/2)
	_, err = f.ReadAt(rest, size-int64(len(rest)))
	f.Close() // some systems rename nothing over an open file
	if err != nil {
		return err
	}
	if i := bytes.IndexByte(rest, '\n'); i >= 0 {
		rest = rest[i+1:]
	}
	fresh := j.path() + ".new"
	if err := os.WriteFile(fresh, rest, 0o600); err != nil {
		return err
	}
	return os.Rename(fresh, j.path())
}

// lock makes this process the only one that writes the journal. It gives up with ctx.
func (j *Journal) lock(ctx context.Context) (unlock func(), err error) {
	if err := os.MkdirAll(j.dir, 0o700); err != nil {
		return nil, fmt.Errorf("write the session: %w", err)
	}
	unlock, err = linefile.Lock(ctx, filepath.Join(j.dir, j.name+lockSuffix))
	if err != nil {
		return nil, fmt.Errorf("lock the session: %w", err)
	}
	return unlock, nil
}

// Forget removes the journal. The lock stays for [Sweep]: somebody may hold it.
func (j *Journal) Forget(ctx context.Context) error {
	if j.name == "" {
		return nil
	}
	unlock, err := j.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	if err := os.Remove(j.path()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("forget the session: %w", err)
	}
	return nil
}

// Sweep removes what is left of sessions of which nothing was heard for a week.
func Sweep(dir string, now time.Time) {
	d, err := os.Open(dir)
	if err != nil {
		return
	}
	defer d.Close()
	entries, _ := d.ReadDir(maxSweptFiles)
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), journalSuffix) && !strings.HasSuffix(e.Name(), lockSuffix) &&
			!strings.HasSuffix(e.Name(), ".new") {
			continue
		}
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() && now.Sub(info.ModTime()) > journalMaxAge {
			_ = os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}
