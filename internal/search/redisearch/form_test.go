package redisearch

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/contextd/contextd/internal/rdb/rdbtest"
	"github.com/contextd/contextd/internal/search"
)

// valueOf is the value of a 16-bit float, by the definition of the format.
func valueOf(h uint16) float64 {
	sign, exp, frac := 1.0, int(h>>10&0x1f), float64(h&0x3ff)
	if h&0x8000 != 0 {
		sign = -1
	}
	if exp == 0 {
		return sign * math.Ldexp(frac, -24)
	}
	return sign * math.Ldexp(1024+frac, exp-25)
}

func TestHalfFloatsAreTheNearest(t *testing.T) {
	t.Parallel()
	for h := range uint16(0x7c00) {
		for _, sign := range []uint16{0, 0x8000} {
			if got := float16(float32(valueOf(h | sign))); got != h|sign {
				t.Fatalf("half(%g) = %#x, want %#x", valueOf(h|sign), got, h|sign)
			}
		}
		if h+1 == 0x7c00 {
			break
		}
		low, high := valueOf(h), valueOf(h+1)
		even := h + h&1
		for at, want := range map[float64]uint16{low + (high-low)*.49: h, (low + high) / 2: even, low + (high-low)*.51: h + 1} {
			if got := float16(float32(at)); got != want {
				t.Fatalf("half(%g) = %#x, want %#x", at, got, want)
			}
		}
	}
	for x, want := range map[float32]uint16{1e30: 0x7bff, -1e30: 0xfbff, 65519: 0x7bff, 65520: 0x7bff, 1e-30: 0, float32(math.Copysign(0, -1)): 0x8000, float32(math.Inf(1)): 0x7bff} {
		if got := float16(x); got != want {
			t.Errorf("half(%g) = %#x, want %#x", x, got, want)
		}
	}
}

func TestModuleVersionIsReadFromBothProtocols(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		reply any
		want  int
	}{
		"flat list":    {[]any{[]any{"name", "bf", "ver", int64(20800)}, []any{"name", "search", "ver", int64(21005), "path", "x"}}, 21005},
		"map":          {[]any{map[any]any{"name": "search", "ver": int64(80000)}}, 80000},
		"another name": {[]any{[]any{"name", "searchlight", "ver", int64(21005)}}, 0},
		"none":         {[]any{}, 0},
		"odd":          {[]any{[]any{"name"}, "search", nil}, 0},
		"no list":      {"OK", 0},
		"no number":    {[]any{[]any{"name", "search", "ver", "new"}}, 0},
	} {
		if got := moduleVersion(c.reply, "search"); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}

// Who may not ask for modules gets a build that any server takes; a build keeps its form until it is built from
// nothing.
func TestABuildKeepsTheFormThatItBeganWith(t *testing.T) {
	t.Parallel()
	x, s := newIndex(t, rdbtest.Search)
	version := func() string {
		r, err := x.record(t.Context(), x.readClient, "p")
		if err != nil {
			t.Fatal(err)
		}
		return r.ver
	}
	x.onlyWide = true
	put(t, x, search.Spec{}, source("a.go", "func OpenGate"))
	first := version()
	x.onlyWide = false
	put(t, x, search.Spec{}, source("b.go", "func CloseGate"))
	if formOf(first) != wide || version() != first {
		t.Errorf("builds %s, then %s; want one in the wide form", first, version())
	}
	byVector := func() {
		t.Helper()
		if paths, _ := ask(t, x, search.Query{Vector: vectorOf("func CloseGate", dims)}); !slices.Contains(paths, "b.go") {
			t.Errorf("the vector of b.go finds %v", paths)
		}
	}
	byVector()
	put(t, x, search.Spec{Full: true}, source("a.go", "func OpenGate"), source("b.go", "func CloseGate"))
	if formOf(version()) != compact {
		t.Errorf("rebuilt as %s, want the compact form", version())
	}
	byVector()

	c := redis.NewClient(&redis.Options{Addr: strings.TrimPrefix(s.URL, "redis://")})
	defer c.Close()
	user := "nomodules" + randomHex(4)
	if err := c.Do(context.Background(), "ACL", "SETUSER", user, "on", ">secret", "allkeys", "allchannels", "+@all", "-module").Err(); err != nil {
		t.Fatal(err)
	}
	limited, err := Open(Options{URL: strings.Replace(s.URL, "redis://", "redis://"+user+":secret@", 1), Prefix: s.Prefix})
	if err != nil {
		t.Fatal(err)
	}
	defer limited.Close()
	put(t, limited, search.Spec{Full: true}, source("a.go", "func OpenGate"))
	if formOf(version()) != wide {
		t.Errorf("a user that may not ask for modules made %s, want the wide form", version())
	}
}
