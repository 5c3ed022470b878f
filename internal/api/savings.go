package api

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"strings"

	client "github.com/contextd/contextd/clients/go"
	"github.com/contextd/contextd/internal/receipt"
	"github.com/contextd/contextd/internal/tokens"
)

func (s *Server) getSavings(_ http.ResponseWriter, r *http.Request) (reply, error) {
	id, err := projectID(r)
	if err != nil {
		return reply{}, err
	}
	n, err := limitOf(queryOf(r), 50, 200)
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
	out := client.Savings{Project: id, Contexts: []client.ContextSavings{}}
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
		c := client.ContextSavings{ID: x.ID, At: x.At}
		for path, n := range given {
			if w, ok := whole[x.Encoding][path]; ok {
				c.Files, c.GivenTokens, c.WholeTokens = c.Files+1, c.GivenTokens+n, c.WholeTokens+w
			} else {
				c.MissingFiles++
			}
		}
		out.GivenTokens, out.WholeTokens = out.GivenTokens+c.GivenTokens, out.WholeTokens+c.WholeTokens
		out.Contexts = append(out.Contexts, c)
	}
	return ok(out)
}

// maxWholeFiles bounds the files that are counted whole for one encoding.
const maxWholeFiles = 2000

// wholeTokens counts the files of all receipts with an encoding, as they are in the first root of the project that has
// them. A file that may not be indexed, cannot be read, or has no room in the bounds has no count.
func (s *Server) wholeTokens(
	ctx context.Context, project, encoding string, receipts []*receipt.Receipt,
) (map[string]int, error) {
	counter, err := tokens.ByName(encoding)
	if err != nil { // of another version
		return map[string]int{}, nil
	}
	var paths []string
	for _, x := range receipts {
		if x.Encoding != encoding {
			continue
		}
		paths = slices.AppendSeq(paths, maps.Keys(givenTokens(x)))
	}
	files, err := s.opts.App.Roots.Open(ctx, project)
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
