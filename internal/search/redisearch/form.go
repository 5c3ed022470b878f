package redisearch

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/contextd/contextd/internal/search"
)

// form is how the chunks of a build are stored: the first letter of its version's name.
type form string

const (
	wide    form = "v" // what all servers take: vectors of 32-bit floats, words with their places
	compact form = "c" // vectors of 16-bit floats, words with weights and without places: for RediSearch from 2.10 on
)

// compactSince is the version of the search module that has vectors of 16-bit floats.
const compactSince = 21000

// formOf is the form of a build.
func formOf(ver string) form {
	if strings.HasPrefix(ver, string(compact)) {
		return compact
	}
	return wide
}

// form is the form of a new build on this server. One that does not tell its modules gets what all take.
func (x *Index) form(ctx context.Context, mode search.Mode) form {
	if mode != search.Full || x.onlyWide {
		return wide
	}
	reply, err := x.readClient.Do(ctx, "MODULE", "LIST").Result()
	if err != nil {
		x.opts.Log.Debug("modules of Redis not known", "error", err)
		return wide
	}
	if moduleVersion(reply, "search") >= compactSince {
		return compact
	}
	return wide
}

// moduleVersion finds a module's version in the reply to MODULE LIST: a list of maps, as maps or as flat lists; 0 if it
// is not there.
func moduleVersion(reply any, name string) int {
	modules, _ := reply.([]any)
	for _, m := range modules {
		fields := map[string]string{}
		switch m := m.(type) {
		case []any:
			for i := 0; i+1 < len(m); i += 2 {
				fields[fmt.Sprint(m[i])] = fmt.Sprint(m[i+1])
			}
		case map[any]any:
			for k, v := range m {
				fields[fmt.Sprint(k)] = fmt.Sprint(v)
			}
		}
		if fields["name"] == name {
			v, _ := strconv.Atoi(fields["ver"])
			return v
		}
	}
	return 0
}

// weights are those of the fields that hold words: a word that counts 7 times stands once in each of three. Servers that
// know no weights get it 7 times.
func (f form) weights() []int {
	if f == compact {
		return []int{1, 2, 4}
	}
	return []int{1}
}

// wordField is the name of the field of a weight.
func wordField(weight int) string { return "w" + strconv.Itoa(weight) }

// vectorType is the type of the vectors as FT.CREATE names it.
func (f form) vectorType() string {
	if f == compact {
		return "FLOAT16"
	}
	return "FLOAT32"
}

// vector is a vector as RediSearch takes it, nil for one that is zero: it has no direction, so no cosine.
func (f form) vector(v []float32) []byte {
	if search.IsZero(v) {
		return nil
	}
	b := make([]byte, 0, 4*len(v))
	for _, x := range v {
		if f == compact {
			b = binary.LittleEndian.AppendUint16(b, float16(x))
		} else {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
		}
	}
	return b
}

// float16 is x as a 16-bit float (IEEE 754 binary16), rounded to the nearest, ties to even; what is too large for one
// is the largest.
func float16(x float32) uint16 {
	bits := math.Float32bits(x)
	sign, exp, frac := uint16(bits>>16&0x8000), int(bits>>23&0xff)-127, bits&0x7fffff|0x800000
	switch {
	case exp > 15:
		return sign | 0x7bff
	case exp < -25:
		return sign
	}
	shift := uint(13)
	if exp < -14 { // below the normal ones the fraction has fewer bits
		shift += uint(-14 - exp)
		exp = -15
	}
	kept, rest := frac>>shift, frac&(1<<shift-1)
	if tie := uint32(1) << (shift - 1); rest > tie || rest == tie && kept&1 == 1 {
		kept++
	}
	if exp == -15 {
		return sign | uint16(kept) // a carry makes it the least normal one
	}
	if h := uint32(exp+15)<<10 + kept - 0x400; h < 0x7c00 { // a carry goes into the exponent
		return sign | uint16(h)
	}
	return sign | 0x7bff
}
