package dedup

import (
	"strings"
	"sync"

	"github.com/contextd/contextd/internal/lexical"
)

// stretchSlack is the number of words by which a stretch may be longer than twice the text.
const stretchSlack = 8

// minVerbatim is the number of bytes under which a text is too short for being found verbatim to mean anything.
const minVerbatim = 12

// stopWords are words that say nothing of what a text is about, stemmed as package lexical does it.
var stopWords = func() map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq("the and for are but not you all any can had has have was were with this that these those from they them their there then than will would should could into its our your his her she him who what when where which why how been being does did also") {
		m[lexical.Stem(w)] = true
	}
	return m
}()

// message is one live message, read.
type message struct {
	words  []int32 // in order
	has    []bool  // by number of a word
	text   string  // white space made one
	claims []sentence
	read   bool // claims is set
}

// comparer compares texts with the live messages by their words.
type comparer struct {
	in       *lexical.Interner
	counted  []int8 // by number of a word: 1 it counts, -1 it does not, 0 unknown
	messages []message
	content  []string

	words, distinct []int32 // of the text at hand
	mark            []int32 // by number of a word: text that has it
	count           []int32 // by number of a word: how often it is in the stretch
	text            int32
}

// interners keeps what identifiers become from one call to the next.
var interners = sync.Pool{New: func() any { return lexical.NewInterner() }}

func newComparer(messages []Message, live []int) *comparer {
	c := &comparer{in: interners.Get().(*lexical.Interner)}
	for _, i := range live {
		content := messages[i].Content
		c.read(content)
		m := message{words: append([]int32(nil), c.words...), has: make([]bool, c.in.Len())}
		for _, n := range m.words {
			m.has[n] = true
		}
		c.messages, c.content = append(c.messages, m), append(c.content, content)
	}
	return c
}

// maxInternerWords is the number of words over which an interner is not kept: all that is indexed by word grows with
// it.
const maxInternerWords = 1 << 14

func (c *comparer) close() {
	if c.in.Len() <= maxInternerWords {
		interners.Put(c.in)
	}
}

// read sets words to the telling words of a text, in order.
func (c *comparer) read(text string) {
	c.words = c.words[:0]
	for at := 0; ; {
		start, end := lexical.NextIdent(text, at)
		if start >= len(text) {
			return
		}
		for _, n := range c.in.Ident(text[start:end]) {
			if int(n) >= len(c.counted) {
				c.counted = append(c.counted, make([]int8, c.in.Len()-len(c.counted))...)
			}
			if c.counted[n] == 0 {
				c.counted[n] = -1
				if w := c.in.Term(n).Text[1:]; len(w) > 2 && !stopWords[w] || w[0] >= '0' && w[0] <= '9' {
					c.counted[n] = 1
				}
			}
			if c.counted[n] > 0 {
				c.words = append(c.words, n)
			}
		}
		at = end
	}
}

// compare is the overlap of a text with each message, and the latest message that holds it
// verbatim, -1 if none does. Overlaps that cannot be above the threshold may be too low.
func (c *comparer) compare(text string, threshold float64) (overlap []float64, verbatim int) {
	c.read(text)
	c.text++
	c.distinct = c.distinct[:0]
	if more := c.in.Len() - len(c.mark); more > 0 {
		c.mark, c.count = append(c.mark, make([]int32, more)...), append(c.count, make([]int32, more)...)
	}
	for _, n := range c.words {
		if c.mark[n] != c.text {
			c.mark[n] = c.text
			c.distinct = append(c.distinct, n)
		}
	}
	overlap = make([]float64, len(c.messages))
	verbatim = -1
	if len(c.distinct) == 0 {
		return overlap, verbatim
	}
	flat := ""
	for k := range c.messages {
		m := &c.messages[k]
		found := 0
		for _, n := range c.distinct {
			if int(n) < len(m.has) && m.has[n] {
				found++
			}
		}
		share := float64(found) / float64(len(c.distinct))
		if found == len(c.distinct) {
			if flat == "" {
				flat = strings.Join(strings.Fields(text), " ")
			}
			if m.text == "" {
				m.text = strings.Join(strings.Fields(c.content[k]), " ")
			}
			if len(flat) >= minVerbatim && strings.Contains(m.text, flat) {
				verbatim = k
			}
		}
		if found == 0 {
			continue
		}
		if share > threshold {
			share = c.stretch(m)
		}
		overlap[k] = share
	}
	return overlap, verbatim
}

// stretch is the greatest share of the text's distinct words in one stretch of a message.
func (c *comparer) stretch(m *message) float64 {
	size := 2*len(c.words) + stretchSlack
	now, most := 0, 0
	for i, n := range m.words {
		if c.marked(n) {
			if c.count[n]++; c.count[n] == 1 {
				now++
				most = max(most, now)
			}
		}
		if i >= size {
			if old := m.words[i-size]; c.marked(old) {
				if c.count[old]--; c.count[old] == 0 {
					now--
				}
			}
		}
	}
	for _, n := range c.distinct {
		c.count[n] = 0
	}
	return float64(most) / float64(len(c.distinct))
}

// agrees reports whether live message k claims what a text does.
func (c *comparer) agrees(text []sentence, k int) bool {
	m := &c.messages[k]
	if !m.read {
		m.claims, m.read = claims(c.content[k]), true
	}
	return agrees(text, m.claims)
}

func (c *comparer) marked(n int32) bool { return c.mark[n] == c.text }
