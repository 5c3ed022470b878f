package openai

import (
	"fmt"
	"math"

	openai "github.com/sashabaranov/go-openai"
)

// maxDims bounds the length of a vector.
const maxDims = 16_384

// vectors checks an answer to n texts and puts it in their order, each vector scaled to length 1. A vector that is zero
// or holds what is no finite number is nil.
func (e *Embedder) vectors(n int, data []openai.Embedding, nulls map[int]bool) ([][]float32, error) {
	if len(data) != n {
		return nil, e.bad(badAnswer, fmt.Sprintf("%d vectors for %d texts", len(data), n))
	}
	out, seen := make([][]float32, n), make([]bool, n)
	for i := range data {
		at := data[i].Index
		if at < 0 || at >= n || seen[at] {
			return nil, e.bad(badAnswer,
				fmt.Sprintf("no vector for each of %d texts: index %d is out of range or there twice", n, at))
		}
		seen[at] = true
		v := data[i].Embedding
		if len(v) == 0 {
			continue
		}
		if err := e.setDims(len(v)); err != nil {
			return nil, err
		}
		if !nulls[i] && normalize(v) {
			out[at] = v
		}
	}
	return out, nil
}

func (e *Embedder) bad(k kind, detail string) *fault {
	return &fault{kind: k, detail: detail, where: e.where}
}

// setDims records the length of the server's vectors. It fails if the length has changed.
func (e *Embedder) setDims(n int) error {
	if n > maxDims {
		return e.bad(dimensions, fmt.Sprintf("vectors of %d numbers; want at most %d", n, maxDims))
	}
	if e.dims.CompareAndSwap(0, int64(n)) {
		return nil
	}
	known := e.dims.Load()
	if known == int64(n) {
		return nil
	}
	e.dims.Store(0)
	e.cache.Clear()
	return e.bad(dimensions, fmt.Sprintf("vectors of %d numbers after vectors of %d", n, known))
}

// normalize scales v to length 1; false if it cannot.
func normalize(v []float32) bool {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if !(sum > 0) || math.IsInf(sum, 0) {
		return false
	}
	scale := 1 / math.Sqrt(sum)
	for i, x := range v {
		v[i] = float32(float64(x) * scale)
	}
	return true
}

// nulls finds the elements of the list in a JSON object (its "data") whose own lists hold a null: what servers write
// for a number that is none, and what Go reads as 0. It believes nothing: any bytes are an answer.
func nulls(body []byte) map[int]bool {
	var found map[int]bool
	lists, objects, place := 0, 0, -1
	var before byte // the last that is no space
	for i := 0; i < len(body); i++ {
		c := body[i]
		switch c {
		case ' ', '\t', '\r', '\n':
			continue
		case '"':
			for i++; i < len(body) && body[i] != '"'; i++ {
				if body[i] == '\\' {
					i++
				}
			}
		case '[':
			lists++
		case ']':
			lists--
		case '{':
			if objects++; objects == 2 && lists == 1 {
				place++
			}
		case '}':
			objects--
		case 'n':
			if lists >= 2 && (before == '[' || before == ',') {
				if found == nil {
					found = map[int]bool{}
				}
				found[place] = true
			}
			i += 3
		}
		before = c
	}
	return found
}
