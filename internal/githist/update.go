package githist

import (
	"context"
	"errors"
	"fmt"

	"github.com/contextd/contextd/internal/sandbox"
)

// maxTries is how often a history is read that changes meanwhile.
const maxTries = 3

// Update brings a blob up to the commit that the repository of dir is at. old is the blob that there is; nil or a
// damaged one: none. It returns old itself when nothing is new. Where history was rewritten, and old does not lie
// before the present commit, all is read again. With ErrLimit comes a blob of what could be read, so that the same
// commits are not tried again.
func Update(ctx context.Context, dir string, old []byte, o Options) ([]byte, error) {
	o = o.WithDefaults()
	ctx, cancel := context.WithTimeout(ctx, o.Timeout)
	defer cancel()
	for try := 1; ; try++ {
		r, err := sandbox.FindRepositoryIn(dir, o.Allowed)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrNone, err)
		}
		if blob, err := UpdateTo(ctx, r, old, o); try == maxTries || !errors.Is(err, ErrChanged) {
			return blob, err
		}
	}
}

// UpdateTo is Update for a repository that is known, to its Head.
func UpdateTo(ctx context.Context, r sandbox.Repository, old []byte, o Options) ([]byte, error) {
	o = o.WithDefaults()
	ctx, cancel := context.WithTimeout(ctx, o.Timeout)
	defer cancel()
	part, _ := Open(old)
	if part != nil && part.Head == r.Head {
		return old, nil
	}
	since := ""
	if part != nil && isHash(part.Head) {
		switch before, err := isAncestor(ctx, &r, part.Head, o.Memory); {
		case errors.Is(err, ErrLimit): // what is known stays
			return encode(r.Head, part.decodeNotes()), fmt.Errorf("read history: %w", err)
		case before:
			since = part.Head
		}
	}
	log, err := Read(ctx, r, since, o)
	if err != nil && !errors.Is(err, ErrLimit) {
		return nil, err
	}
	notes := log.notes()
	if since != "" {
		for _, n := range part.decodeNotes() {
			for i, p := range n.files {
				if now, ok := log.Renamed[p]; ok {
					n.files[i] = now
				}
			}
			notes = append(notes, n)
		}
	}
	return encode(r.Head, notes), err
}

func (l *Log) notes() []tokenizedNote {
	out := make([]tokenizedNote, 0, len(l.Commits))
	for i := range l.Commits {
		if len(l.Commits[i].Files) > maxFiles {
			continue
		}
		out = append(out, l.Commits[i].count())
	}
	return out
}
