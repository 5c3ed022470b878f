package tokens

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/tiktoken-go/tokenizer/codec"

	"github.com/contextd/contextd/internal/recent"
)

// Default is the encoding where none is named.
const Default = "o200k_base"

// Limits of what is encoded to be counted. A piece is a word with the character before it, a number, signs, or white
// space; one that is longer than these counts as one token a byte, which no encoding exceeds. So a megabyte without a
// space costs no time.
const (
	maxPiece = 4 << 10 // bytes
	maxBlank = 256     // bytes of white space with line ends in it
)

// del is a character that the library's expression skips by mistake: pieces with it count as one token a byte.
const del = '\x7f'

// Sizes of the caches.
const (
	maxMemo        = 64 << 10 // pieces
	maxMemoBytes   = 64       // bytes of the longest piece that is remembered
	maxTexts       = 16 << 10 // texts; at least half of them
	minHashedBytes = 256      // bytes from which a text is remembered: a shorter one is counted as fast
)

// Counter counts the tokens of texts in one encoding. Safe for concurrent use.
type Counter struct {
	name  string
	split rule
	load  func() *codec.Codec

	once  sync.Once // makes codec and texts
	codec *codec.Codec
	mu    sync.RWMutex // guards memo
	memo  map[string]int
	texts *recent.Map[[sha256.Size]byte, int] // counts by the hashes of texts
}

var counters = []*Counter{
	{name: "cl100k_base", split: splitCl100k, load: codec.NewCl100kBase},
	{name: Default, split: splitO200k, load: codec.NewO200kBase},
}

// Encodings lists the known encodings.
func Encodings() (names []string) {
	for _, c := range counters {
		names = append(names, c.name)
	}
	return names
}

// For is the counter of an encoding, "" meaning Default; all callers share it. Its vocabulary is loaded when it counts
// first.
func For(encoding string) (*Counter, error) {
	encoding = cmp.Or(encoding, Default)
	i := slices.IndexFunc(counters, func(c *Counter) bool { return c.name == encoding })
	if i < 0 {
		return nil, fmt.Errorf("encoding %q is not known: want %s", encoding, strings.Join(Encodings(), " or "))
	}
	return counters[i], nil
}

// Estimated is what the counter of [Estimate] calls its encoding.
const Estimated = "estimate"

// estimateBytes is how many bytes Estimate takes for a token. Code has 3 to 4 in the encodings, most languages more.
const estimateBytes = 3

var estimate = &Counter{name: Estimated}

// Estimate is a counter without a vocabulary: 3 bytes are a token. For processes that live too short to load one.
func Estimate() *Counter { return estimate }

// ByName is the counter whose Encoding is name, that of [Estimate] too, which no request may ask for by its name.
func ByName(name string) (*Counter, error) {
	if name == Estimated {
		return estimate, nil
	}
	return For(name)
}

// Encoding is the counter's encoding.
func (c *Counter) Encoding() string { return c.name }

// Count is the number of tokens of a text. It is exact but for pieces of over 4 KB without a space between, runs of
// over 256 bytes of white space with line ends, and the character U+007F, of which it is an upper bound. Bytes that are
// no UTF-8 count as U+FFFD, which is what a provider is sent for them; special tokens count as the text they are
// written with.
func (c *Counter) Count(text string) int {
	if c.load == nil {
		return (len(text) + estimateBytes - 1) / estimateBytes
	}
	if len(text) < minHashedBytes {
		return c.count(text)
	}
	c.Load()
	key := sha256.Sum256([]byte(text))
	if n, ok := c.texts.Get(key); ok {
		return n
	}
	n := c.count(text)
	c.texts.Put(key, n)
	return n
}

// newCount is a piece that was not in the memo.
type newCount struct {
	piece string
	n     int
}

func (c *Counter) count(text string) (sum int) {
	if !utf8.ValidString(text) {
		text = string([]rune(text))
	}
	var fresh []newCount
	c.mu.RLock()
	for len(text) > 0 {
		n := c.split(text)
		piece := text[:n]
		text = text[n:]
		if n == 1 { // every byte is a token
			sum++
			continue
		}
		if n <= maxMemoBytes {
			if k, ok := c.memo[piece]; ok {
				sum += k
				continue
			}
		}
		k := c.encode(piece)
		sum += k
		if n <= maxMemoBytes {
			fresh = append(fresh, newCount{piece, k})
		}
	}
	c.mu.RUnlock()
	if len(fresh) > 0 {
		c.remember(fresh)
	}
	return sum
}

// Load loads the vocabulary, as the first Count would.
func (c *Counter) Load() {
	c.once.Do(func() { c.codec, c.texts = c.load(), recent.New[[sha256.Size]byte, int](maxTexts/2, nil) })
}

// encode counts one piece.
func (c *Counter) encode(piece string) int {
	if len(piece) > maxPiece || strings.IndexByte(piece, del) >= 0 || len(piece) > maxBlank &&
		strings.TrimSpace(piece) == "" && strings.ContainsAny(piece, "\r\n") {
		return len(piece)
	}
	c.Load()
	n, err := c.codec.Count(piece)
	if err != nil { // only the expression could fail; a token is at least a byte
		return len(piece)
	}
	return n
}

func (c *Counter) remember(fresh []newCount) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.memo == nil || len(c.memo)+len(fresh) > maxMemo { // words come back soon
		c.memo = make(map[string]int)
	}
	for _, f := range fresh[:min(len(fresh), maxMemo)] {
		c.memo[strings.Clone(f.piece)] = f.n
	}
}
