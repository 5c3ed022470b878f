package redis

import (
	"testing"

	"github.com/contextd/contextd/internal/rdb/rdbtest"
	"github.com/contextd/contextd/internal/store/storetest"
)

func BenchmarkStore(b *testing.B) {
	s := rdbtest.Own(b, rdbtest.Plain)
	storetest.Bench(b, open(b, s.URL, s.Prefix))
}
