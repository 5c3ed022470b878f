package usage

import (
	"encoding/base64"
	"encoding/binary"
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/contextd/contextd/internal/lexical"
)

// Referenced is the overlap from which an item counts as referenced.
const Referenced = 0.15

const minLetters = 3

// Words is a set of words: the sorted hashes of the runs of 3 or more letters of a text, in lower case, and of each two
// letters of scripts without spaces between words.
type Words []uint32

// WordsOf are the words of a text.
func WordsOf(text string) Words {
	const offset, prime = 2166136261, 16777619 // FNV-1a
	set := make(Words, 0, len(text)/6)
	hash, letters := uint32(offset), 0
	before := rune(0) // the letter before, of a script without spaces between words
	end := func() {
		if letters >= minLetters {
			set = append(set, hash)
		}
		hash, letters = offset, 0
	}
	var utf [utf8.UTFMax]byte
	for _, r := range text {
		switch {
		case r >= 'a' && r <= 'z':
			hash = (hash ^ uint32(r)) * prime
		case r >= 'A' && r <= 'Z':
			hash = (hash ^ uint32(r+'a'-'A')) * prime
		case lexical.Spaceless(r): // each two letters are a word
			end()
			if before != 0 {
				set = append(set, (offset^uint32(before))*prime^uint32(r)*prime)
			}
			before = r
			continue
		case r >= utf8.RuneSelf && unicode.IsLetter(r):
			for _, c := range utf[:utf8.EncodeRune(utf[:], unicode.ToLower(r))] {
				hash = (hash ^ uint32(c)) * prime
			}
		default:
			end()
			before = 0
			continue
		}
		before = 0
		letters++
	}
	end()
	slices.Sort(set)
	return slices.Compact(set)
}

// Overlap is the Jaccard index of two sets: the share of the words in either that are in both, 0 if there are none.
func Overlap(a, b Words) float64 {
	both := a.common(b)
	if all := len(a) + len(b) - both; all > 0 {
		return float64(both) / float64(all)
	}
	return 0
}

func (a Words) common(b Words) (n int) {
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] < b[j]:
			i++
		case a[i] > b[j]:
			j++
		default:
			i, j, n = i+1, j+1, n+1
		}
	}
	return n
}

// MarshalText packs the hashes.
func (a Words) MarshalText() ([]byte, error) {
	raw := make([]byte, 0, 4*len(a))
	for _, w := range a {
		raw = binary.LittleEndian.AppendUint32(raw, w)
	}
	return base64.RawStdEncoding.AppendEncode(nil, raw), nil
}

// UnmarshalText is the reverse of MarshalText.
func (a *Words) UnmarshalText(text []byte) error {
	raw, err := base64.RawStdEncoding.AppendDecode(nil, text)
	if err != nil {
		return err
	}
	*a = make(Words, len(raw)/4)
	for i := range *a {
		(*a)[i] = binary.LittleEndian.Uint32(raw[4*i:])
	}
	return nil
}
