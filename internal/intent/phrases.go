package intent

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
)

//go:embed patterns.txt
var patterns string

// data is patterns.txt, read.
type data struct {
	ids      map[string]int32   // word of a phrase or class → number
	byWord   [][]*phrase        // phrases that may begin with a word, by its number; phrases are shared
	anyStart []*phrase          // phrases that begin a clause with any word that can be a verb
	typos    map[string]int32   // word with one letter left out → the word, if there is only one
	names    []string           // the words by number
	groups   map[string][]int32 // alternatives as written → the numbers of their words

	stop, filler, lead, negator, greets map[string]bool
	ext, file, product, domain          map[string]bool
	greetings                           [][]*phrase // as byWord
}

// phrase is one line of patterns.txt.
type phrase struct {
	elems   []elem
	start   bool // begins a clause
	frame   int  // index in Frames, with weight
	weight  float64
	hints   []Memory
	recency float64
	ask     bool
	line    string
}

// elem is one word of a phrase.
type elem struct {
	set      []uint64 // bit set of word numbers; nil: any word
	optional bool
	gap      bool // any words, up to maxGap
}

// maxGap is how many words a "*" of a phrase may stand for.
const maxGap = 6

func (e elem) has(id int32) bool { return e.set == nil || id >= 0 && e.set[id>>6]>>(id&63)&1 == 1 }

var loaded = sync.OnceValue(func() *data {
	d, err := load(patterns)
	if err != nil {
		panic(err) // the file is part of the program, and a test reads it
	}
	return d
})

// load reads a file of patterns.
func load(text string) (*data, error) {
	d := &data{ids: map[string]int32{}, typos: map[string]int32{}, groups: map[string][]int32{}}
	classes := map[string]*map[string]bool{
		"stop": &d.stop, "filler": &d.filler, "lead": &d.lead, "negator": &d.negator,
		"ext": &d.ext, "file": &d.file, "product": &d.product, "domain": &d.domain,
	}
	for _, set := range classes {
		*set = map[string]bool{}
	}
	d.greets = map[string]bool{}
	aliases := map[string]string{}
	type raw struct {
		phrase
		words    []string
		greeting bool
	}
	var raws []raw
	var head raw
	var class *map[string]bool
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		fail := func(format string, args ...any) error {
			return fmt.Errorf("patterns.txt:%d: "+format, append([]any{i + 1}, args...)...)
		}
		switch name, value, isAlias := strings.Cut(line, " = "); {
		case line == "" || line[0] == '#':
		case line[0] == '[':
			head, class = raw{}, nil
			for effect := range strings.SplitSeq(strings.Trim(line, "[]"), "; ") {
				if class = classes[effect]; class != nil {
					continue
				}
				if effect == "greeting" {
					head.greeting = true
				} else if err := head.phrase.effect(effect); err != nil {
					return nil, fail("%w", err)
				}
			}
		case isAlias && line[0] == '@':
			aliases[name] = value
		case class != nil:
			for w := range strings.SplitSeq(line, "|") {
				(*class)[w] = true
			}
		default:
			r := head
			r.line = line
			for w := range strings.FieldsSeq(line) {
				if w == "^" && len(r.words) == 0 && !r.start {
					r.start = true
					continue
				}
				w, err := expand(w, aliases)
				if err != nil {
					return nil, fail("%w", err)
				}
				r.words = append(r.words, w)
				d.numberAlternatives(strings.TrimSuffix(w, "?"))
			}
			if r.greeting && len(r.words) == 1 {
				for w := range strings.SplitSeq(r.words[0], "|") {
					d.greets[w] = true
				}
			}
			raws = append(raws, r)
		}
	}
	for _, set := range []map[string]bool{d.negator, d.lead} {
		for w := range set {
			d.number(w)
		}
	}
	d.byWord, d.greetings = make([][]*phrase, len(d.names)), make([][]*phrase, len(d.names))
	sets := make(map[string][]uint64, len(d.groups))
	for i := range raws {
		r := &raws[i]
		index := d.byWord
		if r.greeting {
			index = d.greetings
		}
		if err := d.build(&r.phrase, r.words, index, sets); err != nil {
			return nil, err
		}
	}
	d.learnTypos()
	return d, nil
}

// effect sets what a section's phrases mean.
func (p *phrase) effect(effect string) error {
	word, arg, _ := strings.Cut(effect, " ")
	number, err := strconv.ParseFloat(arg, 64)
	switch frame := slices.Index(Frames, Frame(word)); {
	case effect == "ask":
		p.ask = true
	case effect == "neutral":
	case word == "hint" && slices.Contains(Memories, Memory(arg)):
		p.hints = append(p.hints, Memory(arg))
	case word == "recency" && err == nil && number > 0 && number <= 1:
		p.recency = number
	case frame >= 0 && err == nil && number >= 1 && number <= 5:
		p.frame, p.weight = frame, number
	default:
		return fmt.Errorf("effect %q is unknown or its number out of range", effect)
	}
	return nil
}
