package backend

import (
	"cmp"
	"errors"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/contextd/contextd/internal/rdb"
)

// The names of the backings.
const (
	Embedded = "embedded"
	Redis    = "redis"
)

// Options choose a backing.
type Options struct {
	Redis         string // URL, or several with blanks between; "" for the embedded backing
	Prefix        string // first part of every Redis key; "" means "ctx"
	StateDir      string // absolute
	NamesOnly     bool   // search file names only, whatever the backing can
	VectorIndex   string // "flat", "hnsw" or "auto", on Redis; "" means auto
	MaxStateBytes int64  // size of all indexes together, of each of several servers; 0 means 10 GB
	Limits        Limits
	// Deadline is the longest that one Redis command may take where somebody waits for an answer. 0: nobody does; what
	// looks takes at most 5 s then, and what writes tries again.
	Deadline time.Duration
	Log      *slog.Logger // nil: none
}

// WithDefaults fills what is not set.
func (o Options) WithDefaults() Options {
	o.Prefix = cmp.Or(o.Prefix, "ctx")
	o.MaxStateBytes = cmp.Or(o.MaxStateBytes, 10_000_000_000)
	o.Limits = o.Limits.WithDefaults()
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	return o
}

// Validate names the first option that is wrong.
func (o Options) Validate() error {
	if o.Redis != "" {
		if _, err := rdb.ParseURLs(o.Redis); err != nil {
			return err
		}
	}
	if !filepath.IsAbs(o.StateDir) {
		return errors.New("state directory: want an absolute path")
	}
	return nil
}
