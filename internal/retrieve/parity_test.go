package retrieve_test

import (
	"context"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/contextd/contextd/internal/access"
	"github.com/contextd/contextd/internal/embed/static"
	"github.com/contextd/contextd/internal/gates"
	"github.com/contextd/contextd/internal/ingest"
	"github.com/contextd/contextd/internal/rdb/rdbtest"
	"github.com/contextd/contextd/internal/retrieve"
	"github.com/contextd/contextd/internal/search"
)

// parityQuestions are asked about this repository's own source.
var parityQuestions = []string{
	"AssignBerth", "NextIdent", "LockedError", "Interner", "Classify", "queue.Claim", "EncodeFeatures",
	"Retriever::Query",
	"where are identifiers split into parts", "how is a stale lease taken over", "decode UTF-16 text",
	"progress bar on a terminal",
	"fence that cannot be closed by its content", "ignore rules with negation", "full jitter backoff", "dead letters",
	"quantise a vector to int8", "postings of a segment", "checksum of a mapped file", "parse the reply of FT.SEARCH",
	"secret tokens in the content of a file", "which files does git track", "debounce file events",
	"best part of a chunk to show",
	"settings from flags, environment and a file", "exit status of a command", "definition of a symbol in Haskell",
	"comments in Lua",
	"resolve a root that is a link", "what waits for one project",
}

// parityRelevance is how far the relevance of one result may differ: a few features compare all candidates, and what
// two backings nominate far down the list is not the same.
const parityRelevance = .01

func TestBothBackingsGiveTheSameFilesInTheSameOrder(t *testing.T) {
	t.Parallel()
	embedded := onDisk(t, search.Full)
	redis := onServer(t, rdbtest.Search)
	e, err := static.Default()
	if err != nil {
		t.Fatal(err)
	}
	root := frozenSource(t)
	ask := func(index search.Index, question string, globs ...string) []retrieve.Result {
		t.Helper()
		rt := retrieve.New(retrieve.Options{Index: index, Queue: &bench{}, Embedders: finds(embedder),
			Log: slog.New(slog.DiscardHandler)})
		r := rt.Query(context.Background(),
			retrieve.Request{Text: question, Target: access.Target{Project: "p", Root: root}, Globs: globs,
				Deadline: time.Minute, Gates: gates.Options{MinRelevance: gates.NoThreshold, MaxResults: 10,
					MaxBytes: 1 << 20}})
		if r.Status != retrieve.OK {
			t.Fatalf("%q: %s %v", question, r.Status, r.Reasons)
		}
		// What has nothing of the question fills up the ten in the order in which it was nominated.
		return slices.DeleteFunc(r.Results, func(x retrieve.Result) bool { return x.Relevance == 0 })
	}
	for _, index := range []search.Index{embedded, redis} {
		if _, err := ingest.New(index, ingest.Options{Embedder: e}).Refresh(context.Background(),
			ingest.Request{Project: "p", Root: root}); err != nil {
			t.Fatal(err)
		}
	}
	differ, further := 0, 0
	for _, question := range parityQuestions {
		a, b := ask(embedded, question), ask(redis, question)
		alike := func(x, y retrieve.Result) bool {
			return x.Path == y.Path && x.StartLine == y.StartLine &&
				math.Abs(x.Relevance-y.Relevance) <= parityRelevance
		}
		if !slices.EqualFunc(a, b, alike) {
			t.Logf("%q:\nembedded %v\nredis    %v", question, where(a), where(b))
			differ++
		}
		few := "rank/{scorer,names,query}.go" // which leave room for further chunks
		a, b = ask(embedded, question, few), ask(redis, question, few)
		if !slices.EqualFunc(a, b, func(x, y retrieve.Result) bool {
			return alike(x, y) && math.Abs(x.ShareOfBest-y.ShareOfBest) <= parityRelevance
		}) {
			t.Errorf("%q in %s:\nembedded %+v\nredis    %+v", question, few, a, b)
		}
		if len(a) > 0 && a[len(a)-1].ShareOfBest > 0 {
			further++
		}
	}
	if further == 0 {
		t.Error("no question has a further chunk")
	}
	if most := len(parityQuestions) / 20; differ > most {
		t.Errorf("%d questions have other files among the first ten, want at most one in twenty, %d", differ, most)
	}
}

// frozenPackages are the packages that frozenSource copies. What is added to the repository later is not asked about:
// the more files compete, the more near ties fall the other way, whatever the code under test does.
var frozenPackages = strings.Fields(`
	access analyze answer api app asked backend charset chunker cli cli/clitest code compile config daemon dedup doctor e2e
	e2e/e2etest embed embed/openai embed/static eval freshness gates gitfile githist history ignore importtest ingest intent
	lang lexical memory notebook obs owner profile prompt queue queue/queuetest queue/redis queue/spool queue/sqlite rank
	rdb rdb/rdbtest recall receipt render retrieve safetext sandbox search search/blob search/local search/redisearch
	search/searchtest secret securitytest spelling sqlfile store store/redis store/sqlite store/storetest textfile tokens
	usage watch worker
`)

// frozenSource is a copy of frozenPackages, the commands and the documents of this repository: the tree itself may
// change while it is asked.
func frozenSource(t *testing.T) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	files := 0
	patterns := []string{"../docs/*.md", "../docs/*/*.md", "../cmd/*/*.go"}
	for _, p := range frozenPackages {
		patterns = append(patterns, p+"/*.go")
	}
	for _, pattern := range patterns {
		names, err := filepath.Glob(filepath.Join("..", pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			data, err := os.ReadFile(name)
			if err != nil {
				continue // it went away meanwhile
			}
			to := filepath.Join(root, strings.ReplaceAll(filepath.ToSlash(name), "../", ""))
			if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(to, data, 0o644); err != nil {
				t.Fatal(err)
			}
			files++
		}
	}
	if files < 150 {
		t.Fatalf("only %d files of this repository were found", files)
	}
	return root
}

func where(results []retrieve.Result) []string {
	var out []string
	for _, r := range results {
		out = append(out, r.Path)
	}
	return out
}
