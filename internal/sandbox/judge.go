package sandbox

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/ignore"
	"github.com/contextd/contextd/internal/secret"
)

// verdict says what the rules make of one entry.
type verdict struct {
	reason code.Reason
	detail string
	lifted bool
	sealed bool   // its name must not be told: nothing in it can be lifted
	within string // an ignored folder that holds tracked files: the rule for the others in it
}

// ownState is the Detail of Options.Exclude.
const ownState = "contextd's own state"

// tooCostly is the Detail of a path whose rules take too long.
const tooCostly = "its ignore rules take too long to match"

// rank is the place of each reason in the order in which they are tried.
var rank = func() map[code.Reason]int {
	order := []code.Reason{code.OutsideRoot, code.Missing, code.NotRegular, code.NameEncoding, code.VCS, code.Worktree, code.Ignored,
		code.SecretName, code.Vendored, code.BuildOutput, code.Lockfile, code.TooLarge, code.Unreadable, code.Binary,
		code.LFSPointer, code.SecretContent, code.Generated, code.Minified, code.CapFiles, code.CapBytes, code.CapMemory}
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

// judge gives the verdict of names and ignore rules on an entry of d: all reasons that need no look at the entry
// itself.
func (s *scan) judge(d *dir, e entry, isDir bool) verdict {
	if !utf8.ValidString(e.name) {
		return verdict{reason: code.NameEncoding, detail: "the name is not UTF-8"}
	}
	var v verdict
	if rule, found := secret.Find(e.name); found { // no "!" lifts it: the name itself would be stored and shown
		v.sealed = true
		v.first(code.SecretName, rule+" in the name")
	}
	if isVCS(e.name, isDir) {
		v.first(code.VCS, fmt.Sprintf("version control's own: %q", e.name))
	}
	own, ef := "", ignore.NewEffort(&s.stopped)
	if d.own != nil {
		v.lifted, own = d.own.DecideOwn(e.full, e.name, isDir, d.agents, &ef)
	}
	v.lifted = v.lifted && !d.closed && !v.sealed
	if !v.lifted || rank[d.pruned.Reason] <= rank[code.VCS] { // the rule on a folder above names the cause
		v.first(d.pruned.Reason, d.pruned.Detail)
	}
	if !v.lifted {
		s.judgeRules(d, e, isDir, own, &v, &ef)
		lower := lowerName(e.name)
		switch {
		case isDir && isSecretDir[lower]:
			v.first(code.SecretName, fmt.Sprintf("folder %q", e.name))
		case isDir && isVendoredDir[lower]:
			v.first(code.Vendored, fmt.Sprintf("folder %q", e.name))
		case isDir && isBuildDir[lower] && !(isPlainWord[lower] && belowSource(d.full[s.skip:])) && !s.tracksIn(d, e.full+"/"):
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
	if ef.Spent() {
		v.first(code.Ignored, tooCostly)
		v.lifted, v.sealed = false, true
	}
	if isDir && s.r.excluded(s.r.Abs(e.full[s.skip:])) {
		v.first(code.Ignored, ownState)
		v.lifted = false
	}
	return v
}

// judgeRules applies the ignore rules: own is the rule of ours or of an agent's file that ignores the entry.
func (s *scan) judgeRules(d *dir, e entry, isDir bool, own string, v *verdict, ef *ignore.Effort) {
	by := d.ignored
	if by == "" {
		if rule, rs := d.git.Decide(e.full, e.name, isDir, ef); rule != nil && !rule.Negate {
			by = rs.Detail(rule)
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
	x := s.tracked(r)
	if r.err != nil && !s.exhausted(r.err) {
		s.warn(fmt.Sprintf("%s: %v; its files count as untracked", s.shown(r.gitDir), r.err))
	}
	if path := full[r.strip:]; isDir {
		return x.HasUnder(path + "/")
	} else {
		return x.Has(path)
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
	inner := openRepo(s.r.Abs(rel), s.r.opts.Allowed)
	x := s.tracked(inner)
	return x != nil && len(x.Paths) > 0
}
