package local

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/contextd/contextd/internal/statedir"
)

// attachment is a file ATTACHED as it was when it was read.
type attachment struct {
	blob []byte
	size int64
	at   time.Time
	info os.FileInfo
}

// attachments keeps what was read, by path.
type attachments struct {
	mu   sync.Mutex
	read map[string]attachment
}

// attachedFile is the name of the file of a kind. The history's is older than kinds are.
func attachedFile(kind string) string {
	if kind == "history" {
		return attachedName
	}
	return attachedName + "-" + kind
}

// Attach keeps a blob beside a project's index; see search.Index.
func (ix *Index) Attach(_ context.Context, project, kind string, blob []byte) error {
	dir := ix.folder(project)
	if _, err := readHead(dir); err != nil {
		return noteError(err, "attach to", project)
	}
	if len(blob) > 0 {
		return noteError(replaceFile(dir, attachedFile(kind), blob, ix.beforeStep), "attach to", project)
	}
	if err := os.Remove(filepath.Join(dir, attachedFile(kind))); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("attach nothing to project %q: %w", project, err)
	}
	return nil
}

// Attached is what was last attached; see search.Index.
func (ix *Index) Attached(_ context.Context, project, kind string) ([]byte, error) {
	name := filepath.Join(ix.folder(project), attachedFile(kind))
	ix.attached.mu.Lock()
	defer ix.attached.mu.Unlock()
	info, err := os.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		delete(ix.attached.read, name)
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read what is attached to project %q: %w", project, err)
	}
	if a, ok := ix.attached.read[name]; ok && a.size == info.Size() && a.at.Equal(info.ModTime()) && os.SameFile(a.info, info) {
		return a.blob, nil
	}
	blob, err := statedir.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("read what is attached to project %q: %w", project, err)
	}
	if ix.attached.read == nil {
		ix.attached.read = make(map[string]attachment)
	}
	ix.attached.read[name] = attachment{blob, info.Size(), info.ModTime(), info}
	return blob, nil
}
