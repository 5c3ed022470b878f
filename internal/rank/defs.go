package rank

import (
	"math"
	"strings"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/lexical"
	"github.com/contextd/contextd/internal/search/blob"
)

// strength of a definition of the asked name, by kind.
var kindStrength = map[code.Kind]float64{code.KindType: 1, code.KindModule: 1, code.KindFunc: .8, code.KindValue: .4,
	code.KindImpl: .3, code.KindDecl: .1}

// weight of a definition whose name holds words of the question, by kind.
var kindWeight = map[code.Kind]float64{code.KindType: 1.3, code.KindModule: 1, code.KindFunc: 1, code.KindValue: .7,
	code.KindImpl: .5, code.KindDecl: .5, code.KindSection: .7}

// nameFit is what a defined name is to the question.
type nameFit struct {
	cov, parts float64     // of fit, other forms at a discount
	ident      int         // index in Query.idents; -1: none
	term       code.TermID // the word that a chunk holds which names it; 0: too short to tell
	compound   bool        // the name has several parts
}

// fitNames compares the names of a file's definitions with the question.
func (s *scorer) fitNames(f *File, r *row) {
	v := s.voc
	for _, id := range v.file(f, cap(r.names)) {
		x := &v.fits[id]
		if x.turn != v.turn {
			n := v.names[id]
			*x = turnFit{s.nameFit(n.name, v.list[n.from:n.to], n.term), v.turn}
		}
		r.names = append(r.names, &x.nameFit)
	}
	if len(r.names) == cap(r.names) {
		return
	}
	var room [16]int32
	for i := range f.Features.Chunks {
		for k := range f.Features.Chunks[i].Symbols {
			name := f.Features.Chunks[i].Symbols[k].Name
			parts := v.split(name, room[:0])
			if len(v.spare) == cap(v.spare) { // those in use stay where they are
				v.spare = make([]nameFit, 0, max(512, 2*cap(v.spare)))
			}
			v.spare = append(v.spare, s.nameFit(name, parts, v.term(name, parts)))
			r.names = append(r.names, &v.spare[len(v.spare)-1])
		}
	}
}

// nameFit compares a name, taken apart, with the question.
func (s *scorer) nameFit(name string, parts []int32, term code.TermID) nameFit {
	x := s.fit(parts, false)
	return nameFit{cov: x.exact + nearInNames*x.near, parts: x.parts, ident: s.identOf(name), term: term,
		compound: len(parts) > 1}
}

// identOf is the index in Query.idents of what a name is, or -1.
func (s *scorer) identOf(name string) int {
	ident := -1
	for i := range s.q.idents {
		if strings.EqualFold(s.q.idents[i].Name, name) || ident < 0 && s.joined[i] != "" &&
			lexical.JoinsTo(name, s.joined[i]) {
			ident = i
		}
	}
	return ident
}

// bestDefinition is the definition of a chunk that matches the question best, and how much it speaks for showing the
// chunk. names are what those of all its definitions are to the question.
func (s *scorer) bestDefinition(c *blob.ChunkFeatures, names []*nameFit) (best float64, sym *code.Symbol) {
	for i, f := range names {
		d := &c.Symbols[i]
		shown := f.cov * math.Sqrt(f.parts)
		if f.ident >= 0 {
			k, _ := s.strength(d, f.ident, "")
			if s.q.Symbol != nil {
				k *= 3
			}
			shown += k
		}
		if shown > best || sym == nil || sym.Name == "" {
			best, sym = max(best, shown), d
		}
	}
	return best, sym
}

// identUse counts how candidates define one of the names that the question has in the shape of code.
type identUse struct {
	sum  float64 // of their strengths: a name that many define tells less
	same bool    // one defines it letter by letter
}

// strength says how much a definition is the one that is asked for by a name, and whether it is so exactly.
func (s *scorer) strength(d *code.Symbol, ident int, fileStem string) (k float64, exact bool) {
	want := &s.q.idents[ident]
	k = kindStrength[d.Kind]
	exact = d.Name == want.Name && k > kindStrength[code.KindDecl]
	if d.Name != want.Name {
		if k *= .6; s.defines[ident].same {
			k *= .3
		}
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

// spell notes which of the names a candidate defines letter by letter.
func (s *scorer) spell(f *File, r *row) {
	at := 0
	for i := range f.Features.Chunks {
		for k := range f.Features.Chunks[i].Symbols {
			d, n := &f.Features.Chunks[i].Symbols[k], r.names[at].ident
			at++
			if n >= 0 && s.q.idents[n].Name == d.Name && d.Kind != code.KindDecl && d.Kind != code.KindImpl {
				s.defines[n].same = true
			}
		}
	}
}

// definedAs computes the features of a file's definitions and how strongly it defines each name.
func (s *scorer) definedAs(f *File, r *row) {
	fileStem := lexical.Join(lexical.FileStem(f.Path))
	r.idents = make([]identDef, len(s.q.idents))
	length, at := 0.0, 0
	for i := range f.Features.Chunks {
		for k := range f.Features.Chunks[i].Symbols {
			d, n := &f.Features.Chunks[i].Symbols[k], r.names[at]
			at++
			if n.cov > 0 && d.Kind != code.KindDecl {
				r.v[definition] = max(r.v[definition], n.cov*math.Sqrt(n.parts)*kindWeight[d.Kind])
				length += n.cov * n.parts * min(200, float64(d.End-d.Line))
			}
			if n.ident < 0 {
				continue
			}
			x, exact := s.strength(d, n.ident, fileStem)
			r.exact = r.exact || exact && s.q.Symbol != nil
			if best := &r.idents[n.ident]; x > best.strength {
				best.strength, best.kind = x, d.Kind
			}
			if s.q.Symbol != nil && d.Kind != code.KindDecl && fileStem == lexical.Join(d.Name) {
				r.v[symbolStem] = 1
			}
		}
	}
	r.v[definitions] = math.Log1p(length/10) / 4
	for i, d := range r.idents {
		s.defines[i].sum += d.strength
	}
}

// identDef is how a file defines a name at best.
type identDef struct {
	strength float64
	kind     code.Kind
}

// shareNames turns the strengths of a file into features, now that those of all candidates are known.
func (s *scorer) shareNames(r *row) {
	for i, d := range r.idents {
		if d.strength == 0 {
			continue
		}
		x := math.Sqrt(d.strength / s.defines[i].sum)
		switch {
		case s.q.Symbol != nil:
			r.v[symbolDef] = d.strength * x
		case d.kind == code.KindFunc:
			r.v[asFunc] = max(r.v[asFunc], x)
		case d.kind == code.KindType || d.kind == code.KindModule:
			r.v[asType] = max(r.v[asType], x)
		}
	}
}
