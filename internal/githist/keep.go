package githist

import (
	"bytes"
	"context"
	"errors"
)

// BlobStore keeps blobs beside a project. Indexes implement it.
type BlobStore interface {
	Attach(ctx context.Context, project, kind string, blob []byte) error
	Attached(ctx context.Context, project, kind string) ([]byte, error)
}

// Kind is the name by which a BlobStore keeps a history.
const Kind = "history"

// Keep brings the history of a project, whose root is the real path dir, up to date. A root without history has none
// kept: that is no error. ErrLimit is one, though what could be read is kept.
func Keep(ctx context.Context, s BlobStore, project, dir string, o Options) error {
	old, err := s.Attached(ctx, project, Kind)
	if err != nil {
		return err
	}
	blob, err := Update(ctx, dir, old, o)
	switch {
	case errors.Is(err, ErrNone):
		blob = nil
	case err != nil && !errors.Is(err, ErrLimit):
		return err
	}
	if errors.Is(err, ErrNone) {
		err = nil
	}
	if bytes.Equal(blob, old) {
		return err
	}
	return errors.Join(err, s.Attach(ctx, project, Kind, blob))
}
