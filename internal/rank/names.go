package rank

import (
	"math"
	"strings"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/lexical"
)

// strength of a definition of the asked name, by kind.
var kindStrength = map[code.Kind]float64{code.KindType: 1, code.KindModule: 1, code.KindFunc: .8, code.KindValue: .4,
	code.KindImpl: .3, code.KindDecl: .1}

// weight of a definition whose name holds words of the question, by kind.
var kindWeight = map[code.Kind]float64{code.KindType: 1.3, code.KindModule: 1, code.KindFunc: 1, code.KindValue: .7,
	code.KindImpl: .5, code.KindDecl: .5, code.KindSection: .7}

// match is how a name and the question meet: the share of the question's weight that the name holds, and the share of the
// name's parts that the question holds. Parts for which minor is true count a quarter when they do not.
func (s *scorer) match(name string, minor func(string) bool) (cov, frac float64) {
	got, all := 0.0, 0.0
	var seen []int
	lexical.Split(name, func(part string) {
		if len(part) < 2 {
			return
		}
		i, ok := s.q.byStem[lexical.Stem(part)]
		switch {
		case ok:
			got, all = got+1, all+1
			for _, k := range seen {
				ok = ok && k != i
			}
			if ok {
				seen = append(seen, i)
				cov += s.idf[i]
			}
		case minor(part):
			all += .25
		default:
			all++
		}
	})
	return share(cov, s.parts), share(got, all)
}

// stem gives the two features of a file's name.
func (s *scorer) stem(p code.Path) (match, exact float64) {
	name := lexical.FileStem(p)
	cov, frac := s.match(name, func(part string) bool { return genericStemWords[part] })
	if s.q.phrases[singular(lexical.Join(name))] {
		exact = 1
	}
	return math.Sqrt(cov * frac), exact
}

type defined struct {
	strength float64 // for the file's feature
	shown    float64 // how much it speaks for showing its chunk
}

// bestDefinition is the definition of a chunk that matches the question best.
func (s *scorer) bestDefinition(c *code.ChunkFeatures) (best defined, sym code.Symbol) {
	never := func(string) bool { return false }
	for i := range c.Symbols {
		d := &c.Symbols[i]
		cov, frac := s.match(d.Name, never)
		m := cov * math.Sqrt(frac)
		shown := m
		if k, _ := s.strength(d, ""); k > 0 {
			shown += 3 * k
		}
		best.strength = max(best.strength, m*kindWeight[d.Kind])
		if shown > best.shown || sym.Name == "" {
			best.shown, sym = max(best.shown, shown), *d
		}
	}
	return best, sym
}

// strength says how much a definition is the one that is asked for by name, and whether it is so exactly.
func (s *scorer) strength(d *code.Symbol, fileStem string) (k float64, exact bool) {
	want := s.q.Symbol
	if want == nil || !strings.EqualFold(d.Name, want.Name) {
		return 0, false
	}
	k = kindStrength[d.Kind]
	exact = d.Name == want.Name && k > kindStrength[code.KindDecl]
	if d.Name != want.Name {
		k *= .6
	}
	if d.Indent > 4 {
		k *= .7
	}
	if want.Qualifier != "" {
		switch {
		case strings.EqualFold(d.Parent, want.Qualifier):
			k *= 2
		case strings.EqualFold(fileStem, lexical.Join(want.Qualifier)):
			k *= 1.5
		default:
			exact = false
		}
	}
	return k, exact
}

// symbolStrength is the strength of a file's best definition of the asked name.
func (s *scorer) symbolStrength(f *File) (best float64, exact bool) {
	if s.q.Symbol == nil {
		return 0, false
	}
	fileStem := lexical.Join(lexical.FileStem(f.Path))
	for i := range f.Features.Chunks {
		for k := range f.Features.Chunks[i].Symbols {
			x, same := s.strength(&f.Features.Chunks[i].Symbols[k], fileStem)
			best, exact = max(best, x), exact || same
		}
	}
	return best, exact
}

// countDefinitions adds a candidate's strength to the sum over all: a name that many define tells less.
func (s *scorer) countDefinitions(f *File) {
	k, _ := s.symbolStrength(f)
	s.defines += k
}
