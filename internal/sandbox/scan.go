package sandbox

import (
	"fmt"
	"iter"
	"path/filepath"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/contextd/contextd/internal/code"
)

// scan is what one walk or check has read about the root. Full paths begin at the top of the repository that the root
// lies in, or at the root: skip bytes of a full path come before the path relative to the root.
type scan struct {
	r        *Root
	skip     int
	prefix   string // the skip bytes: "" or ending in "/"
	excludes []byte // the user's excludes file
	exclFile string
	outer    *repo // the one that the root lies in; nil without one
	outerGit *ruleset

	mu       sync.Mutex
	warnings []string
	inner    []*repo // those found inside of the root
}

// dir is a folder and the rules in force in it.
type dir struct {
	full    string // "" or ending in "/"
	repo    *repo
	git     *ruleset // strongest first
	own     *ruleset // .contextdignore and agents' files
	agents  bool     // own holds agents' files
	ignored string   // rule that ignores all below but what is tracked or lifted; "" without one
	pruned  Skipped  // Reason and Detail: leaves out all below but what is lifted
	closed  bool     // no exception counts below: nothing in it is looked for
}

// verdict says what the rules make of one entry.
type verdict struct {
	reason code.Reason
	detail string
	lifted bool
	within string // an ignored folder that holds tracked files: the rule for the others in it
}

// ownState is the Detail of Options.Exclude.
const ownState = "contextd's own state"

// rank is the place of each reason in the order in which they are tried.
var rank = func() map[code.Reason]int {
	order := []code.Reason{code.OutsideRoot, code.Missing, code.NotRegular, code.NameEncoding, code.VCS, code.Worktree, code.Ignored,
		code.SecretName, code.Vendored, code.BuildOutput, code.Lockfile, code.TooLarge, code.Unreadable, code.Binary,
		code.SecretContent, code.Generated, code.Minified, code.CapFiles, code.CapBytes}
	m := make(map[code.Reason]int, len(order))
	for i, reason := range order {
		m[reason] = i + 1
	}
	return m
}()

// first keeps the earlier of v's reason and the given one.
func (v *verdict) first(reason code.Reason, detail string) {
	if reason != "" && (v.reason == "" || rank[reason] < rank[v.reason]) {
		v.reason, v.detail = reason, detail
	}
}

// newScan reads what lies above the root.
func (r *Root) newScan() *scan {
	s := &scan{r: r}
	if s.exclFile = userExcludes(); s.exclFile != "" {
		s.excludes, _ = readCapped(s.exclFile, maxSideFile)
	}
	repo, top := findRepo(r.path)
	if repo == nil {
		s.outerGit = s.baseRules(nil)
		return s
	}
	rel, err := filepath.Rel(top, r.path)
	if rel = filepath.ToSlash(rel); err != nil || rel == "." {
		s.outer, s.outerGit = repo, s.baseRules(repo)
		return s
	}
	// The folders from the top down to the one above the root. Where a rule ignores one of them or the root, the
	// repository has nothing to say about the root.
	git, full := s.baseRules(repo), ""
	for _, name := range strings.Split(rel, "/") {
		file := filepath.Join(top, filepath.FromSlash(full), ".gitignore")
		if data, err := readCapped(file, maxSideFile); err == nil && !isLink(file) {
			git = newRuleset(data, kindGit, file, len(full), repo.fold, git)
		}
		if rule, _ := git.decide(full+name, name, true); rule != nil && !rule.negate {
			s.outerGit = s.baseRules(nil)
			return s
		}
		full += name + "/"
	}
	s.outer, s.outerGit, s.prefix, s.skip = repo, git, full, len(full)
	return s
}

// baseRules are the rules that hold in all of a repository, or without one: info/exclude, then the user's.
func (s *scan) baseRules(r *repo) *ruleset {
	strip, fold := 0, false
	if r != nil {
		strip, fold = r.strip, r.fold
	}
	rules := newRuleset(s.excludes, kindGit, s.exclFile, strip, fold, nil)
	if r != nil {
		file := filepath.Join(r.commonDir, "info", "exclude")
		if data, err := readCapped(file, maxSideFile); err == nil {
			rules = newRuleset(data, kindGit, s.shown(file), strip, fold, rules)
		}
	}
	return rules
}

// shown is a file's path relative to the root where it lies inside.
func (s *scan) shown(file string) string {
	if rel, err := filepath.Rel(s.r.path, file); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return file
}

// decide is the rule of the strongest rule set that says anything about full, and that set.
func (rs *ruleset) decide(full, name string, dir bool) (*rule, *ruleset) {
	for ; rs != nil; rs = rs.up {
		if r := rs.match(full, name, dir); r != nil {
			return r, rs
		}
	}
	return nil, nil
}

// decideOwn asks our own ignore files and the agents': ours decide first, then each agent's by itself.
func (rs *ruleset) decideOwn(full, name string, dir, agents bool) (lifted bool, detail string) {
	var decided uint32
	for ; rs != nil; rs = rs.up {
		if decided&(1<<rs.kind) != 0 {
			continue
		}
		r := rs.match(full, name, dir)
		if r == nil {
			continue
		}
		decided |= 1 << rs.kind
		switch {
		case r.negate && rs.kind == kindOwn:
			return true, ""
		case !r.negate && detail == "":
			detail = rs.detail(r)
		}
		if !agents {
			break
		}
	}
	// An agent's rule may stand deeper, and so come first, than the "!" of ours that overrides it; that was seen above.
	return false, detail
}

// judge gives the verdict of names and ignore rules on an entry of d: all reasons that need no look at the entry itself.
func (s *scan) judge(d *dir, e entry, isDir bool) verdict {
	if !utf8.ValidString(e.name) {
		return verdict{reason: code.NameEncoding, detail: "the name is not UTF-8"}
	}
	var v verdict
	if isVCS(e.name, isDir) {
		v.first(code.VCS, fmt.Sprintf("version control's own: %q", e.name))
	}
	own := ""
	if d.own != nil {
		v.lifted, own = d.own.decideOwn(e.full, e.name, isDir, d.agents)
	}
	v.lifted = v.lifted && !d.closed
	if !v.lifted || rank[d.pruned.Reason] <= rank[code.VCS] { // the rule on a folder above names the cause
		v.first(d.pruned.Reason, d.pruned.Detail)
	}
	if !v.lifted {
		s.judgeRules(d, e, isDir, own, &v)
		lower := lowerName(e.name)
		switch {
		case isDir && isSecretDir[lower]:
			v.first(code.SecretName, fmt.Sprintf("folder %q", e.name))
		case isDir && isVendoredDir[lower]:
			v.first(code.Vendored, fmt.Sprintf("folder %q", e.name))
		case isDir && isBuildDir[lower] && !s.tracksIn(d, e.full+"/"):
			v.first(code.BuildOutput, fmt.Sprintf("folder %q", e.name))
		case !isDir:
			if p := secretName(lower); p != "" {
				v.first(code.SecretName, fmt.Sprintf("name %q", p))
			}
			if isLockfile[lower] {
				v.first(code.Lockfile, fmt.Sprintf("name %q", e.name))
			}
		}
	}
	if isDir && s.r.excluded(s.r.abs(e.full[s.skip:])) {
		v.first(code.Ignored, ownState)
		v.lifted = false
	}
	return v
}

// judgeRules applies the ignore rules: own is the rule of ours or of an agent's file that ignores the entry.
func (s *scan) judgeRules(d *dir, e entry, isDir bool, own string, v *verdict) {
	by := d.ignored
	if by == "" {
		if rule, rs := d.git.decide(e.full, e.name, isDir); rule != nil && !rule.negate {
			by = rs.detail(rule)
		}
	}
	if by != "" {
		switch {
		case d.closed || !d.repo.tracks(e.full, isDir, s):
			v.first(code.Ignored, by)
		case isDir:
			v.within = by
		}
	}
	if own != "" {
		v.first(code.Ignored, own)
	}
}

// tracks reports whether git tracks the file full, or something in the folder full.
func (r *repo) tracks(full string, isDir bool, s *scan) bool {
	if r == nil {
		return false
	}
	x := r.tracked()
	if r.err != nil {
		s.warn(fmt.Sprintf("%s: %v; its files count as untracked", s.shown(r.gitDir), r.err))
	}
	if path := full[r.strip:]; isDir {
		return x.hasUnder(path + "/")
	} else {
		return x.has(path)
	}
}

// tracksIn reports whether git tracks something in the folder full, which ends in "/": the repository around it, or one
// that has its top there.
func (s *scan) tracksIn(d *dir, full string) bool {
	if d.repo.tracks(strings.TrimSuffix(full, "/"), true, s) {
		return true
	}
	rel := full[s.skip:]
	if _, _, err := s.r.lstat(rel + ".git"); err != nil {
		return false
	}
	inner := openRepo(s.r.abs(rel))
	return inner != nil && len(inner.paths()) > 0
}

func (r *repo) paths() []string {
	if x := r.tracked(); x != nil {
		return x.paths
	}
	return nil
}

// warn notes, once, what was wrong with something that is read beside the files.
func (s *scan) warn(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, w := range s.warnings {
		if w == text {
			return
		}
	}
	s.warnings = append(s.warnings, text)
}

// repos are the repositories whose files were met: top, that of the root, may be nil.
func (s *scan) repos(top *repo) iter.Seq[*repo] {
	return func(yield func(*repo) bool) {
		if top != nil && !yield(top) {
			return
		}
		for _, r := range s.inner {
			if !yield(r) {
				return
			}
		}
	}
}

// excluded reports whether abs is one of Options.Exclude.
func (r *Root) excluded(abs string) bool {
	for _, x := range r.exclude {
		if abs == x {
			return true
		}
	}
	return false
}
