package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/contextd/contextd/internal/backend"
)

// auditDir holds the audit logs, below the state directory on either backing (packages history and session).
const auditDir = "audit"

// documentStore checks the store of documents, which cannot be rebuilt from the disk.
func documentStore(ctx context.Context, o Options) []Check {
	const name = "documents"
	s, err := o.Backend.ExistingDocuments()
	switch {
	case err != nil:
		return []Check{fail(name, err.Error(),
			"memory and history do not work meanwhile: let this user read and write the file, or use the version of contextd that wrote it")}
	case s == nil:
		return []Check{pass(name, "nothing is remembered yet")}
	}
	agents, err := s.Owners(ctx, "memory")
	if err = whole(err); err != nil {
		return []Check{fail(name, err.Error(), seeServer(o))}
	}
	projects, err := s.Owners(ctx, "history")
	if err = whole(err); err != nil {
		return []Check{fail(name, err.Error(), seeServer(o))}
	}
	checks := []Check{pass(name, "agents with memories: %d, projects with history: %d", len(agents), len(projects))}
	if len(agents)+len(projects) > 0 {
		for _, one := range o.Backend.Servers() {
			of := o
			of.Backend = one
			checks = append(checks, named(one, redisPersistence(ctx, of))...)
		}
	}
	return checks
}

func seeServer(o Options) string {
	if o.Backend.Name == backend.Redis {
		return "see the server's log; a key of a wrong type is to be renamed, not removed: it may hold memories"
	}
	return "see the log; memory and history do not work meanwhile"
}

// redisPersistence checks whether Redis keeps documents over a restart. It makes no check where there is no Redis, or
// where Redis does not report it.
func redisPersistence(ctx context.Context, o Options) []Check {
	const name = "redis persistence"
	f, ok, err := o.Backend.Facts(ctx)
	switch {
	case !ok || err != nil:
		return nil
	case !f.AppendOnly:
		return []Check{fail(name,
			"the server keeps no append-only file: a restart loses what was remembered since its last snapshot",
			`set "appendonly yes"`)}
	}
	return []Check{pass(name, "an append-only file is kept")}
}

// damaged names the files of documents that were set aside.
func damaged(o Options) Check {
	const name = "damaged documents"
	files, err := o.Backend.DamagedDocuments()
	switch {
	case err != nil:
		return fail(name, err.Error(), "let this user read the state directory")
	case len(files) > 0:
		return fail(name, "set aside, with what was remembered up to then: "+shorten(files),
			`put a back-up in place, or save what a tool for SQLite still reads; then move the file elsewhere`)
	}
	return pass(name, "none")
}

// audit checks that completed tasks can be written down for ever: without that none is recorded.
func audit(stateDir string) Check {
	const name = "audit log"
	dir := filepath.Join(stateDir, auditDir)
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return pass(name, "none yet")
	case err != nil:
		return fail(name, err.Error(), "tasks cannot be recorded meanwhile: let this user read the state directory")
	case !info.IsDir():
		return fail(name, fmt.Sprintf("%q is not a directory", dir), "tasks cannot be recorded meanwhile: move it away")
	case !private(info):
		return fail(name, fmt.Sprintf("%q is open to others (mode %04o)", dir, info.Mode().Perm()), "chmod 700 "+dir)
	case !writable(dir):
		return fail(name, fmt.Sprintf("%q cannot be written", dir),
			"tasks cannot be recorded meanwhile: run as its owner")
	}
	return pass(name, "%q is private and writable", dir)
}

// privacy names files of what is remembered that others may read.
func privacy(stateDir string) Check {
	const name = "private files"
	var open []string
	n := 0
	for _, pattern := range []string{"documents.db*", filepath.Join(auditDir, "*")} {
		files, _ := filepath.Glob(filepath.Join(escaped(stateDir), pattern)) // the patterns are well formed
		for _, f := range files {
			info, err := os.Stat(f)
			if err != nil || !info.Mode().IsRegular() {
				continue
			}
			if n++; !private(info) {
				open = append(open, fmt.Sprintf("%s (mode %04o)", f, info.Mode().Perm()))
			}
		}
	}
	if len(open) > 0 {
		return fail(name, "others may read what is remembered: "+shorten(open), "chmod 600 each of them")
	}
	return pass(name, "%d, open to nobody else", n)
}

// escaped is a directory as a pattern that matches it alone.
func escaped(dir string) string {
	if filepath.Separator == '\\' { // there a pattern cannot escape
		return dir
	}
	out := make([]rune, 0, len(dir))
	for _, r := range dir {
		if r == '*' || r == '?' || r == '[' || r == '\\' {
			out = append(out, '\\')
		}
		out = append(out, r)
	}
	return string(out)
}
