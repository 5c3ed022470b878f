package backend

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"reflect"
	"slices"
	"time"

	"github.com/contextd/contextd/internal/presence"
	"github.com/contextd/contextd/internal/rdb"
	"github.com/contextd/contextd/internal/statedir"
	"github.com/contextd/contextd/internal/syserr"
)

// SeenFile is where a daemon keeps what it saw of its several servers, in its state directory: a command that runs for
// a moment learns from it since when one is down, and a server that was taken out of the list is not forgotten.
const SeenFile = "servers.json"

// SeenServer is one of several servers as the daemon of this state directory saw it last.
type SeenServer struct {
	Name      string    `json:"name"`
	Address   string    `json:"address"`
	Projects  int       `json:"projects"` // roots of projects, when it answered last
	DownSince time.Time `json:"down_since,omitzero"`
}

// Address is where this server is, without what is needed to log in; "" where there are not several.
func (b *Backend) Address() string { return b.place.address }

// addressOf is the address of what a URL names.
func addressOf(t *rdb.Target) string {
	if t.Master != "" {
		return fmt.Sprintf("%s of %s", t.Master, t.Sentinels)
	}
	return t.Addr
}

// DownSince is since when this one of several servers does not answer, as this process saw it or, where it came later,
// the daemon of its state directory; zero where it answers or that is not known.
func (b *Backend) DownSince() time.Time {
	if b.place.all == nil {
		return time.Time{}
	}
	own := b.place.all.several.downSince(b.place.number)
	if own.IsZero() {
		return own
	}
	if _, lives := presence.Holder(b.opts.StateDir); lives {
		if s := b.Seen(); !s.DownSince.IsZero() && s.DownSince.Before(own) {
			return s.DownSince
		}
	}
	return own
}

// Seen is what the daemon of this state directory saw of this server last.
func (b *Backend) Seen() SeenServer {
	all, err := b.seen()
	if err != nil {
		b.opts.Log.Debug("servers seen before not read", "error", err)
	}
	for _, s := range all {
		if s.Name == b.Server() {
			return s
		}
	}
	return SeenServer{}
}

func (b *Backend) seen() (all []SeenServer, err error) {
	path := filepath.Join(b.opts.StateDir, SeenFile)
	data, err := statedir.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &all)
	}
	if err != nil {
		return nil, fmt.Errorf("read %q: %w", path, syserr.Cause(err))
	}
	return all, nil
}

// Unlisted are servers that a daemon of this state directory has used and that are no longer in the list: what is
// remembered there is missing until "indexer move --from" has brought it.
func (b *Backend) Unlisted() ([]SeenServer, error) {
	if b.Name != Redis {
		return nil, nil
	}
	all, err := b.seen()
	if err != nil {
		return nil, err
	}
	return b.unlisted(all)
}

// unlisted are those of all that are not in the list.
func (b *Backend) unlisted(all []SeenServer) ([]SeenServer, error) {
	targets, err := rdb.ParseURLs(b.opts.Redis)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(slices.Clone(all), func(s SeenServer) bool {
		return slices.ContainsFunc(targets, func(t *rdb.Target) bool { return t.Name() == s.Name })
	}), nil
}

// NoteServers writes down what is seen of several servers now, for [Backend.Seen] and [Backend.Unlisted]. It writes
// only where something has changed.
func (b *Backend) NoteServers(ctx context.Context) error {
	if b.several == nil {
		return nil
	}
	projects, fault := b.Index.Projects(ctx)
	before, err := b.seen()
	if err != nil {
		b.opts.Log.Warn("servers seen before not read", "error", err)
		return err
	}
	now, err := b.unlisted(before)
	if err != nil {
		return err
	}
	for _, one := range b.several.each {
		s := SeenServer{Name: one.Server(), Address: one.Address(), DownSince: b.several.downSince(one.place.number)}
		answered := one.Mine(fault) == nil
		for _, was := range before {
			if !answered && was.Name == s.Name {
				s.Projects = was.Projects
			}
		}
		for _, p := range projects {
			if answered && one.Owns(p.ID) {
				s.Projects++
			}
		}
		now = append(now, s)
	}
	return b.writeSeen(before, now)
}

func (b *Backend) writeSeen(before, now []SeenServer) error {
	slices.SortFunc(now, func(x, y SeenServer) int { return cmp.Compare(x.Name, y.Name) })
	if reflect.DeepEqual(before, now) {
		return nil
	}
	data, err := json.MarshalIndent(now, "", "  ")
	if err != nil {
		return err
	}
	return statedir.Replace(filepath.Join(b.opts.StateDir, SeenFile), append(data, '\n'))
}

// forgetSeen forgets a server that is not in the list and of which nothing is left to move.
func (b *Backend) forgetSeen(t *rdb.Target) error {
	before, err := b.seen()
	if err != nil {
		return err
	}
	return b.writeSeen(before, slices.DeleteFunc(slices.Clone(before), func(s SeenServer) bool {
		return s.Name == t.Name() || s.Address == addressOf(t)
	}))
}
