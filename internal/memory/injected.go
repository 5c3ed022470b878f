package memory

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/contextd/contextd/internal/servers"
	"github.com/contextd/contextd/internal/store"
	"github.com/contextd/contextd/internal/store/shelves"
)

// Bounds of what is known of the texts injected into the prompts of one agent, or of one project, in hashes of runs of
// words: about the last eight prompts of 8,000 tokens that have nothing in common.
const (
	maxInjected = 64 << 10
	segmentSize = 4 << 10 // a segment that holds fewer takes up the next ones, too
)

// segment is a document of injected hashes: a byte for the format, then 8 bytes each, sorted. Ids are decimal numbers
// that grow.
type segment struct {
	seq    int
	rev    int64
	hashes []uint64
}

// injected is what is known of one agent, or of all agents of a project.
type injected struct {
	segments []segment // oldest first
	all      []uint64  // sorted
	recent   []uint64  // those of the newer half: they will stay for a while
}

// injectedShelves are where it is noted what the agent and its project were given.
func injectedShelves(who Who) []store.Shelf {
	all := []store.Shelf{{Bucket: bucketInjected, Owner: who.Agent}}
	if who.Project != "" {
		all = append(all, store.Shelf{Bucket: bucketInjectedProject, Owner: who.Project})
	}
	return all
}

// NoteInjected remembers that texts were put into an agent's prompt, one string for each piece, for the agent and for
// its project: what one agent was given, no other may remember as its own knowledge. Texts that were noted lately cost
// nothing. Where the server of one of the two does not answer, the other alone knows of them.
func (m *Memory) NoteInjected(ctx context.Context, who Who, texts ...string) error {
	if err := who.check(); err != nil {
		return err
	}
	var hashes []uint64
	for _, t := range texts {
		hashes = append(hashes, shingles(t)...)
	}
	slices.Sort(hashes)
	hashes = slices.Compact(hashes)
	hashes = hashes[:min(len(hashes), maxInjected/2)]
	noted, failed := 0, error(nil)
	for _, sh := range injectedShelves(who) {
		if err := m.noteHashes(ctx, sh, hashes); err != nil {
			failed = servers.Join(failed, err)
			continue
		}
		noted++
	}
	if servers.Enough(failed, noted) {
		return nil
	}
	return failed
}

// noteHashes adds sorted hashes to what is known on a shelf.
func (m *Memory) noteHashes(ctx context.Context, sh store.Shelf, hashes []uint64) error {
	_, err := m.injected.Update(ctx, sh, func(in *injected) (c shelves.Change[*injected], err error) {
		fresh := without(hashes, in.recent)
		if len(fresh) == 0 {
			return c, nil
		}
		next, writes := in.add(fresh)
		c.Writes, c.After = writes, func(rev int64) *injected {
			next.segments[len(next.segments)-1].rev = rev
			return next
		}
		return c, nil
	})
	return err
}

// add is what is known when hashes that are not in recent come, and the writes for it: they go to the newest segment if
// it is small, and the oldest go while there are too many. Whoever adds writes the newest segment as it was, or the one
// behind it; so two that do not know of each other collide, and after a success nothing else changed but by dropping.
func (in *injected) add(fresh []uint64) (next *injected, writes []store.Write) {
	s := segment{seq: 1, hashes: fresh}
	w := store.Write{If: store.Absent}
	segments := slices.Clone(in.segments)
	if k := len(segments) - 1; k >= 0 {
		last := segments[k]
		s.seq = last.seq + 1
		if len(last.hashes) < segmentSize {
			s.seq, s.hashes, w.If = last.seq, union64(last.hashes, fresh), last.rev
			segments = segments[:k]
		}
	}
	segments = append(segments, s)
	w.ID = strconv.Itoa(s.seq)
	w.Data = append(make([]byte, 0, 1+8*len(s.hashes)), format)
	for _, h := range s.hashes {
		w.Data = binary.LittleEndian.AppendUint64(w.Data, h)
	}
	writes = []store.Write{w}
	n := 0
	for _, s := range segments {
		n += len(s.hashes)
	}
	for n > maxInjected && len(segments) > 1 {
		writes = append(writes, store.Write{ID: strconv.Itoa(segments[0].seq)})
		n -= len(segments[0].hashes)
		segments = segments[1:]
	}
	next = &injected{segments: segments}
	if len(writes) == 1 && len(in.recent)+len(fresh) <= maxInjected*5/8 {
		next.all, next.recent = union64(in.all, fresh), union64(in.recent, fresh)
	} else {
		next.sum()
	}
	return next, writes
}

// sum puts the segments together.
func (in *injected) sum() {
	in.all, in.recent = nil, nil
	for i := len(in.segments) - 1; i >= 0; i-- {
		if len(in.all) < maxInjected/2 {
			in.recent = union64(in.recent, in.segments[i].hashes)
		}
		in.all = union64(in.all, in.segments[i].hashes)
	}
}

// has reports whether a hash was injected.
func (in *injected) has(h uint64) bool {
	_, ok := slices.BinarySearch(in.all, h)
	return ok
}

// readInjected parses what is known on a shelf.
func readInjected(_ context.Context, sh store.Shelf, docs []store.Doc, _ int64, _ *injected) (*injected, error) {
	in := &injected{}
	for _, d := range docs {
		s, err := parseSegment(d)
		if err != nil {
			return nil, fmt.Errorf("read %q of %s: %w", d.ID, sh, err)
		}
		in.segments = append(in.segments, s)
	}
	slices.SortFunc(in.segments, func(a, b segment) int { return cmp.Compare(a.seq, b.seq) })
	in.sum()
	return in, nil
}

// maxAgents is the number of agents and projects whose injected hashes are kept in memory.
const maxAgents = 64

func parseSegment(d store.Doc) (s segment, err error) {
	switch {
	case len(d.Data) == 0:
		return s, errors.New("it is empty")
	case d.Data[0] > format:
		return s, fmt.Errorf("version %d, this program knows %d: %w", d.Data[0], format, ErrNewer)
	case len(d.Data)%8 != 1:
		return s, fmt.Errorf("%d bytes, want 1 and 8 for each hash", len(d.Data))
	}
	if s.seq, err = strconv.Atoi(d.ID); err != nil {
		return s, fmt.Errorf("its id: %w", err)
	}
	s.rev = d.Rev
	for b := d.Data[1:]; len(b) > 0; b = b[8:] {
		s.hashes = append(s.hashes, binary.LittleEndian.Uint64(b))
	}
	if !slices.IsSorted(s.hashes) {
		return s, errors.New("its hashes are out of order")
	}
	return s, nil
}

// without are those of a that are not in b; both sorted, a with each once.
func without(a, b []uint64) []uint64 {
	var rest []uint64
	i := 0
	for _, h := range a {
		for i < len(b) && b[i] < h {
			i++
		}
		if i == len(b) || b[i] != h {
			rest = append(rest, h)
		}
	}
	return rest
}

// union64 is both, sorted, each once; both are sorted.
func union64(a, b []uint64) []uint64 {
	all := make([]uint64, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0] < b[0]:
			all, a = append(all, a[0]), a[1:]
		case a[0] > b[0]:
			all, b = append(all, b[0]), b[1:]
		default:
			all, a, b = append(all, a[0]), a[1:], b[1:]
		}
	}
	return append(append(all, a...), b...)
}

// textOf is text that a caller searches by, in lower case.
func textOf(field, text string) (string, error) {
	if len(text) > MaxContent || !utf8.ValidString(text) {
		return "", invalid(field, text, fmt.Sprintf("UTF-8, at most %d bytes", MaxContent))
	}
	return strings.ToLower(text), nil
}
