package install

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/gofrs/flock"

	"github.com/contextd/contextd/internal/agents"
	"github.com/contextd/contextd/internal/confedit"
	"github.com/contextd/contextd/internal/syserr"
)

// record is what stands in the state directory about one file.
type record struct {
	Path    string          `json:"path"`
	Within  string          `json:"within,omitempty"` // the project
	Existed bool            `json:"existed"`          // before us
	Sum     string          `json:"sum"`              // SHA-256 of what was written
	Edits   []confedit.Edit `json:"edits"`            // in their order
	Dirs    []string        `json:"dirs,omitempty"`   // folders that were made, absolute
	Exact   bool            `json:"exact"`            // Edits lead from what was there before us to Sum
	Parts   []part          `json:"parts"`
}

// part is one thing in a file.
type part struct {
	Agent   string       `json:"agent"`
	Part    agents.Part  `json:"part"`
	Scope   agents.Scope `json:"scope"`
	Text    string       `json:"text,omitempty"` // SHA-256, of a file of our own
	Made    int          `json:"made,omitempty"` // how many elements of the key led to objects before us
	Command string       `json:"command"`
}

type recordFile struct {
	Files []record `json:"files"`
}

const recordFileName = "installed.json"

func sum(data []byte) string {
	s := sha256.Sum256(data)
	return hex.EncodeToString(s[:])
}

// lock keeps other installations of this user waiting.
func (in *Installer) lock() (unlock func(), err error) {
	if err := os.MkdirAll(in.StateDir, 0o700); err != nil {
		return nil, err
	}
	l := flock.New(filepath.Join(in.StateDir, "install.lock"), flock.SetPermissions(0o600))
	if err := l.Lock(); err != nil {
		return nil, fmt.Errorf("lock the state directory: %w", err)
	}
	return func() { _ = l.Unlock() }, nil
}

// readRecords reads the record file; without one the result is empty.
func (in *Installer) readRecords() (recordFile, error) {
	var b recordFile
	data, err := os.ReadFile(filepath.Join(in.StateDir, recordFileName))
	if errors.Is(err, fs.ErrNotExist) {
		return b, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &b)
	}
	if err != nil {
		return b, fmt.Errorf("read %q: %w", filepath.Join(in.StateDir, recordFileName), syserr.Cause(err))
	}
	return b, nil
}

// writeRecords replaces the record file atomically.
func (in *Installer) writeRecords(b recordFile) error {
	data, err := json.MarshalIndent(b, "", " ")
	if err != nil {
		return err
	}
	f, err := open(filepath.Join(in.StateDir, recordFileName), "")
	if err != nil {
		return err
	}
	defer f.close()
	if _, err = f.write(append(data, '\n'), 0o600); err != nil {
		return fmt.Errorf("write %q: %w", f.path, syserr.Cause(err))
	}
	return nil
}

func (b recordFile) find(path string) (record, bool) {
	i := slices.IndexFunc(b.Files, func(r record) bool { return r.Path == path })
	if i < 0 {
		return record{}, false
	}
	return b.Files[i], true
}

// withRecord is the book with r in the place of what it says of the same file; without parts: without it.
func (b recordFile) withRecord(r record) recordFile {
	files := slices.DeleteFunc(slices.Clone(b.Files), func(old record) bool { return old.Path == r.Path })
	if len(r.Parts) > 0 {
		files = append(files, r)
	}
	return recordFile{files}
}

// before is what the file held before us; ok false: somebody else has edited it since, or its record is not whole.
func (r record) before(data []byte) (out []byte, ok bool) {
	if !r.Exact || sum(data) != r.Sum {
		return nil, false
	}
	for i := len(r.Edits) - 1; i >= 0; i-- {
		var err error
		if data, err = r.Edits[i].Invert().Apply(data); err != nil {
			return nil, false
		}
	}
	return data, true
}
