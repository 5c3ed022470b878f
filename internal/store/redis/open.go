package redis

import (
	"cmp"
	"context"
	"fmt"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"github.com/contextd/contextd/internal/rdb"
	"github.com/contextd/contextd/internal/store"
)

// Options say where the store is.
type Options struct {
	URL    string
	Prefix string // first part of every key

	// Deadline is how long one command may take at most; 0 means 5 s.
	Deadline time.Duration
}

// Store is a store.Store on Redis. Implements store.Store.
type Store struct {
	keys
	client *goredis.Client
}

var _ store.Store = (*Store)(nil)

// Open opens the store. It sends nothing: a server that is down shows in the first method.
func Open(o Options) (*Store, error) {
	client, err := rdb.Interactive(o.URL, cmp.Or(o.Deadline, 5*time.Second))
	if err != nil {
		return nil, err
	}
	return &Store{keys: keys{o.Prefix}, client: client}, nil
}

// Close ends all use of s.
func (s *Store) Close() error { return s.client.Close() }

// Ping reports whether the server answers.
func (s *Store) Ping(ctx context.Context) error {
	if err := s.client.Ping(ctx).Err(); err != nil {
		return fmt.Errorf("ping redis: %w", err)
	}
	return nil
}

// keys are the names of all keys. A bucket is letters only, so an owner may hold anything.
type keys struct{ prefix string }

func (k keys) shelf(s store.Shelf) string { return k.prefix + ":doc:" + s.Bucket + ":" + s.Owner }
func (k keys) revs(bucket string) string  { return k.prefix + ":rev:" + bucket }
func (k keys) owners(bucket string) string {
	return k.prefix + ":owners:" + bucket
}
func (k keys) log(name string) string { return k.prefix + ":log:" + name }
