package redis

import (
	"strings"
	"testing"

	"github.com/contextd/contextd/internal/rdb/rdbtest"
	"github.com/contextd/contextd/internal/store"
	"github.com/contextd/contextd/internal/store/storetest"
)

func TestMain(m *testing.M) {
	storetest.Main(m, func(where string) (store.Store, error) {
		url, prefix, _ := strings.Cut(where, "|")
		return Open(Options{URL: url, Prefix: prefix})
	})
}

func TestStore(t *testing.T) {
	t.Parallel()
	server := rdbtest.Own(t, rdbtest.Plain)
	storetest.Run(t, func(t *testing.T) storetest.Place {
		prefix := server.Prefix + ":" + t.Name()
		return storetest.Place{Open: func() store.Store {
			return open(t, server.URL, prefix)
		}, Where: server.URL + "|" + prefix}
	})
}

func open(t testing.TB, url, prefix string) *Store {
	t.Helper()
	s, err := Open(Options{URL: url, Prefix: prefix})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}
