// Package doctor checks everything that can be wrong with an installation: the state directory, the store, its search,
// the queue, the projects, what is remembered, watching and the embedder.
//
// "indexer doctor" calls it. Each [Check] says what was found and, where there is something to do, what. A fresh and
// empty installation passes all of them. Looking changes nothing, but that a damaged file of the queue or of documents
// is set aside, as by whoever opens it.
package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/contextd/contextd/internal/backend"
	"github.com/contextd/contextd/internal/search"
)

// Check is what was found out about one thing.
type Check struct {
	Name   string `json:"name"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail"`
	Hint   string `json:"hint"` // what to do; "" where there is nothing
}

// Options say what is examined.
type Options struct {
	Backend    *backend.Backend
	StateDir   string
	ConfigFile string                       // the file of settings that was read; "" if none
	NamesOnly  bool                         // only file names are searched, by choice
	Embedder   func() (search.Model, error) // asks the embedder that is set; Analyzer does not count
}

// timeout is how long one question to the store may take.
const timeout = 5 * time.Second

// minFree is how many free bytes the state directory should have.
const minFree = 200 << 20

// Examine makes all checks. What needs a store that does not answer is left out.
func Examine(ctx context.Context, o Options) []Check {
	model, embeds := embedder(o)
	store := reachable(ctx, o.Backend, o.StateDir)
	checks := []Check{config(o), stateDir(o.StateDir), embeds, store}
	if store.OK {
		for _, ask := range []func(context.Context, Options) []Check{server, eachServer, single(searching), single(indexes),
			single(daemons), single(queueBacklog), queueKeys, single(deadLetters),
			single(staleProjects), single(roots), single(retrievalOff), documentStore,
			func(ctx context.Context, o Options) []Check { return models(ctx, o, model, embeds.OK) }} {
			within, cancel := context.WithTimeout(ctx, timeout)
			checks = append(checks, ask(within, o)...)
			cancel()
		}
	}
	checks = append(checks, damaged(o), audit(o.StateDir), privacy(o.StateDir))
	return append(checks, watches()...)
}

func single(check func(context.Context, Options) Check) func(context.Context, Options) []Check {
	return func(ctx context.Context, o Options) []Check { return []Check{check(ctx, o)} }
}

func pass(name, format string, args ...any) Check {
	return Check{Name: name, OK: true, Detail: fmt.Sprintf(format, args...)}
}

func fail(name, detail, hint string) Check { return Check{Name: name, Detail: detail, Hint: hint} }

func config(o Options) Check {
	if o.ConfigFile == "" {
		return pass("settings", "valid; no config file")
	}
	return pass("settings", "valid; config file %q", o.ConfigFile)
}

func stateDir(dir string) Check {
	const name = "state directory"
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if parent, err := nearest(dir); err != nil || !writable(parent) {
			return fail(name, fmt.Sprintf("%q does not exist and cannot be made", dir),
				"give another one with --state-dir, or set XDG_STATE_HOME")
		}
		return pass(name, "%q does not exist yet", dir)
	case err != nil:
		return fail(name, err.Error(), "give another one with --state-dir")
	case !info.IsDir():
		return fail(name, fmt.Sprintf("%q is not a directory", dir),
			"move it away, or give another one with --state-dir")
	case !private(info):
		return fail(name, fmt.Sprintf("%q is open to others (mode %04o)", dir, info.Mode().Perm()), "chmod 700 "+dir)
	case !writable(dir):
		return fail(name, fmt.Sprintf("%q cannot be written", dir),
			"run as its owner, or give another one with --state-dir or XDG_STATE_HOME")
	}
	if free, ok := freeBytes(dir); ok && free < minFree {
		return fail(name, fmt.Sprintf("%q has only %d MB free", dir, free>>20),
			"make room, or give a directory on another disk with --state-dir")
	}
	return pass(name, "%q is private and writable", dir)
}

// nearest is the nearest folder above dir that exists.
func nearest(dir string) (string, error) {
	for d := filepath.Dir(dir); ; d = filepath.Dir(d) {
		info, err := os.Stat(d)
		switch {
		case err == nil && info.IsDir():
			return d, nil
		case err == nil:
			return "", fmt.Errorf("%q is not a directory", d)
		case !errors.Is(err, fs.ErrNotExist) || d == filepath.Dir(d):
			return "", err
		}
	}
}

func embedder(o Options) (search.Model, Check) {
	m, err := o.Embedder()
	switch {
	case err != nil:
		hint := "choose another with --embedder"
		var h interface{ Hint() string }
		if errors.As(err, &h) && h.Hint() != "" {
			hint = h.Hint()
		}
		return m, fail("embedder", err.Error(), hint)
	case m.Dims == 0:
		return m, pass("embedder", "%s: search by words alone", m.Embedder)
	}
	return m, pass("embedder", "%s, %d dimensions", m.Embedder, m.Dims)
}
