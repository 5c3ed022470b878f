package retrieve_test

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/contextd/contextd/internal/access"
	"github.com/contextd/contextd/internal/embed"
	"github.com/contextd/contextd/internal/gates"
	"github.com/contextd/contextd/internal/ingest"
	"github.com/contextd/contextd/internal/rdb/rdbtest"
	"github.com/contextd/contextd/internal/retrieve"
	"github.com/contextd/contextd/internal/search"
	"github.com/contextd/contextd/internal/spelling"
)

// reads counts how often a dictionary is read.
type reads struct {
	search.Index
	n atomic.Int64
}

func (r *reads) Attached(ctx context.Context, project, kind string) ([]byte, error) {
	if kind == spelling.Kind {
		r.n.Add(1)
	}
	return r.Index.Attached(ctx, project, kind)
}

// pier is a tree of twelve files whose names people half remember.
func pier() map[string]string {
	return map[string]string{
		"berth/partition_keeper.go":  "package berth\n\n// PartitionKeeper divides the quay among berths.\ntype PartitionKeeper struct{ n int }\n\nfunc (k *PartitionKeeper) Divide() int { return k.n }\n",
		"berth/keeper.go":            "package berth\n\ntype Keeper struct{}\n\nfunc (k Keeper) Watch() {}\n",
		"berth/ordering_list.go":     "package berth\n\n// OrderingList keeps ships in the order of arrival.\ntype OrderingList []string\n",
		"berth/list.go":              "package berth\n\nfunc List() []string { return nil }\n",
		"link/connectivity.py":       "class ConnectivityEvaluator:\n    def evaluate(self, signals):\n        return all(signals)\n",
		"link/evaluate.py":           "def evaluate_tide(level):\n    return level > 3\n",
		"link/signals.py":            "def raise_signal(lamp):\n    lamp.on = True\n",
		"store/remote_filesystem.ts": "export class RemoteFilesystem {\n  open(path: string) { return path }\n}\n",
		"store/remote.ts":            "export function remote(name: string) { return name }\n",
		"state/working_set.rs":       "pub struct StateWorkingSet { delta: u32 }\n\nimpl StateWorkingSet {\n    pub fn merge(&self) -> u32 { self.delta }\n}\n",
		"state/state.rs":             "pub struct State { set: u32 }\n",
		"trade/broker.go":            "package trade\n\n// StandingBrker is spelt so on purpose.\ntype StandingBrker struct{}\n\ntype Broker struct{}\n",
	}
}

// onBoth gives a Retriever over each backing, with the same tree in it.
func onBoth(
	t *testing.T, files map[string]string,
) (root string, on map[string]*retrieve.Retriever, counts map[string]*reads) {
	t.Helper()
	embedded := onDisk(t, search.Full)
	redis := onServer(t, rdbtest.Search)
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	put(t, root, files)
	on, counts = map[string]*retrieve.Retriever{}, map[string]*reads{}
	for name, index := range map[string]search.Index{"embedded": embedded, "redis": redis} {
		fill(t, index, root)
		counts[name] = &reads{Index: index}
		on[name] = retrieve.New(retrieve.Options{Index: counts[name], Queue: &bench{}, Embedders: finds(embedder),
			Log: slog.New(slog.DiscardHandler)})
	}
	return root, on, counts
}

func put(t *testing.T, root string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// fill brings an index up to date, without vectors: words alone must do.
func fill(t *testing.T, index search.Index, root string) {
	t.Helper()
	if _, err := ingest.New(index, ingest.Options{Embedder: embed.None{}}).Refresh(context.Background(),
		ingest.Request{Project: "p", Root: root}); err != nil {
		t.Fatal(err)
	}
}

func askFor(rt *retrieve.Retriever, root, text string) *retrieve.Reply {
	return rt.Query(context.Background(), retrieve.Request{Text: text, Target: access.Target{Project: "p", Root: root},
		Deadline: time.Minute, Gates: gates.Options{MinRelevance: gates.NoThreshold, MaxResults: 3, MaxBytes: 1 << 20}})
}

func TestAMisspeltNameFindsWhatItMeansOnBothBackings(t *testing.T) {
	t.Parallel()
	root, on, _ := onBoth(t, pier())
	for _, c := range []struct {
		text, path    string
		missing, near []string
		first         bool // and worth more than a guess, less than the definition of a name as it is written
	}{
		{"partitonKeeper", "berth/partition_keeper.go", []string{"partiton"}, []string{"partition"}, true},
		{"PartitionKeepr", "berth/partition_keeper.go", []string{"keepr"}, []string{"keeper"}, true},
		{"partiton_keeprr", "berth/partition_keeper.go", []string{"partiton", "keeprr"},
			[]string{"partition", "keeper"}, true},
		{"orderngList", "berth/ordering_list.go", []string{"orderng"}, []string{"ordering"}, true},
		{"list_orderng", "berth/ordering_list.go", []string{"orderng"}, []string{"ordering"}, false},
		{"conectivityEvaluatr", "link/connectivity.py", []string{"conectivity", "evaluatr"},
			[]string{"connectivity", "evaluator", "evaluate"}, true},
		{"remote_filesystm", "store/remote_filesystem.ts", []string{"filesystm"}, []string{"filesystem"}, true},
		{"stateWorkignSet", "state/working_set.rs", []string{"workign"}, []string{"working"}, true},
		{"filesystm", "store/remote_filesystem.ts", []string{"filesystm"}, []string{"filesystem"}, false},
		{"where is the partiton divided among berths", "berth/partition_keeper.go", []string{"partiton"},
			[]string{"partition"}, false},
		{"remote filesystm", "store/remote_filesystem.ts", []string{"filesystm"}, []string{"filesystem"}, false},
	} {
		for name, rt := range on {
			r := askFor(rt, root, c.text)
			if !slices.Equal(r.MissingWords, c.missing) || !slices.Equal(r.NearestNames, c.near) {
				t.Errorf("%q on %s: missing %q near %q, want %q near %q", c.text, name, r.MissingWords, r.NearestNames,
					c.missing, c.near)
			}
			at := slices.Index(where(r.Results), c.path)
			if at < 0 || c.first && at > 0 {
				t.Errorf("%q on %s: %v, want %s", c.text, name, where(r.Results), c.path)
			} else if x := r.Results[at].Relevance; c.first && (x < .6 || x > .8) {
				t.Errorf("%q on %s: relevance %v, want .6 to .8", c.text, name, x)
			}
		}
		a, b := askFor(on["embedded"], root, c.text), askFor(on["redis"], root, c.text)
		if !slices.EqualFunc(a.Results, b.Results, func(x, y retrieve.Result) bool {
			return x.Path == y.Path && x.Relevance == y.Relevance
		}) {
			t.Errorf("%q: embedded %+v\nredis %+v", c.text, a.Results, b.Results)
		}
	}
}

func TestAWordThatStandsSomewhereIsNeverReplaced(t *testing.T) {
	t.Parallel()
	root, on, _ := onBoth(t, pier())
	for name, rt := range on {
		r := askFor(rt, root, "StandingBrker")
		if len(r.MissingWords)+len(r.NearestNames) > 0 || len(r.Results) == 0 ||
			r.Results[0].Path != "trade/broker.go" || r.Results[0].Relevance != 1 {
			t.Errorf("%s: missing %q near %q, %+v", name, r.MissingWords, r.NearestNames, r.Results)
		}
	}
}

func TestOnlyAMissingWordHasTheDictionaryRead(t *testing.T) {
	t.Parallel()
	root, on, counts := onBoth(t, pier())
	for name, rt := range on {
		for _, c := range []struct {
			text string
			want int64
		}{{"PartitionKeeper", 0}, {"where is the partition divided", 0}, {"how is caching handled", 0}, {"caching", 1},
			{"partitonKeeper", 1}, {"zyxwvut qqqplumbus", 1}} {
			before := counts[name].n.Load()
			askFor(rt, root, c.text)
			if got := counts[name].n.Load() - before; got != c.want {
				t.Errorf("%q on %s: %d reads, want %d", c.text, name, got, c.want)
			}
		}
	}
}

func TestAWordOfAFileThatIsGoneIsNoLongerMeant(t *testing.T) {
	t.Parallel()
	files := pier()
	files["berth/partitions.go"], files["berth/partitoner.go"] = "package berth\n\ntype Lantern struct{}\n",
		"package berth\n\nfunc Partito() {}\n"
	root, on, counts := onBoth(t, files)
	if err := os.Remove(filepath.Join(root, "berth/partitoner.go")); err != nil {
		t.Fatal(err)
	}
	for name, rt := range on {
		fill(t, counts[name].Index, root)
		if slices.Contains(dictionary(t, counts[name].Index), "partito") {
			t.Errorf("%s: the dictionary still has it", name)
		}
		r := askFor(rt, root, "partitonKeeper")
		if !slices.Equal(r.NearestNames, []string{"partition"}) || r.Results[0].Path != "berth/partition_keeper.go" {
			t.Errorf("%s: near %q, %v", name, r.NearestNames, where(r.Results))
		}
	}
}

func TestManyWordsOfFilesThatAreGoneLeaveRoomForOneThatStands(t *testing.T) {
	t.Parallel()
	files := pier()
	files["berth/gone.go"] = "package berth\n\nfunc Partitonk() {}\n\nfunc Partitonl() {}\n\nfunc Partitonm() {}\n\nfunc Partitonp() {}\n\nfunc Partitonv() {}\n\nfunc Partitonx() {}\n"
	root, on, counts := onBoth(t, files)
	if err := os.Remove(filepath.Join(root, "berth/gone.go")); err != nil {
		t.Fatal(err)
	}
	for name, rt := range on {
		fill(t, counts[name].Index, root)
		r := askFor(rt, root, "partitonKeeper")
		if !slices.Equal(r.NearestNames, []string{"partition"}) || r.Results[0].Path != "berth/partition_keeper.go" {
			t.Errorf("%s: near %q, %v", name, r.NearestNames, where(r.Results))
		}
	}
}

func TestADamagedDictionaryHarmsNoAnswer(t *testing.T) {
	t.Parallel()
	root, on, counts := onBoth(t, pier())
	for name, rt := range on {
		for _, blob := range []string{
			"", "\x00\xff\n\x1b[2Jpartito", strings.Repeat("partiti\x1bn\n", 1000), strings.Repeat("x", 3<<20),
		} {
			if err := counts[name].Index.Attach(context.Background(), "p", spelling.Kind, []byte(blob)); err != nil {
				t.Fatal(err)
			}
			r := askFor(rt, root, "partitonKeeper")
			if r.Status != retrieve.OK || len(r.NearestNames) > 0 ||
				!slices.Equal(r.MissingWords, []string{"partiton"}) {
				t.Errorf("%s with %.20q: %s %v, near %q", name, blob, r.Status, r.Reasons, r.NearestNames)
			}
		}
	}
}
