package api

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/contextd/contextd/internal/receipt"
	"github.com/contextd/contextd/internal/tokens"
)

// savings compares the tokens of code in a project's last contexts with those of the same files whole.
type savings struct {
	Project  string  `json:"project"`
	Given    int     `json:"given_tokens"`
	Whole    int     `json:"whole_tokens"`
	Contexts []saved `json:"contexts"`
}

// saved is the comparison for one context.
type saved struct {
	ID      string    `json:"id"`
	At      time.Time `json:"at"`
	Files   int       `json:"files"`         // that are counted
	Missing int       `json:"missing_files"` // that are gone or left out now, and count on neither side
	Given   int       `json:"given_tokens"`
	Whole   int       `json:"whole_tokens"`
}

func (s *Server) getSavings(_ http.ResponseWriter, r *http.Request) (reply, error) {
	id, err := projectID(r)
	if err != nil {
		return reply{}, err
	}
	n, err := limitOf(queryOf(r), "limit", 50, 200)
	if err != nil {
		return reply{}, err
	}
	if _, err := s.known(r); err != nil {
		return reply{}, err
	}
	a, err := s.assembler()
	if err != nil {
		return reply{}, err
	}
	receipts, err := a.Receipts(r.Context(), id, n)
	if err != nil {
		return reply{}, err
	}
	out := savings{Project: id, Contexts: []saved{}}
	whole := map[string]map[string]int{} // encoding → path → tokens
	for _, x := range receipts {
		if whole[x.Encoding] == nil {
			if whole[x.Encoding], err = s.wholeTokens(r.Context(), id, x.Encoding, receipts); err != nil {
				return reply{}, err
			}
		}
		given := givenTokens(x)
		if len(given) == 0 {
			continue
		}
		c := saved{ID: x.ID, At: x.At}
		for path, n := range given {
			if w, ok := whole[x.Encoding][path]; ok {
				c.Files, c.Given, c.Whole = c.Files+1, c.Given+n, c.Whole+w
			} else {
				c.Missing++
			}
		}
		out.Given, out.Whole = out.Given+c.Given, out.Whole+c.Whole
		out.Contexts = append(out.Contexts, c)
	}
	return ok(out)
}

// maxWholeFiles bounds the files that are counted whole for one encoding.
const maxWholeFiles = 2000

// wholeTokens counts the files of all receipts with an encoding, as they are in the first root of the project that has them. A file that
// may not be indexed, cannot be read, or has no room in the bounds has no count.
func (s *Server) wholeTokens(ctx context.Context, project, encoding string, receipts []*receipt.Receipt) (map[string]int, error) {
	counter, err := tokens.ByName(encoding)
	if err != nil { // of another version
		return map[string]int{}, nil
	}
	var paths []string
	for _, x := range receipts {
		if x.Encoding != encoding {
			continue
		}
		for path := range givenTokens(x) {
			paths = append(paths, path)
		}
	}
	files, err := s.opts.Session.Files(ctx, project)
	if err != nil {
		return nil, err
	}
	defer files.Close()
	slices.Sort(paths)
	paths = slices.Compact(paths)
	found := map[string]int{}
	for _, path := range paths[:min(len(paths), maxWholeFiles)] {
		if texts := files.Texts(ctx, path); len(texts) > 0 {
			found[path] = counter.Count(texts[0])
		}
	}
	return found, ctx.Err()
}

// givenTokens are the tokens that code of each file took in a context.
func givenTokens(x *receipt.Receipt) map[string]int {
	given := map[string]int{}
	for _, l := range x.Items {
		path, isFile := strings.CutPrefix(l.Source, "file:")
		if !isFile || l.Decision != receipt.Full && l.Decision != receipt.Compressed {
			continue
		}
		if i := strings.LastIndexByte(path, ':'); i >= 0 && strings.Trim(path[i+1:], "0123456789-") == "" {
			path = path[:i]
		}
		given[path] += l.Tokens
	}
	return given
}
