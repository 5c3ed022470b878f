package sandbox

import (
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/ignore"
)

// enter makes the folder e of parent from its listing: the rules in force in it, and the verdict on it completed by
// what it holds. The root is entered with a parent and an entry of its own: see top.
func (s *scan) enter(parent *dir, e entry, v verdict, l *listing) (*dir, verdict) {
	d := &dir{full: e.full + "/", repo: parent.repo, git: parent.git, own: parent.own, agents: parent.agents,
		ignored: parent.ignored, pruned: parent.pruned, closed: parent.closed}
	if v.lifted {
		d.ignored, d.pruned = "", Skipped{}
	} else if v.within != "" {
		d.ignored = v.within
	}
	if l.has("HEAD", formFile) && l.has("objects", formDir) && l.has("refs", formDir) {
		v.first(code.VCS, "a bare repository")
	}
	if l.has(".git", formDir) || l.has(".git", formFile) {
		s.enterRepo(d, parent.repo, &v)
	}
	if !v.lifted && lowerName(e.name) == "vendor" {
		for _, mark := range vendorMarks {
			if l.has(mark, formFile) {
				v.first(code.Vendored, fmt.Sprintf("folder %q with %q", e.name, mark))
			}
		}
	}
	if s.load(d, l); d.starved {
		v.first(code.CapMemory, s.mem.detail())
		v.sealed = true
	}
	if v.reason != "" {
		d.closed = d.closed || v.sealed || !s.reaches(d, v)
		p := verdict{reason: d.pruned.Reason, detail: d.pruned.Detail}
		p.first(v.reason, v.detail)
		d.pruned.Reason, d.pruned.Detail = p.reason, p.detail
	}
	return d, v
}

// top enters the root itself, whose listing is l. It is never left out by a name or a rule, only for what it is.
func (s *scan) top(l *listing) (*dir, verdict) {
	d := &dir{full: s.prefix, repo: s.outer, git: s.outerGit, starved: s.starved}
	var v verdict
	if l.has("HEAD", formFile) && l.has("objects", formDir) && l.has("refs", formDir) {
		v.first(code.VCS, "a bare repository")
	}
	if s.r.excluded(s.r.path) {
		v.first(code.Ignored, ownState)
	}
	if s.load(d, l); d.starved {
		v.first(code.CapMemory, s.mem.detail())
	}
	if v.reason != "" {
		d.pruned, d.closed = Skipped{Reason: v.reason, Detail: v.detail}, true
	}
	return d, v
}

// enterRepo makes d the top of a repository of its own, if it is one. A second working tree of a repository that is in
// the root already would bring every answer twice.
func (s *scan) enterRepo(d *dir, outer *repo, v *verdict) {
	inner := openRepo(s.r.Abs(d.full[s.skip:len(d.full)-1]), s.r.opts.Allowed)
	if inner == nil {
		if !v.lifted && s.namesWorktree(d.full[s.skip:]+".git") {
			v.first(code.Worktree, ownSandbox)
		}
		return
	}
	inner.outer, inner.strip = outer, len(d.full)
	if !v.lifted {
		for o := outer; o != nil; o = o.outer {
			if (o.linked() || !o.bare) && sameStore(o, inner) {
				v.first(code.Worktree, fmt.Sprintf("a working tree of the repository %q", s.shown(o.commonDir)))
			}
		}
		if inner.linked() && !inner.bare && filepath.Base(inner.commonDir) == ".git" {
			if main := s.shown(filepath.Dir(inner.commonDir)); main != "." && filepath.IsLocal(main) && isDir(s.r.Abs(main)) {
				v.first(code.Worktree, fmt.Sprintf("a working tree of the repository in %q", main))
			}
		}
		if inner.linked() && !filepath.IsLocal(s.shown(inner.commonDir)) {
			v.first(code.Worktree, ownSandbox)
		}
	}
	s.mu.Lock()
	s.inner = append(s.inner, inner)
	s.mu.Unlock()
	d.repo, d.git, d.ignored = inner, s.baseRules(&d.starved, inner), ""
}

// ownSandbox tells why a linked working tree is left out whose repository lies elsewhere: somebody works in it by
// itself.
const ownSandbox = "a working tree of a repository outside of this root: a sandbox of its own"

// namesWorktree reports whether a file .git is that of a linked working tree, by what it says alone: its repository may
// not be read.
func (s *scan) namesWorktree(rel string) bool {
	data, _, kind, err := s.r.readStart(rel, maxSideFile, true)
	to, ok := strings.CutPrefix(string(data), "gitdir:")
	if err != nil || kind != formFile || !ok {
		return false
	}
	return path.Base(path.Dir(filepath.ToSlash(strings.TrimSpace(to)))) == "worktrees"
}

// load puts the ignore files of the folder d in force.
func (s *scan) load(d *dir, l *listing) {
	rel := d.full[s.skip:]
	fold := d.repo != nil && d.repo.fold
	read := func(name string, k ignore.Kind, up *ignore.Set) *ignore.Set {
		data, _, form, err := s.r.readStart(rel+name, maxSideFile, true)
		if err != nil {
			s.exhausted(err)
			return up
		}
		if form != formFile {
			return up
		}
		if len(data) > maxSideFile {
			s.warn(longRules(rel + name))
			data = firstLines(data, maxSideFile)
		}
		return s.ruleset(&d.starved, data, k, rel+name, len(d.full), fold, up)
	}
	if l.has(".gitignore", formFile) {
		d.git = read(".gitignore", ignore.Git, d.git)
	}
	for i, name := range agentFiles {
		if l.has(name, formFile) {
			d.own = read(name, ignore.Agent+ignore.Kind(i), d.own)
			d.agents = true
		}
	}
	if l.has(ownFile, formFile) {
		d.own = read(ownFile, ignore.Own, d.own)
	}
}

// reaches reports whether a walk enters a folder that v leaves out, since an anchored "!" of ours may lift something in
// it. d: the folder.
func (s *scan) reaches(d *dir, v verdict) bool {
	if d.closed || rank[v.reason] < rank[code.Worktree] || v.detail == ownState {
		return false
	}
	return d.own.MayLift(d.full)
}
