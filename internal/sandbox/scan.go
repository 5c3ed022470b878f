package sandbox

import (
	"iter"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/contextd/contextd/internal/ignore"
	"github.com/contextd/contextd/internal/syserr"
)

// scan is what one walk or check has read about the root. Full paths begin at the top of the repository that the root
// lies in, or at the root: skip bytes of a full path come before the path relative to the root.
type scan struct {
	r        *Root
	skip     int
	prefix   string // the skip bytes: "" or ending in "/"
	outer    *repo  // the one that the root lies in; nil without one
	outerGit *ignore.Set

	mem     budget
	stopped atomic.Bool // nobody waits any more: matching ends
	starved bool        // rules above the root could not be held

	tablesMu sync.Mutex
	tables   map[tableKey]*ignore.Table // guarded by tablesMu
	indexMu  sync.Mutex
	indexes  []sharedIndex // guarded by indexMu

	mu       sync.Mutex
	warnings []string
	inner    []*repo // those found inside of the root
	failed   error   // the system ran out of something: what was not seen must not count as gone
}

// dir is a folder and the rules in force in it.
type dir struct {
	full    string // "" or ending in "/"
	repo    *repo
	git     *ignore.Set // strongest first
	own     *ignore.Set // .contextdignore and agents' files
	agents  bool        // own holds agents' files
	ignored string      // rule that ignores all below but what is tracked or lifted; "" without one
	pruned  Skipped     // Reason and Detail: leaves out all below but what is lifted
	starved bool        // some of its rules could not be held
	closed  bool        // no exception counts below: nothing in it is looked for
}

// newScan reads what lies above the root.
func (r *Root) newScan() *scan {
	s := &scan{r: r}
	s.mem.limit = r.opts.MaxWalkBytes
	repo, top := findRepo(r.path, r.opts.Allowed)
	if repo == nil {
		s.outerGit = s.baseRules(&s.starved, nil)
		return s
	}
	rel, err := filepath.Rel(top, r.path)
	if rel = filepath.ToSlash(rel); err != nil || rel == "." {
		s.outer, s.outerGit = repo, s.baseRules(&s.starved, repo)
		return s
	}
	// The folders from the top down to the one above the root. Where a rule ignores one of them or the root, the
	// repository has nothing to say about the root.
	git, full := s.baseRules(&s.starved, repo), ""
	for _, name := range strings.Split(rel, "/") {
		file := filepath.Join(top, filepath.FromSlash(full), ".gitignore")
		if data, err := s.readRules(file, readReal); err == nil {
			git = s.ruleset(&s.starved, data, ignore.Git, file, len(full), repo.fold, git)
		}
		ef := ignore.NewEffort(&s.stopped)
		if rule, _ := git.Decide(full+name, name, true, &ef); rule != nil && !rule.Negate {
			s.outerGit = s.baseRules(&s.starved, nil)
			return s
		}
		full += name + "/"
	}
	s.outer, s.outerGit, s.prefix, s.skip = repo, git, full, len(full)
	return s
}

// baseRules are the rules that hold in all of a repository, or without one: info/exclude, then the excludes file in
// force.
func (s *scan) baseRules(starved *bool, r *repo) *ignore.Set {
	strip, fold := 0, false
	if r != nil {
		strip, fold = r.strip, r.fold
	}
	var rules *ignore.Set
	x := excludesSetting{repo: r}
	name, foreign, refused := x.find()
	if refused != "" {
		s.warn(refusedExcludes(refused))
	}
	if name != "" {
		if data, err := s.readRules(name, x.reader(foreign)); err == nil {
			if rules = s.ruleset(starved, data, ignore.Git, s.shown(name), strip, fold, nil); rules != nil {
				rules.Mute = foreign && (!filepath.IsLocal(s.shown(name)) || throughLink(name))
			}
		}
	}
	if r != nil {
		file := filepath.Join(r.commonDir, "info", "exclude")
		if data, err := s.readRules(file, r.readStart); err == nil {
			if below := s.ruleset(starved, data, ignore.Git, s.shown(file), strip, fold, rules); below != rules {
				below.Mute = throughLink(file)
				rules = below
			}
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

// maxWarnings is how many warnings of a walk are kept.
const maxWarnings = 100

// warn notes, once, what was wrong with something that is read beside the files.
func (s *scan) warn(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.warnings) >= maxWarnings || slices.Contains(s.warnings, text) {
		return
	}
	s.warnings = append(s.warnings, text)
}

// exhausted notes an error that says nothing about a file but that the system has run out of something.
func (s *scan) exhausted(err error) bool {
	if !syserr.Exhausted(err) {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failed = err
	return true
}

func (s *scan) failure() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.failed
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
	return slices.Contains(r.exclude, abs)
}
