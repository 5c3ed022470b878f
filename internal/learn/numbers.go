package learn

import (
	"math"
	"strings"

	"github.com/contextd/contextd/internal/profile"
	"github.com/contextd/contextd/internal/receipt"
)

// number is a number of a profile that can be learnt, and what of a context it governs.
type number struct {
	name      string // as in a file of profiles
	of        func(p *profile.Profile) float64
	set       func(p *profile.Profile, x float64)
	measure   func(r *receipt.Receipt) float64 // what of the context was as much as the number says
	low, high float64                          // hard range
	whole     bool                             // no fractions
	share     bool                             // a weight: all of them add up to 1
}

// numbers are all that can be learnt, in the order of receipts.
var numbers = []number{
	{name: "weights.task", share: true, high: 1, measure: scope(profile.Task),
		of: func(p *profile.Profile) float64 {
			return p.Weights.Task
		}, set: func(p *profile.Profile, x float64) { p.Weights.Task = x }},
	{name: "weights.project", share: true, high: 1, measure: scope(profile.Project),
		of: func(p *profile.Profile) float64 {
			return p.Weights.Project
		}, set: func(p *profile.Profile, x float64) { p.Weights.Project = x }},
	{name: "weights.global", share: true, high: 1, measure: scope(profile.Global),
		of: func(p *profile.Profile) float64 {
			return p.Weights.Global
		}, set: func(p *profile.Profile, x float64) { p.Weights.Global = x }},
	{name: "compression_aggressiveness", high: .9, measure: compressed,
		of: func(p *profile.Profile) float64 {
			return p.Aggressiveness
		}, set: func(p *profile.Profile, x float64) { p.Aggressiveness = x }},
	{name: "code.results", low: 1, high: 30, whole: true, measure: codePieces,
		of: func(p *profile.Profile) float64 {
			return float64(p.Code.Results)
		}, set: func(p *profile.Profile, x float64) { p.Code.Results = int(x) }},
	{name: "code.bytes", low: 256, high: 64 << 10, whole: true, measure: codeTokens,
		of: func(p *profile.Profile) float64 {
			return float64(p.Code.Bytes)
		}, set: func(p *profile.Profile, x float64) { p.Code.Bytes = int(x) }},
}

// scope measures which share of the tokens of a context's pieces are of a scope.
func scope(s profile.Scope) func(r *receipt.Receipt) float64 {
	return func(r *receipt.Receipt) float64 {
		of, all := 0, 0
		for i := range r.Items {
			if l := &r.Items[i]; l.Decision != receipt.Dropped {
				if all += l.Tokens; l.Scope == s {
					of += l.Tokens
				}
			}
		}
		return float64(of) / float64(max(all, 1))
	}
}

// compressed measures which share of the texts that could be made shorter was taken away.
func compressed(r *receipt.Receipt) float64 { return 1 - r.Fingerprint.CompressionRatio }

func isCode(l *receipt.Line) bool { return strings.HasPrefix(l.Source, "file:") }

// codePieces counts the pieces of code, as text or as a pointer.
func codePieces(r *receipt.Receipt) (n float64) {
	for i := range r.Items {
		if l := &r.Items[i]; isCode(l) && l.Decision != receipt.Dropped {
			n++
		}
	}
	return n
}

// codeTokens counts the tokens of the texts of code.
func codeTokens(r *receipt.Receipt) (n float64) {
	for i := range r.Items {
		if l := &r.Items[i]; isCode(l) && (l.Decision == receipt.Full || l.Decision == receipt.Compressed) {
			n += float64(l.Tokens)
		}
	}
	return n
}

// round keeps four digits, as receipts do.
func round(x float64) float64 { return math.Round(x*1e4) / 1e4 }
