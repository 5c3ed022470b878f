package redisearch

import (
	"strconv"
	"strings"

	"github.com/contextd/contextd/internal/code"
)

const (
	textHits   = 200  // chunks that the text leg fetches,
	nameHits   = 50   // the look-up of names,
	vectorHits = 50   // and the vector leg
	maxWords   = 4096 // bytes of a query's words,
	maxQuery   = 8192 // and with its filter; some servers take 10 KB
)

// anyOf is the query for chunks that hold one of terms: those of them that fit. "" if there are none.
func anyOf(terms []code.Term, room int) string {
	var b strings.Builder
	for _, t := range terms {
		short := shortTerm(t)
		if b.Len()+len(short)+2 > room {
			break
		}
		if b.Len() == 0 {
			b.WriteByte('(')
		} else {
			b.WriteByte('|')
		}
		b.Write(short[:])
	}
	if b.Len() == 0 {
		return ""
	}
	b.WriteByte(')')
	return b.String()
}

// textArgs is FT.SEARCH for the limit best chunks by BM25; without scores those that the server comes upon first.
func textArgs(idx, filter, words string, limit int, scores bool, timeout int) []any {
	args := []any{"FT.SEARCH", idx, strings.TrimSpace(filter + " " + words), "VERBATIM"}
	if scores {
		args = append(args, "WITHSCORES", "SCORER", "BM25STD")
	}
	return append(args, "RETURN", 1, "p", "LIMIT", 0, limit, "TIMEOUT", timeout, "DIALECT", 2)
}

// countArgs is FT.SEARCH for how many chunks hold a term.
func countArgs(idx string, t code.Term, timeout int) []any {
	return []any{"FT.SEARCH", idx, anyOf([]code.Term{t}, maxWords), "VERBATIM", "NOCONTENT", "LIMIT", 0, 0, "TIMEOUT", timeout, "DIALECT", 2}
}

// vectorArgs is FT.SEARCH for the k chunks nearest to a vector: the one form that all servers take.
func vectorArgs(idx, filter string, vector []byte, k, timeout int) []any {
	where := "*"
	if filter != "" {
		where = "(" + filter + ")"
	}
	return []any{"FT.SEARCH", idx, where + "=>[KNN " + strconv.Itoa(k) + " @vec $v AS d]", "RETURN", 2, "d", "p",
		"LIMIT", 0, k, "TIMEOUT", timeout, "PARAMS", 2, "v", vector, "DIALECT", 2}
}
