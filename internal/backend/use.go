package backend

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/contextd/contextd/internal/search"
	"github.com/contextd/contextd/internal/statedir"
)

// use is what is known of the questions to a project.
type use struct {
	brought time.Time // when it was first indexed or asked for; zero: unknown
	queried time.Time // the last question; zero: none
}

const (
	// inUse is how long after a question a project counts as in use.
	inUse = time.Hour
	// firstAsked is how long after it was brought questions are those of whoever brought it: it waits for the index.
	firstAsked = time.Minute
	// useKept is how long the use of a project without an index is remembered.
	useKept = 24 * time.Hour
)

// lately reports whether somebody asked in the last hour.
func (u use) lately(now time.Time) bool { return now.Sub(u.queried) < inUse }

// class is 0 for a project that nobody has asked again since it was brought, 1 for one that was in use, 2 for one that is.
func (u use) class(now time.Time) int {
	switch {
	case u.queried.IsZero() || u.queried.Sub(u.brought) < firstAsked:
		return 0
	case !u.lately(now):
		return 1
	}
	return 2
}

// sortForEviction puts first what is to go first. Of the projects that nobody has asked again, and of those that are in use, what
// came last goes first, so that whoever brings many takes from himself; the others go least recently queried first.
func sortForEviction(projects []search.Project, uses map[string]use, now time.Time) {
	brought := func(p search.Project) time.Time {
		if t := uses[p.ID].brought; !t.IsZero() {
			return t
		}
		return p.IndexedAt
	}
	slices.SortStableFunc(projects, func(a, b search.Project) int {
		ua, ub := uses[a.ID], uses[b.ID]
		ca, cb := ua.class(now), ub.class(now)
		if ca != cb {
			return cmp.Compare(ca, cb)
		}
		if ca == 1 {
			return ua.queried.Compare(ub.queried)
		}
		return cmp.Or(brought(b).Compare(brought(a)), cmp.Compare(b.ID, a.ID))
	})
}

// sortLeastRecent puts first what is least recently queried.
func sortLeastRecent(projects []search.Project, uses map[string]use) {
	slices.SortStableFunc(projects, func(a, b search.Project) int {
		return cmp.Or(uses[a.ID].queried.Compare(uses[b.ID].queried), a.IndexedAt.Compare(b.IndexedAt))
	})
}

// usesKey is a hash: project → use as text, by the clock of whoever wrote it.
func (b *Backend) usesKey() string { return b.opts.Prefix + ":uses" }

// useScript sets the time of a question. KEYS uses; ARGV project, now in ms, "1" for a question, "0" for a project that was indexed.
var useScript = redis.NewScript(`
local was = redis.call('HGET', KEYS[1], ARGV[1])
if was and ARGV[3] == '0' then return 0 end
local brought = was and string.match(was, '^%d+') or ARGV[2]
redis.call('HSET', KEYS[1], ARGV[1], brought .. ' ' .. (ARGV[3] == '1' and ARGV[2] or '0'))
return 1`)

// queriedDir holds a file for each project: its text is when the project was brought, its time that of the last question, the
// year 1970 if there was none.
const queriedDir = "queried"

func (b *Backend) queriedFile(project string) string {
	return filepath.Join(b.opts.StateDir, queriedDir, queriedName(project))
}

func queriedName(project string) string {
	sum := sha256.Sum256([]byte(project))
	return hex.EncodeToString(sum[:8])
}

// noteTimeout is how long the note of a question may take on Redis; the answer does not wait for it, Close does.
const noteTimeout = 100 * time.Millisecond

// Queried notes that a project was queried just now, for Evict. Where nothing can be written nothing is noted.
func (b *Backend) Queried(project string) {
	now := time.Now()
	if b.Name == Embedded {
		b.noteFile(project, now, true)
		return
	}
	b.notes.Go(func() {
		ctx, cancel := context.WithTimeout(context.Background(), noteTimeout)
		defer cancel()
		_ = useScript.Run(ctx, b.client, []string{b.usesKey()}, project, now.UnixMilli(), "1").Err() // without it the project goes sooner
	})
}

// noteBrought notes that a project is indexed, unless that or a question to it was noted before.
func (b *Backend) noteBrought(ctx context.Context, project string) {
	now := time.Now()
	if b.Name == Embedded {
		b.noteFile(project, now, false)
		return
	}
	_ = useScript.Run(ctx, b.client, []string{b.usesKey()}, project, now.UnixMilli(), "0").Err() // a full server takes none
}

func (b *Backend) noteFile(project string, now time.Time, question bool) {
	path := b.queriedFile(project)
	if !question {
		if _, err := os.Lstat(path); err == nil {
			return
		}
	} else if os.Chtimes(path, now, now) == nil {
		return
	}
	if _, err := os.Stat(filepath.Join(b.opts.StateDir, projectsDir)); err != nil {
		return // nothing is indexed, so nothing can go
	}
	if os.MkdirAll(filepath.Dir(path), 0o700) != nil || os.WriteFile(path, strconv.AppendInt(nil, now.UnixMilli(), 10), 0o600) != nil {
		return // without it the project counts as never queried
	}
	if !question {
		_ = os.Chtimes(path, time.Unix(0, 0), time.Unix(0, 0))
	}
}

// uses reads the use of the projects, and forgets that of others which is old.
func (b *Backend) uses(ctx context.Context, projects []search.Project, now time.Time) (map[string]use, error) {
	all, err := b.noted(ctx)
	if err != nil {
		return nil, err
	}
	mine := make(map[string]use, len(projects))
	for _, p := range projects {
		name := b.noteName(p.ID)
		mine[p.ID] = all[name]
		delete(all, name)
	}
	b.forgetOld(ctx, all, now)
	return mine, nil
}

// KeepUses forgets the use of projects other than those of ids, which are all that the index holds, once it is old: a project may
// have been made since ids were read, or may come back.
func (b *Backend) KeepUses(ctx context.Context, ids []string) error {
	all, err := b.noted(ctx)
	for _, id := range ids {
		delete(all, b.noteName(id))
	}
	b.forgetOld(ctx, all, time.Now())
	return err
}

// forgetOld forgets each use that is older than useKept.
func (b *Backend) forgetOld(ctx context.Context, all map[string]use, now time.Time) {
	for name, u := range all {
		if now.Sub(u.brought) > useKept && now.Sub(u.queried) > useKept {
			b.dropUse(ctx, name)
		}
	}
}

// noteName is the name under which the use of a project is noted: its id, or the name of a file.
func (b *Backend) noteName(project string) string {
	if b.Name == Embedded {
		return queriedName(project)
	}
	return project
}

// maxNote is how many bytes of a file's text are read: a time in milliseconds has 13.
const maxNote = 32

// noted reads all uses, by the names under which they are noted.
func (b *Backend) noted(ctx context.Context) (map[string]use, error) {
	all := map[string]use{}
	if b.Name == Embedded {
		dir := filepath.Join(b.opts.StateDir, queriedDir)
		entries, err := os.ReadDir(dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // none: nobody asked yet
			return nil, fmt.Errorf("read %q: %w", dir, statedir.Cause(err))
		}
		for _, e := range entries {
			info, err := e.Info()
			if err != nil || !info.Mode().IsRegular() {
				continue
			}
			u := use{}
			if info.Size() <= maxNote {
				text, _ := os.ReadFile(filepath.Join(dir, e.Name()))
				u.brought = millis(string(text))
			}
			if info.ModTime().Unix() > 0 {
				u.queried = info.ModTime()
			}
			if u.brought.IsZero() { // an older version's, which noted questions alone
				u.brought = u.queried.Add(-firstAsked)
			}
			all[e.Name()] = u
		}
		return all, nil
	}
	rows, err := b.client.HGetAll(ctx, b.usesKey()).Result()
	if err != nil {
		return nil, fmt.Errorf("read %q from Redis: %w", b.usesKey(), err)
	}
	for id, text := range rows {
		brought, queried, _ := strings.Cut(text, " ")
		all[id] = use{brought: millis(brought), queried: millis(queried)}
	}
	return all, nil
}

// dropUse removes what is noted under name: the project, or the name of its file.
func (b *Backend) dropUse(ctx context.Context, name string) {
	if b.Name == Embedded {
		_ = os.Remove(filepath.Join(b.opts.StateDir, queriedDir, name)) // a file of 13 bytes does no harm
		return
	}
	_ = b.client.HDel(ctx, b.usesKey(), name).Err()
}

// forgetUse removes what is noted of a project that was evicted: if it comes again, it is new.
func (b *Backend) forgetUse(ctx context.Context, project string) {
	b.dropUse(ctx, b.noteName(project))
}

// millis reads a time in milliseconds since 1970; zero if it is none.
func millis(text string) time.Time {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n <= 0 {
		return time.Time{}
	}
	return time.UnixMilli(n)
}
