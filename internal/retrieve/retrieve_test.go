package retrieve_test

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/contextd/contextd/internal/access"
	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/embed"
	"github.com/contextd/contextd/internal/embed/static"
	"github.com/contextd/contextd/internal/gates"
	"github.com/contextd/contextd/internal/githist"
	"github.com/contextd/contextd/internal/ingest"
	"github.com/contextd/contextd/internal/queue"
	"github.com/contextd/contextd/internal/rdb/rdbtest"
	"github.com/contextd/contextd/internal/retrieve"
	"github.com/contextd/contextd/internal/search"
	"github.com/contextd/contextd/internal/search/local"
	"github.com/contextd/contextd/internal/search/redisearch"
)

// bench is an indexed root and a Retriever over it; it plays the queue and the daemon that is asked.
type bench struct {
	t       *testing.T
	root    string
	index   search.Index
	rt      *retrieve.Retriever
	opts    retrieve.Options // of rt
	waiting queue.Backlog
	asked   []string
	models  []string // projects whose model was to be looked at
}

func (b *bench) Waiting(context.Context, access.Target) (queue.Backlog, error) { return b.waiting, nil }

func (b *bench) AskModel(_ context.Context, t access.Target) { b.models = append(b.models, t.Project) }

func (b *bench) Ask(_ context.Context, project, _ string, paths []code.Path) {
	b.asked = append(b.asked, project+":"+strings.Join(paths, ","))
}

func setup(t *testing.T, files map[string]string) *bench {
	t.Helper()
	t.Parallel()
	index := onDisk(t, search.Full)
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{t: t, root: root, index: index}
	b.open(retrieve.Options{Index: index, Queue: b, Asker: b, Embedders: finds(embedder), Embedded: true,
		Log: slog.New(slog.DiscardHandler)})
	b.write(files)
	b.refresh()
	return b
}

// onDisk is an empty embedded index.
func onDisk(t *testing.T, mode search.Mode) search.Index {
	t.Helper()
	index, err := local.Open(local.Options{Dir: filepath.Join(t.TempDir(), "projects"), Mode: mode})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { index.Close() })
	return index
}

// onServer is an empty index on a Redis server of a kind.
func onServer(t *testing.T, kind rdbtest.Kind) search.Index {
	t.Helper()
	server := rdbtest.Start(t, kind)
	index, err := redisearch.Open(redisearch.Options{URL: server.URL, Prefix: server.Prefix})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { index.Close() })
	return index
}

// open makes the retriever of a bench.
func (b *bench) open(o retrieve.Options) { b.opts, b.rt = o, retrieve.New(o) }

// set makes it anew with other options.
func (b *bench) set(change func(o *retrieve.Options)) {
	change(&b.opts)
	b.rt = retrieve.New(b.opts)
}

// finds is a function as retrieve.Embedders.
type finds func(name string) embed.Embedder

func (f finds) Named(name string) embed.Embedder { return f(name) }

// tasks is a function as retrieve.Tasks.
type tasks func(ctx context.Context, project string) *githist.Part

func (f tasks) Of(ctx context.Context, project string) *githist.Part { return f(ctx, project) }

func embedder(name string) embed.Embedder {
	if e, err := static.Default(); err == nil && e.Name() == name {
		return e
	}
	return nil
}

func (b *bench) refresh() {
	b.t.Helper()
	e, err := static.Default()
	if err != nil {
		b.t.Fatal(err)
	}
	if _, err := ingest.New(b.index, ingest.Options{Embedder: e}).Refresh(context.Background(),
		ingest.Request{Project: "p", Root: b.root}); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) write(files map[string]string) {
	b.t.Helper()
	for name, text := range files {
		path := filepath.Join(b.root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			b.t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			b.t.Fatal(err)
		}
	}
}

func (b *bench) ask(text string, change ...func(*retrieve.Request)) *retrieve.Reply {
	b.t.Helper()
	req := retrieve.Request{Text: text, Target: access.Target{Project: "p", Root: b.root}, Deadline: time.Minute,
		Explain: true}
	for _, c := range change {
		c(&req)
	}
	if err := req.Validate(); err != nil {
		b.t.Fatal(err)
	}
	r := b.rt.Query(context.Background(), req)
	for _, x := range r.Results { // whatever is served stands on the disk, where it says
		data, err := os.ReadFile(filepath.Join(b.root, x.Path))
		if err != nil {
			b.t.Fatalf("%q served: %v", x.Path, err)
		}
		lines := strings.Split(string(data), "\n")
		for i, line := range strings.Split(x.Snippet, "\n") {
			if want := lines[x.SnippetLine-1+i]; !strings.Contains(want, strings.Trim(line, "…")) {
				b.t.Errorf("%s:%d: snippet line %q, on disk %q", x.Path, x.SnippetLine+i, line, want)
			}
		}
	}
	return r
}

func paths(r *retrieve.Reply) []string {
	out := []string{}
	for _, x := range r.Results {
		out = append(out, x.Path)
	}
	return out
}

// rejected are the candidates that gates kept away, by path.
func rejected(r *retrieve.Reply) map[code.Path]retrieve.Reject {
	m := map[code.Path]retrieve.Reject{}
	for _, x := range *r.Rejected {
		m[x.Path] = x
	}
	return m
}

func any0(r *retrieve.Request) { r.Gates.MinRelevance = gates.NoThreshold }

var harbour = map[string]string{
	"lamp/keeper.py": "def light_lamp(lamp):\n    # paraffin burns slowly\n    return lamp.light('paraffin')\n",
	"lamp/wick.py":   "def trim_wick():\n    return 'scissors'\n",
	"berth.go":       "package berth\n\n// AssignBerth picks a berth for a ship.\nfunc AssignBerth(ship string) string {\n\treturn ship\n}\n",
}

func TestAnAnswerIsVerifiedAndComplete(t *testing.T) {
	b := setup(t, harbour)
	r := b.ask("light_lamp")
	x := r.Results[0]
	if r.Status != retrieve.OK || x.Path != "lamp/keeper.py" || x.Relevance != 1 || x.Freshness != retrieve.Indexed ||
		x.Symbol != "light_lamp" ||
		x.Kind != code.KindFunc || x.Language != "python" || len(x.Explain) == 0 || r.Generation != 1 ||
		r.Searched.Files != 3 || r.IndexedAt == "" {
		t.Errorf("%+v of %+v", x, r)
	}
	if len(b.asked) != 0 {
		t.Errorf("asked for %q though nothing changed", b.asked)
	}
}

func TestNothingRelevantIsAnAnswer(t *testing.T) {
	b := setup(t, harbour)
	for _, text := range []string{"zyxwvut qqqplumbus", "", "?", "the of and"} {
		if r := b.ask(text); r.Status != retrieve.Empty || len(r.Results) != 0 || r.Searched.Chunks == 0 {
			t.Errorf("%q: %+v", text, r)
		}
	}
}

func TestAChangedFileIsAnsweredFromTheDisk(t *testing.T) {
	b := setup(t, harbour)
	b.write(map[string]string{"lamp/keeper.py": "# moved\n\ndef light_lamp():\n    return 'electric'\n"})
	r := b.ask("light_lamp")
	x := r.Results[0]
	if r.Status != retrieve.OK || x.Freshness != retrieve.Overlay || !strings.Contains(x.Snippet, "electric") {
		t.Errorf("%+v", r)
	}
	if !slices.Equal(b.asked, []string{"p:lamp/keeper.py"}) {
		t.Errorf("asked %q, want the changed path", b.asked)
	}
}

func TestAChangedFileStandsWhereItsNewTextPutsIt(t *testing.T) {
	b := setup(t, harbour)
	b.write(map[string]string{"lamp/keeper.py": "x = 1\n"})
	if r := b.ask("light_lamp"); slices.Contains(paths(r), "lamp/keeper.py") {
		t.Errorf("%q holds a file that no longer answers", paths(r))
	}
}

// A rejected candidate is as relevant as the result that it would have been.
func TestRejectedCandidatesTellTheirRelevance(t *testing.T) {
	b := setup(t, harbour)
	all := b.ask("lamp keeper", any0, func(r *retrieve.Request) { r.Gates.MaxResults = 20 })
	if len(all.Results) < 2 {
		t.Fatalf("%q: want two results", paths(all))
	}
	full := rejected(b.ask("lamp keeper", any0, func(r *retrieve.Request) { r.Gates.MaxResults = 1 }))
	high := rejected(b.ask("lamp keeper", func(r *retrieve.Request) { r.Gates.MinRelevance = gates.Threshold(1) }))
	for i, x := range all.Results {
		if x.ShareOfBest > 0 {
			continue
		}
		if y := full[x.Path]; i > 0 && (y.Reason != string(gates.CapResults) || y.Relevance != x.Relevance) {
			t.Errorf("%+v where the answer is full; served with %v", y, x.Relevance)
		}
		if y := high[x.Path]; x.Relevance < 1 &&
			(y.Reason != string(gates.BelowThreshold) || y.Relevance != x.Relevance) {
			t.Errorf("%+v under a threshold of 1; served with %v", y, x.Relevance)
		}
	}
}

func TestWhatIsGoneOrTurnedBadIsNeverServed(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "vault.py")
	if err := os.WriteFile(outside, []byte("def light_lamp():\n    return 'treasure'\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		harm   func(path string) error
		reason code.Reason
	}{
		"deleted": {os.Remove, gates.Missing},
		"binary": {func(p string) error {
			return os.WriteFile(p, []byte("\x00light_lamp\x00\x01\x02"), 0o644)
		}, gates.Binary},
		"secret": {func(p string) error {
			return os.WriteFile(p, []byte("def light_lamp():\n    k = 'AKIA"+"Q3EGRV7M"+"NH2ZXKPD'\n"), 0o644)
		}, gates.Secret},
		"link out": {func(p string) error {
			return errors.Join(os.Remove(p), os.Symlink(outside, p))
		}, gates.OutsideRoot},
		"a directory": {func(p string) error { return errors.Join(os.Remove(p), os.Mkdir(p, 0o755)) }, gates.Missing},
	} {
		t.Run(name, func(t *testing.T) {
			b := setup(t, harbour)
			if err := tt.harm(filepath.Join(b.root, "lamp/keeper.py")); err != nil {
				t.Fatal(err)
			}
			r := b.ask("light_lamp", any0)
			if slices.Contains(paths(r), "lamp/keeper.py") ||
				rejected(r)["lamp/keeper.py"].Reason != string(tt.reason) {
				t.Errorf("served %q, rejected %v; want %s", paths(r), *r.Rejected, tt.reason)
			}
		})
	}
}

func TestSkipLeavesOutCodeAtAnySignOfStaleness(t *testing.T) {
	skip := func(r *retrieve.Request) { r.Gates.Stale = gates.Skip }
	stale := func(r *retrieve.Reply) bool {
		return r.Status == retrieve.Degraded && slices.Contains(r.Reasons, retrieve.IndexStale) && len(r.Results) == 0
	}
	b := setup(t, harbour)
	if r := b.ask("light_lamp", skip); r.Status != retrieve.OK {
		t.Errorf("nothing is stale: %+v", r)
	}
	b.waiting.Paths = 1
	if r := b.ask("light_lamp", skip); !stale(r) {
		t.Errorf("a change waits: %+v", r)
	}
	b.waiting = queue.Backlog{AllProjects: 150, AllPaths: 150}
	if r := b.ask("light_lamp", skip); !stale(r) || !slices.Contains(r.Reasons, retrieve.Backlog) {
		t.Errorf("a backlog of others: %+v", r)
	}
	b.waiting = queue.Backlog{}
	b.write(map[string]string{"lamp/keeper.py": "def light_lamp():\n    return 2\n"})
	if r := b.ask("light_lamp", skip); !stale(r) {
		t.Errorf("a result's file changed: %+v", r)
	}
	if r := b.ask("AssignBerth", skip); r.Status != retrieve.OK {
		t.Errorf("no result's file changed: %+v", r)
	}
}

func TestAStaleProjectAndABacklogDegradeTheAnswer(t *testing.T) {
	b := setup(t, harbour)
	for _, tt := range []struct {
		waiting queue.Backlog
		want    []retrieve.Reason
	}{
		{queue.Backlog{Paths: 1, Oldest: time.Second}, nil}, // results were compared with the disk
		{queue.Backlog{Paths: 1, Oldest: 2 * time.Minute}, []retrieve.Reason{retrieve.IndexStale}},
		{queue.Backlog{AllProjects: 101}, []retrieve.Reason{retrieve.Backlog}},
		{queue.Backlog{AllPaths: 10_001}, []retrieve.Reason{retrieve.Backlog}},
	} {
		b.waiting = tt.waiting
		if r := b.ask("light_lamp"); !slices.Equal(r.Reasons, tt.want) || len(r.Results) == 0 {
			t.Errorf("%+v: reasons %v, %d results; want %v and results", tt.waiting, r.Reasons, len(r.Results), tt.want)
		}
	}
	b.waiting = queue.Backlog{}
	if err := b.index.Fail(context.Background(), "p", "it broke"); err != nil {
		t.Fatal(err)
	}
	if r := b.ask("light_lamp"); !slices.Equal(r.Reasons, []retrieve.Reason{retrieve.IndexStale}) {
		t.Errorf("after a failed refresh: %v", r.Reasons)
	}
	if err := b.index.Fail(context.Background(), "p", search.StoreFull+": no room"); err != nil {
		t.Fatal(err)
	}
	if r := b.ask("light_lamp"); !slices.Equal(r.Reasons, []retrieve.Reason{retrieve.IndexStale, retrieve.StoreFull}) {
		t.Errorf("after a refresh without room: %v", r.Reasons)
	}
}

func TestAMissingIndexIsSaidAndAskedFor(t *testing.T) {
	b := setup(t, harbour)
	r := b.ask("light_lamp", func(r *retrieve.Request) { r.Target.Project = "other" })
	if r.Status != retrieve.Degraded || !slices.Equal(r.Reasons, []retrieve.Reason{retrieve.IndexMissing}) ||
		!slices.Equal(b.asked, []string{"other:"}) {
		t.Errorf("%+v, asked %q", r, b.asked)
	}
	b.asked = nil
	r = b.ask("light_lamp", func(r *retrieve.Request) { r.Target.Foreign = true })
	if !slices.Equal(r.Reasons, []retrieve.Reason{retrieve.IndexMissing}) || len(b.asked) != 0 {
		t.Errorf("a foreign root: %+v, asked %q", r, b.asked)
	}
}

func TestAnEndedDeadlineIsATypedReply(t *testing.T) {
	b := setup(t, harbour)
	r := b.ask("light_lamp", func(r *retrieve.Request) { r.Deadline = time.Nanosecond })
	if r.Status != retrieve.Degraded || !slices.Contains(r.Reasons, retrieve.Deadline) {
		t.Errorf("%+v", r)
	}
}

func TestALostEmbedderStillAnswersByWords(t *testing.T) {
	b := setup(t, harbour)
	b.set(func(o *retrieve.Options) { o.Embedders = finds(func(string) embed.Embedder { return nil }) })
	r := b.ask("light_lamp")
	if !slices.Equal(r.Reasons, []retrieve.Reason{retrieve.EmbedderUnavailable}) || paths(r)[0] != "lamp/keeper.py" {
		t.Errorf("%+v", r)
	}
}

func TestLimitsHold(t *testing.T) {
	b := setup(t, harbour)
	r := b.ask("return", any0, func(r *retrieve.Request) {
		r.Gates.MaxResults = 2
		r.Gates.MaxChars = 20
		r.Gates.MaxBytes = 30
	})
	total := 0
	for _, x := range r.Results {
		if n := len([]rune(x.Snippet)); n > 20 {
			t.Errorf("snippet of %d characters", n)
		}
		total += len(x.Snippet)
	}
	if len(r.Results) == 0 || len(r.Results) > 2 || total > 30 {
		t.Errorf("%d results, %d bytes", len(r.Results), total)
	}
}

// An index that names a file of keys is believed only as long as a rule lets that file in.
func TestAFileOfKeysIsServedOnlyWhileARuleLiftsIt(t *testing.T) {
	b := setup(t, map[string]string{".contextdignore": "!deploy/.env\n", "deploy/.env": "paraffin_setting=lamp\n",
		"a.md": "nothing\n"})
	if r := b.ask("paraffin_setting", any0); !slices.Contains(paths(r), "deploy/.env") {
		t.Fatalf("served %q: a lifted file is one like others", paths(r))
	}
	b.write(map[string]string{".contextdignore": "\n"})
	r := b.ask("paraffin_setting", any0)
	if slices.Contains(paths(r), "deploy/.env") || rejected(r)["deploy/.env"].Reason != string(gates.Secret) {
		t.Errorf("served %q, rejected %v", paths(r), *r.Rejected)
	}
}

// A question of any size and form is answered or refused, within its deadline as far as a step of work allows.
func TestHostileQuestionsAreAnswered(t *testing.T) {
	b := setup(t, harbour)
	for _, text := range []string{"", "\x00", strings.Repeat("light_lamp ", 400_000), strings.Repeat("x", 4<<20),
		strings.Repeat("aB", 100_000), strings.Repeat("\xff", 1<<20),
		strings.Repeat("a/", 1<<19), `go}|@fid:{*`, `@p:{x}=>[KNN 5 @vec $v]`, "(" + strings.Repeat("(", 1<<16),
		`"; FLUSHALL`, "\r\n*1\r\n$8\r\nFLUSHALL\r\n"} {
		if r := b.ask(text, func(r *retrieve.Request) { r.Deadline = 0 }); r.Status == "" {
			t.Errorf("%.30q: no status", text)
		}
	}
	for _, bad := range []retrieve.Request{
		{Globs: []string{strings.Repeat("{a,a}", 30)}},
		{Globs: []string{"[a"}},
		{Langs: make([]string, 101)},
		{Globs: make([]string, 101)},
	} {
		if err := bad.Validate(); err == nil {
			t.Errorf("%.80v is taken", bad)
		}
	}
	for _, langs := range [][]string{{`go}|@fid:{*`}, {"*"}, {""}, {"\x00"}, {"go|python"}} {
		req := retrieve.Request{Text: "light_lamp", Target: access.Target{Project: "p", Root: b.root}, Langs: langs,
			Deadline: time.Minute, Gates: gates.Options{MinRelevance: gates.NoThreshold}}
		if r := b.rt.Query(t.Context(), req); len(r.Results) > 0 || req.Validate() == nil {
			// no more where it is not validated
			t.Errorf("language %q: %q, %v", langs, paths(r), req.Validate())
		}
	}
	for _, globs := range [][]string{{"**/{@x}"}, {`\}|@fid:\{*`}, {`\*`}, {"../**"}, {"/**"}, {"**\n"}} {
		if r := b.ask("light_lamp", any0, func(r *retrieve.Request) { r.Globs = globs }); len(r.Results) > 0 {
			t.Errorf("paths %q: %q", globs, paths(r))
		}
	}
}
