package rank

import (
	"math"

	"github.com/contextd/contextd/internal/code"
)

// MaxFurther is the greatest number of chunks of a file that are worth showing beside its best one.
const MaxFurther = 2

// furtherShare is how much of what speaks for showing the best chunk of a file must speak for another one of it, at
// least.
const furtherShare = .8

// furtherWorth is how often a further chunk holds what a file is right for, where its best one does. Of what a task
// changes the best chunk of the right file holds some in .52 of the dev commits, further ones in .31: a task is spread,
// and said in fewer words of the code.
var furtherWorth = [numShapes]float64{Question: 1, Name: 1, Asked: 1, Keywords: 1, Task: .6, Long: .6}

// Further is a chunk of a file that is nearly as good as the file's best.
type Further struct {
	Chunk  int
	Share  float64     // of what speaks for showing the best one, up to 1
	Worth  float64     // its relevance as a share of the file's, up to Share
	Symbol code.Symbol // as in Scored
}

// shownChunk is a chunk with how much its words, definitions and vector speak for showing it.
type shownChunk struct {
	chunk  int
	show   float64
	symbol *code.Symbol // nil: it defines nothing
}

// bestShown are the chunks of a file that speak most, the best first, of equals the earlier one.
type bestShown [1 + MaxFurther]shownChunk

var noneShown = func() (none bestShown) {
	for k := range none {
		none[k] = shownChunk{chunk: -1, show: math.Inf(-1)}
	}
	return none
}()

// shown notes which chunk of a file is shown, and which others may be, for a question of some shape.
func (r *row) shown(best *bestShown, shape Shape) {
	of := func(symbol *code.Symbol) (s code.Symbol) {
		if symbol != nil {
			s = *symbol
		}
		return s
	}
	r.chunk, r.symbol = best[0].chunk, of(best[0].symbol)
	for _, b := range best[1:] {
		if best[0].show <= 0 || b.show < furtherShare*best[0].show {
			break
		}
		share := b.show / best[0].show
		r.more = append(r.more, Further{Chunk: b.chunk, Share: share, Worth: share * furtherWorth[shape],
			Symbol: of(b.symbol)})
	}
}
