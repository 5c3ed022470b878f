package bridge

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/contextd/contextd/internal/mcp"
	"github.com/contextd/contextd/internal/memory"
	"github.com/contextd/contextd/internal/retrieve"
)

const (
	gate  = "package harbour\n\n// OpenGate lets ships in.\nfunc OpenGate() {}\n"
	crane = "package harbour\n\n// LiftCargo lifts cargo off a ship.\nfunc LiftCargo() {}\n"
)

// port is a repository of two folders.
var port = map[string]string{"port/.git/HEAD": "ref: refs/heads/main\n", "port/gate/gate.go": gate,
	"port/crane/crane.go": crane}

// fleet is a folder of two repositories.
var fleet = map[string]string{"all/a/.git/HEAD": "ref: refs/heads/main\n", "all/a/gate.go": gate,
	"all/b/.git/HEAD": "ref: refs/heads/main\n", "all/b/crane.go": crane}

func TestAQuestionFindsWhatWasWrittenJustBefore(t *testing.T) {
	t.Parallel()
	b := setup(t, "port/gate", port)
	if got := b.paths("OpenGate", "", ""); !slices.Equal(got, []string{"port/gate/gate.go"}) {
		t.Errorf("at first %q", got)
	}
	b.write("port/lock/lock.go", "package harbour\n\n// FloodLock fills the lock.\nfunc FloodLock() {}\n")
	if got := b.paths("FloodLock", "", ""); !slices.Equal(got, []string{"port/lock/lock.go"}) {
		t.Errorf("then %q", got)
	}
}

func TestQuestionsAtOnceAreAnsweredByOneIndex(t *testing.T) {
	t.Parallel()
	b := setup(t, "port", port)
	var asking sync.WaitGroup
	for range 8 {
		asking.Go(func() {
			f, err := b.ask("OpenGate", "", "")
			if err != nil || f.Replies[0].Status != retrieve.OK || f.Replies[0].Generation != 1 {
				t.Errorf("%+v, %v", f, err)
			}
		})
	}
	asking.Wait()
}

func TestACallThatWaitsTooLongLeavesItsIndexToTheNext(t *testing.T) {
	t.Parallel()
	b := setup(t, "port", port)
	b.refreshWait = 10 * time.Millisecond
	b.turns.take(t.Context(), b.dir) // a run that takes long
	f, err := b.ask("OpenGate", "", "")
	if err != nil || !slices.Equal(f.Replies[0].Reasons, []retrieve.Reason{retrieve.IndexBuilding}) {
		t.Errorf("%+v, %v", f.Replies[0], err)
	}
	b.turns.leave(b.dir)
	b.refreshWait = refreshWait
	if got := b.paths("OpenGate", "", ""); len(got) != 1 {
		t.Errorf("the next finds %q", got)
	}
}

func TestACallThatWasTakenBackGetsNothing(t *testing.T) {
	t.Parallel()
	b := setup(t, "port", port)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if f, err := b.Search(ctx, mcp.Question{Text: "OpenGate", K: 3, MaxChars: 100, MaxBytes: 1000}); !errors.Is(err,
		context.Canceled) {
		t.Errorf("%+v, %v", f, err)
	}
}

func TestTheRootOfACallIsTheRepositoryAroundIt(t *testing.T) {
	t.Parallel()
	b := setup(t, "port", port)
	for _, root := range []string{
		"", ".", "gate", filepath.Join(b.top, "port"), filepath.Join(b.top, "port", "gate"),
		"file://" + filepath.ToSlash(filepath.Join(b.top, "port")),
	} {
		if runtime.GOOS == "windows" && strings.HasPrefix(root, "file:") {
			continue
		}
		f, err := b.ask("LiftCargo", root, "")
		if err != nil || f.Replies[0].Root != filepath.Join(b.top, "port") {
			t.Errorf("root %q: %+v, %v", root, f, err)
		}
	}
}

func TestRootsOutsideAreRefusedHoweverTheyAreWritten(t *testing.T) {
	t.Parallel()
	b := setup(t, "port", map[string]string{"port/.git/HEAD": "x", "other/secret.go": gate})
	roots := []string{"/", "..", "../other", filepath.Join(b.top, "other"), filepath.Join(b.top, "none"),
		b.top + "/port/../other"}
	if err := os.Symlink(filepath.Join(b.top, "other"), filepath.Join(b.dir, "link")); err == nil {
		roots = append(roots, "link", filepath.Join(b.dir, "link"))
	}
	for _, root := range roots {
		_, searched := b.ask("OpenGate", root, "")
		_, recalled := b.Recall(t.Context(), root, "gate", "")
		_, noted := b.Remember(t.Context(), root, "Gates open at dawn.", "fact")
		_, known := b.Why(t.Context(), root, "secret.go")
		_, compiled := b.Context(t.Context(), root, "gate", 1000)
		for tool, err := range map[string]error{"search": searched, "recall": recalled, "remember": noted, "why": known,
			"context": compiled,
			"report":  b.Report(t.Context(), root, mcp.Outcome{TaskID: "t-1", Success: true})} {
			if !errors.Is(err, errNotAllowed) {
				t.Errorf("%s with root %q: %v", tool, root, err)
			}
		}
	}
}

func TestAFolderOfRepositoriesAsksEach(t *testing.T) {
	t.Parallel()
	b := setup(t, "all", fleet)
	f, err := b.ask("OpenGate LiftCargo", "", "")
	if err != nil || len(f.Replies) != 2 || f.Base != b.dir {
		t.Fatalf("%+v, %v", f, err)
	}
	if got := b.paths("OpenGate LiftCargo", "", ""); !slices.Equal(got, []string{"all/a/gate.go", "all/b/crane.go"}) {
		t.Errorf("each: %q", got)
	}
	for path, want := range map[string]string{
		"b":                       "all/b/crane.go",
		"b/crane.go":              "all/b/crane.go",
		"./a/*.go":                "all/a/gate.go",
		filepath.Join(b.dir, "a"): "all/a/gate.go",
	} {
		if got := b.paths("OpenGate LiftCargo", "", path); !slices.Equal(got, []string{want}) {
			t.Errorf("path %q: %q, want %q", path, got, want)
		}
	}
	if got := b.paths("LiftCargo", "b", ""); !slices.Equal(got, []string{"all/b/crane.go"}) {
		t.Errorf("root b: %q", got)
	}
	if _, err := b.Remember(t.Context(), "", "Gates open at dawn.", "fact"); err == nil ||
		!strings.Contains(err.Error(), `want argument "root", one of`) {
		t.Errorf("a note about none of them: %v", err)
	}
}

func TestNotesAreOfTheirProjectAndFoundAcrossTheFolder(t *testing.T) {
	t.Parallel()
	b := setup(t, "all", fleet)
	for root, text := range map[string]string{
		"a": "The gate opens at dawn for fishing boats.",
		"b": "The crane lifts twelve tonnes at most.",
	} {
		if _, err := b.Remember(t.Context(), root, text, "fact"); err != nil {
			t.Fatal(err)
		}
	}
	again, err := b.Remember(t.Context(), "a", "The gate opens at dawn for fishing boats.", "fact")
	if err != nil || !again.Known {
		t.Errorf("again: %+v, %v", again, err)
	}
	texts := func(root, kind string) (all []string) {
		r, err := b.Recall(t.Context(), root, "gate crane dawn tonnes", kind)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range r.Notes {
			all = append(all, strings.Fields(n.Text)[1])
		}
		slices.Sort(all)
		return all
	}
	for _, test := range []struct{ root, kind, want string }{
		{"", "", "crane gate"},
		{"a", "", "gate"},
		{"b", "fact", "crane"},
		{"b", "decision", ""},
	} {
		if got := strings.Join(texts(test.root, test.kind), " "); got != test.want {
			t.Errorf("root %q, kind %q: %q, want %q", test.root, test.kind, got, test.want)
		}
	}
}

func TestNotesOfAKindThatIsNotKnownAreRefusedByName(t *testing.T) {
	t.Parallel()
	b := setup(t, "port", port)
	var bad *memory.Invalid
	if _, err := b.Remember(t.Context(), "", "Gates open at dawn.", "poem"); !errors.As(err, &bad) ||
		bad.Field != "kind" {
		t.Errorf("%v", err)
	}
}

func TestWhatIsReportedStandsInTheContext(t *testing.T) {
	t.Parallel()
	b := setup(t, "port", port)
	if err := b.Report(t.Context(), "",
		mcp.Outcome{
			TaskID: "t-7", Success: true, Summary: "Widened the gate for larger ships.",
			Files: []string{"gate/gate.go"},
		}); err != nil {
		t.Fatal(err)
	}
	c, err := b.Context(t.Context(), "", "OpenGate", 2000)
	if err != nil || c.ID == "" || !strings.Contains(c.Text, "OpenGate") || !strings.Contains(c.Text, "t-7") {
		t.Errorf("%+v, %v", c, err)
	}
	if v, err := b.Why(t.Context(), "", "gate/gate.go"); err != nil || !v.Indexed {
		t.Errorf("%+v, %v", v, err)
	}
}

func TestAStoreThatDoesNotOpenIsTriedAgain(t *testing.T) {
	t.Parallel()
	b := setup(t, "port", port)
	open, tries := b.opts.Open, 0
	b.opts.Open = func(ctx context.Context) (*Place, error) {
		if tries++; tries == 1 {
			return nil, errors.New("the disk is away")
		}
		return open(ctx)
	}
	if _, err := b.ask("OpenGate", "", ""); err == nil {
		t.Error("an answer without a store")
	}
	if got := b.paths("OpenGate", "", ""); len(got) != 1 {
		t.Errorf("then %q", got)
	}
}
