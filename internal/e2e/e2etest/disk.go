//go:build unix

package e2etest

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// Disk knows what stood in the files of a root, and when, so that an answer can be proved against the moments between
// its question and its arrival. All changes go through Change.
type Disk struct {
	Root string
	mu   sync.Mutex // guards past
	edit sync.Mutex // one change at a time
	past map[string][]version
}

// version is a file's text from the moment before it was written until the moment after it was replaced.
type version struct {
	text     string
	from, to time.Time // to is zero while it stands
}

// NewDisk reads what is below root.
func NewDisk(root string) (*Disk, error) {
	d := &Disk{Root: root, past: map[string][]version{}}
	return d, d.Change(func() error { return nil })
}

// Change lets f change files below the root and notes what it changed.
func (d *Disk) Change(f func() error) error {
	d.edit.Lock()
	defer d.edit.Unlock()
	began := time.Now()
	failed := f()
	now, err := readTree(d.Root)
	if err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	ended := time.Now()
	for name, vs := range d.past {
		last := &vs[len(vs)-1]
		if text, ok := now[name]; last.to.IsZero() && (!ok || text != last.text) {
			last.to = ended
		}
	}
	for name, text := range now {
		vs := d.past[name]
		if len(vs) == 0 || !vs[len(vs)-1].to.IsZero() {
			d.past[name] = append(vs, version{text: text, from: began})
		}
	}
	for name, vs := range d.past { // nobody asks for what stood minutes ago
		for len(vs) > 0 && !vs[0].to.IsZero() && ended.Sub(vs[0].to) > 3*time.Minute {
			vs = vs[1:]
		}
		if d.past[name] = vs; len(vs) == 0 {
			delete(d.past, name)
		}
	}
	return failed
}

// Files are the names of the files that stand now.
func (d *Disk) Files() (names []string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for name, vs := range d.past {
		if vs[len(vs)-1].to.IsZero() {
			names = append(names, name)
		}
	}
	return names
}

// Since is the texts of the files that stand now and came or changed since a moment.
func (d *Disk) Since(moment time.Time) map[string]string {
	d.mu.Lock()
	defer d.mu.Unlock()
	texts := map[string]string{}
	for name, vs := range d.past {
		if last := vs[len(vs)-1]; last.to.IsZero() && !last.from.Before(moment) {
			texts[name] = last.text
		}
	}
	return texts
}

// Stands reports whether text has stood in a source since before since and still does. With rules to ignore files it
// cannot tell whether that is to be found, and says no.
func (d *Disk) Stands(text string, since time.Time) bool {
	d.edit.Lock()
	defer d.edit.Unlock()
	d.mu.Lock()
	defer d.mu.Unlock()
	stands := false
	for name, vs := range d.past {
		last := vs[len(vs)-1]
		switch {
		case name == ".gitignore" && (last.to.IsZero() || last.to.After(since)):
			return false
		case last.to.IsZero() && last.from.Before(since) && strings.Contains(last.text, text):
			stands = true
		}
	}
	return stands
}

// Prove returns an error if s, asked for after since, was true at no moment between then and now.
func (d *Disk) Prove(s Served, since time.Time) error {
	now := time.Now() // before the lock: what a change under way writes counts from before it began
	d.edit.Lock()
	defer d.edit.Unlock()
	d.mu.Lock()
	defer d.mu.Unlock()
	var why []string
	for _, v := range d.past[s.Path] {
		if v.from.After(now) || !v.to.IsZero() && v.to.Before(since) {
			continue
		}
		problem := lie(s, v.text)
		if problem == "" {
			return nil
		}
		why = append(why, problem)
	}
	if len(why) == 0 {
		return fmt.Errorf("%q was served and does not exist", s.Path)
	}
	return fmt.Errorf("%q was served with text that did not stand there: %s", s.Path, strings.Join(why, "; "))
}

// lie says what of s is not in text; "" if all is.
func lie(s Served, text string) string {
	lines := strings.Split(text, "\n")
	if s.Start < 1 || s.SnippetAt < s.Start || s.End < s.SnippetAt || s.End > len(lines) {
		return fmt.Sprintf("lines %d-%d, snippet at %d, of %d lines", s.Start, s.End, s.SnippetAt, len(lines))
	}
	for i, shown := range strings.Split(s.Snippet, "\n") {
		at := s.SnippetAt - 1 + i
		shown = strings.Trim(strings.TrimSpace(shown), "…")
		if at >= len(lines) || !strings.Contains(lines[at], shown) {
			return fmt.Sprintf("line %d is not %q", at+1, shown)
		}
	}
	return ""
}

func readTree(root string) (map[string]string, error) {
	files := map[string]string{}
	err := filepath.WalkDir(root, func(file string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && e.Name() == ".git":
			return fs.SkipDir
		case !e.Type().IsRegular():
			return nil
		}
		b, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, file)
		files[filepath.ToSlash(name)] = string(b)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read tree %q: %w", root, err)
	}
	return files, nil
}
