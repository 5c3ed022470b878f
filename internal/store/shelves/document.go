package shelves

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"

	"github.com/contextd/contextd/internal/store"
)

// Doc is a document of one type that lies under one id in shelves of a kind.
type Doc[T any] struct {
	ID     string
	Decode func(data []byte) (T, error) // its error is that of Get and Update
	Encode func(v T) ([]byte, error)    // nil without an error: such a value is kept by having no document
}

// JSON is a document in JSON; one that cannot be read is an error.
func JSON[T any](id string) Doc[T] {
	decode := func(data []byte) (v T, err error) {
		err = json.Unmarshal(data, &v)
		return v, err
	}
	return Doc[T]{id, decode, func(v T) ([]byte, error) { return json.Marshal(v) }}
}

// JSONOrZero is a document in JSON; one that cannot be read counts as the zero value.
func JSONOrZero[T any](id string) Doc[T] {
	d := JSON[T](id)
	strict := d.Decode
	d.Decode = func(data []byte) (zero T, _ error) {
		if v, err := strict(data); err == nil {
			return v, nil
		}
		return zero, nil
	}
	return d
}

// Get returns the document of a shelf and its revision: the zero value and 0 where there is none.
func (d Doc[T]) Get(ctx context.Context, st store.Store, sh store.Shelf) (v T, rev int64, err error) {
	doc, err := st.Get(ctx, sh, d.ID)
	if errors.Is(err, store.ErrNotFound) {
		return v, 0, nil
	}
	if err == nil {
		v, err = d.Decode(doc.Data)
	}
	return v, doc.Rev, err
}

// Put replaces the document, whatever it was.
func (d Doc[T]) Put(ctx context.Context, st store.Store, sh store.Shelf, v T) error {
	data, err := d.Encode(v)
	if err == nil {
		_, err = st.Apply(ctx, sh, store.Write{ID: d.ID, Data: data})
	}
	return err
}

// Update replaces the document by what change makes of it, as [Update] does; nil leaves it as it is. found is false
// where there is none.
func (d Doc[T]) Update(
	ctx context.Context, st store.Store, sh store.Shelf, change func(v T, found bool) (*T, error),
) error {
	_, err := Update(ctx, st, sh, func(int) ([]store.Write, error) {
		v, rev, err := d.Get(ctx, st, sh)
		if err != nil {
			return nil, err
		}
		next, err := change(v, rev != 0)
		if err != nil || next == nil {
			return nil, err
		}
		data, err := d.Encode(*next)
		return []store.Write{{ID: d.ID, Data: data, If: cmp.Or(rev, store.Absent)}}, err
	})
	return err
}
