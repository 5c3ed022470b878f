package eviction

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/contextd/contextd/internal/statedir"
	"github.com/contextd/contextd/internal/syserr"
)

// queriedDir holds a file for each project: its text is when the project was brought, its time that of the last
// question, the year 1970 if there was none.
const queriedDir = "queried"

// maxNote is how many bytes of a file's text are read: a time in milliseconds has 13.
const maxNote = 32

// fileNotes are files in queriedDir.
type fileNotes struct{ Files }

func (n fileNotes) name(project string) string {
	sum := sha256.Sum256([]byte(project))
	return hex.EncodeToString(sum[:8])
}

func (n fileNotes) path(project string) string {
	return filepath.Join(n.StateDir, queriedDir, n.name(project))
}

func (n fileNotes) queried(project string, now time.Time) { n.note(project, now, true) }

func (n fileNotes) brought(_ context.Context, project string, now time.Time) {
	n.note(project, now, false)
}

func (fileNotes) wait() {}

func (n fileNotes) note(project string, now time.Time, question bool) {
	path := n.path(project)
	if !question {
		if _, err := os.Lstat(path); err == nil {
			return
		}
	} else if os.Chtimes(path, now, now) == nil {
		return
	}
	if _, err := os.Stat(n.Indexes); err != nil {
		return // nothing is indexed, so nothing can go
	}
	if os.MkdirAll(filepath.Dir(path), 0o700) != nil ||
		os.WriteFile(path, strconv.AppendInt(nil, now.UnixMilli(), 10), 0o600) != nil {
		return // without it the project counts as never queried
	}
	if !question {
		_ = os.Chtimes(path, time.Unix(0, 0), time.Unix(0, 0))
	}
}

func (n fileNotes) all(context.Context) (map[string]use, error) {
	all := map[string]use{}
	dir := filepath.Join(n.StateDir, queriedDir)
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) { // none: nobody asked yet
		return nil, fmt.Errorf("read %q: %w", dir, syserr.Cause(err))
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		u := use{}
		if info.Size() <= maxNote {
			text, _ := statedir.ReadFile(filepath.Join(dir, e.Name()))
			u.brought = millis(string(text))
		}
		if info.ModTime().Unix() > 0 {
			u.queried = info.ModTime()
		}
		if u.brought.IsZero() { // an older version's, which noted questions alone
			u.brought = u.queried.Add(-firstAsked)
		}
		all[e.Name()] = u
	}
	return all, nil
}

func (n fileNotes) drop(_ context.Context, name string) {
	_ = os.Remove(filepath.Join(n.StateDir, queriedDir, name)) // a file of 13 bytes does no harm
}
