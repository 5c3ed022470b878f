// Command dump writes what the ranker sees of a set of questions, for weights to be fitted on.
//
//	go run ./tools/train/dump -queries questions.jsonl -table repos.tsv -set questions -trees DIR -state DIR -out NAME [-whole] [-snapshots DIR]
//
// -snapshots names the folder of the git directories, OWNER+NAME each: what was committed up to the tree's revision is
// its history. Each tree is indexed once into the state folder; later runs use what is there, so remove it when the
// analyzer changes. NAME.jsonl gets a line with the features and the weights in force, then a line a question: id,
// repo, language, category, shape, number of targets, and the candidates in today's order, each with path, lines,
// relevance and the targets that it matches. NAME.f32 holds the features of all candidates in the same order,
// little-endian float32.
package main

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/contextd/contextd/internal/embed"
	"github.com/contextd/contextd/internal/embed/static"
	"github.com/contextd/contextd/internal/eval"
	"github.com/contextd/contextd/internal/githist"
	"github.com/contextd/contextd/internal/rank"
	"github.com/contextd/contextd/internal/search"
	"github.com/contextd/contextd/internal/search/blob"
	"github.com/contextd/contextd/internal/search/local"
	"github.com/contextd/contextd/tools/benchset"
)

type dumped struct {
	ID       string `json:"id"`
	Repo     string `json:"repo"`
	Language string `json:"language"`
	Category string `json:"category"`
	Query    string `json:"query"`
	Shape    string `json:"shape"`
	Targets  int    `json:"targets"`
	// how many of them are right, the first ones; the others are right beside these
	Best       int         `json:"best"`
	Known      float64     `json:"known"` // share of the question's weight in words that the collection has
	Files      int         `json:"files"` // of the collection
	Candidates []candidate `json:"candidates"`
}

type candidate struct {
	Path      string  `json:"path"`
	Start     int     `json:"start"`
	End       int     `json:"end"`
	Targets   []int   `json:"targets,omitempty"`
	Relevance float64 `json:"relevance"`
	Covered   float64 `json:"covered"`
}

// maxWanted is how many files history nominates, as in retrieve.
const maxWanted = 30

type options struct {
	queries, table, set, trees, state, out, snapshots string
	whole                                             bool
	wanted, files                                     int
}

func main() {
	var o options
	flag.StringVar(&o.queries, "queries", "", "questions, a JSON object a line")
	flag.StringVar(&o.table, "table", "", "table of repositories, with the root of each")
	flag.StringVar(&o.set, "set", "", "which rows of the table")
	flag.StringVar(&o.trees, "trees", "", "folder of the trees, one a repository")
	flag.StringVar(&o.state, "state", "", "folder for the indexes")
	flag.StringVar(&o.out, "out", "", "name of the two files to write, without extension")
	flag.BoolVar(&o.whole, "whole", false, "search whole repositories, not the roots of the table")
	flag.StringVar(&o.snapshots, "snapshots", "", "folder of the git directories; none: no history")
	flag.IntVar(&o.wanted, "wanted", maxWanted, "files to nominate for their history")
	flag.IntVar(&o.files, "files", 0, "files to nominate in all; 0: as many as the program does")
	flag.Parse()
	if err := o.run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func (o options) run(ctx context.Context) (err error) {
	set := benchset.Set{Queries: o.queries, Table: o.table, Name: o.set, Trees: filepath.SplitList(o.trees),
		Snapshots: o.snapshots, Whole: o.whole}
	questions, repos, err := set.Read()
	if err != nil {
		return err
	}
	e, err := static.Default()
	if err != nil {
		return err
	}
	index, err := local.Open(local.Options{Dir: o.state})
	if err != nil {
		return err
	}
	defer index.Close()
	var files [2]*os.File
	for i, ext := range []string{".jsonl", ".f32"} {
		if files[i], err = os.Create(o.out + ext); err != nil {
			return err
		}
		defer files[i].Close()
	}
	lines, numbers := bufio.NewWriter(files[0]), bufio.NewWriter(files[1])
	enc := json.NewEncoder(lines)
	if err := enc.Encode(rank.Features()); err != nil {
		return err
	}
	var snap search.Snapshot
	var past *githist.Part
	repo, spent := "", time.Duration(0)
	for _, q := range questions {
		if q.Repo != repo {
			if snap != nil {
				snap.Close()
			}
			repo = q.Repo
			if err := set.Index(ctx, index, e, repo, repos[repo]); err != nil {
				return err
			}
			if snap, err = index.Open(ctx, set.Project(repo)); err != nil {
				return err
			}
			blob, err := index.Attached(ctx, set.Project(repo), githist.Kind)
			if err != nil {
				return err
			}
			if past, err = githist.Open(blob); err != nil && len(blob) > 0 {
				return err
			}
		}
		began := time.Now()
		d, vectors, err := o.dump(ctx, snap, past, e, &q)
		if err != nil {
			return err
		}
		spent += time.Since(began)
		if err := errors.Join(enc.Encode(d), binary.Write(numbers, binary.LittleEndian, vectors)); err != nil {
			return err
		}
	}
	fmt.Fprintf(os.Stderr, "%d questions, %.2f ms each\n", len(questions),
		spent.Seconds()*1000/float64(max(len(questions), 1)))
	return errors.Join(lines.Flush(), numbers.Flush())
}

// dump ranks the candidates for a question and tells all about them.
func (o options) dump(
	ctx context.Context, snap search.Snapshot, past *githist.Part, e embed.Embedder, q *benchset.Question,
) (*dumped, []float32, error) {
	parsed := rank.Parse(q.Query)
	parsed.Embedder = rank.FittedTo // weights are to be fitted to the cosines as they are
	vector, err := e.Query(ctx, q.Query)
	if err != nil {
		return nil, nil, err
	}
	hits := githist.Search(parsed.Terms(), past)
	changes := hits.Scores()
	found, err := snap.Nominate(ctx, search.Query{Words: parsed.Words, Names: parsed.Names, Vector: vector,
		Paths: hits.Paths(o.wanted), Files: o.files})
	if err != nil {
		return nil, nil, err
	}
	files := make([]rank.File, 0, len(found.Files))
	for _, c := range found.Files {
		f, err := blob.LookupFeatures(c.Features, parsed.Lookups())
		if err != nil {
			return nil, nil, err
		}
		files = append(files, rank.File{Path: c.Entry.Path, Features: f, Blob: c.Features, Cosines: c.Cosines,
			History: changes[c.Entry.Path]})
	}
	targets := append(append([]eval.Place{}, q.Relevant...), q.Secondary...)
	d := &dumped{ID: q.ID, Repo: q.Repo, Language: q.Language, Category: q.Category, Query: q.Query,
		Shape: parsed.Shape.String(), Targets: len(targets), Best: len(q.Relevant), Known: parsed.Known(found.Stats),
		Files: found.Stats.Files}
	var vectors []float32
	for _, x := range rank.Score(parsed, found.Stats, files) {
		c := candidate{Path: files[x.File].Path, Relevance: x.Relevance, Covered: x.Covered}
		if x.Chunk >= 0 {
			span := files[x.File].Features.Chunks[x.Chunk].Span
			c.Start, c.End = span.Start, span.End
		}
		for i, t := range targets {
			if m := eval.Score(eval.Question{Relevant: []eval.Place{t}},
				[]eval.Place{{Path: c.Path, Start: c.Start, End: c.End}}); m.NDCG > 0 {
				c.Targets = append(c.Targets, i)
			}
		}
		d.Candidates = append(d.Candidates, c)
		for _, f := range rank.Features() {
			v := 0.0
			for _, e := range x.Explanation {
				if e.Feature == f.Name {
					v = e.Value
				}
			}
			vectors = append(vectors, float32(v))
		}
	}
	return d, vectors, nil
}
