package redisearch

import (
	"testing"

	"github.com/contextd/contextd/internal/rdb/rdbtest"
	"github.com/contextd/contextd/internal/search"
	"github.com/contextd/contextd/internal/search/searchtest"
)

// setup gives the tests of a suite one server and a prefix each.
func setup(t *testing.T, kind rdbtest.Kind, mode string) searchtest.Setup {
	s := rdbtest.Start(t, kind)
	return func(t *testing.T) func() search.Index {
		prefix := s.Prefix + ":" + randomHex(4)
		return func() search.Index {
			x, err := Open(Options{URL: s.URL, Prefix: prefix, Mode: mode})
			if err != nil {
				t.Fatal(err)
			}
			return x
		}
	}
}

func TestSuiteOnRediSearch(t *testing.T) {
	t.Parallel()
	searchtest.Run(t, setup(t, rdbtest.Search, "auto"))
}

// A server that knows no compact form, or does not tell its modules.
func TestSuiteOnRediSearchInTheWideForm(t *testing.T) {
	t.Parallel()
	open := setup(t, rdbtest.Search, "auto")
	searchtest.Run(t, func(t *testing.T) func() search.Index {
		next := open(t)
		return func() search.Index {
			x := next()
			x.(*Index).onlyWide = true
			return x
		}
	})
}

func TestSuiteOfNamesOnPlainRedis(t *testing.T) {
	t.Parallel()
	searchtest.RunNames(t, setup(t, rdbtest.Plain, "auto"))
}

func TestSuiteOfNamesByChoice(t *testing.T) {
	t.Parallel()
	searchtest.RunNames(t, setup(t, rdbtest.Search, "names"))
}
