package sandbox

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/contextd/contextd/internal/code"
)

// This file holds what a watcher has to know of a root: where changes matter, and which of them do.

// unreported are reasons that a change of the file itself cannot lift: its events are noise.
var unreported = map[code.Reason]bool{code.NameEncoding: true, code.VCS: true, code.Worktree: true, code.Ignored: true,
	code.SecretName: true, code.Vendored: true, code.BuildOutput: true, code.Lockfile: true}

var isAgentFile = set(agentFiles)

// IsRuleFile reports whether a file or folder of this name, anywhere in a root, bears on which of its files count.
func IsRuleFile(name string) bool {
	return name == ".gitignore" || name == ownFile || name == ".git" || isAgentFile[name]
}

// Extent says where a change may change which files of a root count, or one of them. All paths are absolute.
type Extent struct {
	Folders []string        // those that a walk enters, git's own, and those above the root as far as their ignore files count
	Beside  map[string]bool // files whose change may change which files count: ignore files above the root, git's own
	GitDirs map[string]bool // those of Folders in which only files of Beside matter
}

// Extent walks the root for its Extent. The error wraps ErrMissing where the root cannot be listed.
func (r *Root) Extent(ctx context.Context) (*Extent, error) {
	sc := r.newScan()
	x := &Extent{Beside: map[string]bool{}, GitDirs: map[string]bool{}}
	var mu sync.Mutex
	w := newWalker(sc)
	w.dirs = func(rel string) {
		mu.Lock()
		defer mu.Unlock()
		x.Folders = append(x.Folders, r.Abs(rel))
	}
	if err := r.list("", sc.prefix, &w.first); err != nil {
		return nil, ErrMissing
	}
	d, _ := sc.top(&w.first)
	w.scanDir(&node{full: sc.prefix}, d, &w.first)
	if err := w.run(ctx); err != nil {
		return nil, err
	}
	x.Folders = append(x.Folders, filepath.Dir(r.path))
	for repo := range sc.repos(d.repo) {
		x.Beside[filepath.Join(repo.gitDir, "index")] = true
		x.Beside[filepath.Join(repo.gitDir, "HEAD")] = true
		info := filepath.Join(repo.commonDir, "info")
		x.Beside[filepath.Join(info, "exclude")] = true
		x.GitDirs[repo.gitDir], x.GitDirs[info] = true, true
		x.Folders = append(x.Folders, repo.gitDir, info)
	}
	for up, rest := filepath.Dir(r.path), sc.prefix; rest != ""; up = filepath.Dir(up) {
		x.Beside[filepath.Join(up, ".gitignore")] = true
		x.Folders = append(x.Folders, up)
		rest = rest[:strings.LastIndexByte(strings.TrimSuffix(rest, "/"), '/')+1]
	}
	return x, nil
}

// Affected gives the paths, among those that something happened to and below those that are folders, that matter: files
// that count, and what is left out for a reason that a change of the file itself may lift. entered is called with each
// folder that is walked, by several goroutines at once.
func (r *Root) Affected(ctx context.Context, paths []code.Path, entered func(rel code.Path)) ([]code.Path, error) {
	p := r.newProber()
	p.entered = entered
	tree, err := p.walkPaths(ctx, paths)
	if err != nil {
		return nil, err
	}
	var found []code.Path
	for _, f := range tree.Files {
		found = append(found, f.Path)
	}
	for _, k := range tree.Skipped {
		if !unreported[k.Reason] && !(k.Reason == code.Missing && p.unwanted(k.Path)) {
			found = append(found, k.Path)
		}
	}
	return found, nil
}

// unwanted reports whether names and rules leave a file at rel out, whether it exists or not.
func (p *prober) unwanted(rel string) bool {
	return unreported[p.verdict(rel, false).reason]
}

// Replaced reports whether the root's path no longer names the folder that was opened.
func (r *Root) Replaced() bool {
	now, err := os.Stat(r.path)
	if err != nil {
		return true
	}
	then, err := r.dir.Stat()
	return err != nil || !os.SameFile(now, then)
}
