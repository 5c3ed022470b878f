package app_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/contextd/contextd/internal/access"
	"github.com/contextd/contextd/internal/app"
	"github.com/contextd/contextd/internal/app/apptest"
	"github.com/contextd/contextd/internal/freshness"
	"github.com/contextd/contextd/internal/ingest"
	"github.com/contextd/contextd/internal/memory"
	"github.com/contextd/contextd/internal/prompt"
	"github.com/contextd/contextd/internal/retrieve"
	"github.com/contextd/contextd/internal/sandbox"
	"github.com/contextd/contextd/internal/search"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestStrictSessionsReadWhatIsIndexedOnly(t *testing.T) {
	t.Parallel()
	b := apptest.Open(t, func(o *app.Options) { o.Strict = true })
	w := access.Where{Root: b.Root}
	if _, err := b.Answers.Query(t.Context(), retrieve.Request{Text: "x"}, w, freshness.Behind, nil); !errors.Is(err,
		sandbox.ErrNotAllowed) {
		t.Errorf("a root that nobody indexed: %v", err)
	}
	if _, err := b.Access.Confine(t.Context(), b.Root); !errors.Is(err, sandbox.ErrNotAllowed) {
		t.Errorf("confine: %v", err)
	}
	if _, err := b.In.Refresh(t.Context(), ingest.Request{Project: "web", Root: b.Root}); err != nil {
		t.Fatal(err)
	}
	if r := b.Ask("OpenGate", w, freshness.Behind); r.Status != retrieve.OK {
		t.Errorf("an indexed root: %+v", r)
	}
	if b.Fresh.Start(access.Target{Project: "web", Root: b.Root}, true) {
		t.Error("it indexes without an allowed root")
	}
	if _, err := b.Answers.Why(t.Context(), access.Where{Root: t.TempDir()}, "x"); !errors.Is(err,
		sandbox.ErrNotAllowed) {
		t.Errorf("why elsewhere: %v", err)
	}
}

func TestUnknownProjectsHaveNoRoot(t *testing.T) {
	t.Parallel()
	b := apptest.Open(t)
	if got, fault, err := b.Access.Resolve(t.Context(), access.Where{Project: "none"}, time.Second); err != nil ||
		fault != nil || !got.Foreign || got.Root != "" || got.Project != "none" {
		t.Errorf("%+v, %v, %v", got, fault, err)
	}
	if _, _, err := b.Access.Resolve(t.Context(), access.Where{Project: "-"}, time.Second); err == nil {
		t.Error("a bad id is taken")
	}
}

func TestCitationsAreCheckedByTheIndex(t *testing.T) {
	t.Parallel()
	b := apptest.Open(t)
	b.Ask("x", access.Where{Project: "web", Root: b.Root}, freshness.First)
	m, err := b.Memory()
	if err != nil {
		t.Fatal(err)
	}
	who := memory.Who{Agent: "a", Project: "web"}
	saved, err := m.Save(t.Context(), who, memory.Draft{Kind: "decision", Content: "The gate opens at dawn",
		Citations: []memory.Citation{{Path: "gate.go"}}})
	if err != nil || saved.Item.Citations[0].Hash == "" {
		t.Fatalf("%+v, %v", saved, err)
	}
	b.Write("gate.go", "package harbour\n\n// OpenGate lets ships out.\nfunc OpenGate() {}\n")
	b.Ask("x", access.Where{Project: "web", Root: b.Root}, freshness.First)
	items, err := m.Load(t.Context(), who)
	if err != nil || len(items) != 1 || !items[0].Verify {
		t.Errorf("%+v, %v", items, err)
	}
	b.Reindex(access.Where{Project: "web", Root: b.Clone("func OpenGate() {}")})
	if items, err = m.Load(t.Context(), who); err != nil || len(items) != 1 || items[0].Verify {
		t.Errorf("a further root holds the file as it was cited: %+v, %v", items, err)
	}
	if _, err := new(search.FileHashes).Hashes(t.Context(), "", []string{"x"}); err == nil {
		t.Error("hashes of no project")
	}
}

// Where what is remembered cannot be opened, a context comes without it and says so.
func TestNoStoreOfDocumentsBlocksNoPrompt(t *testing.T) {
	t.Parallel()
	b := apptest.Open(t)
	if err := os.MkdirAll(filepath.Join(b.State, "documents.db"), 0o700); err != nil {
		// a folder in the place of the file
		t.Fatal(err)
	}
	reply, err := b.Prompts().Build(t.Context(),
		prompt.Request{Project: "web", Query: "how do ships come in", DeadlineMS: 20_000})
	if err != nil || reply.Status != prompt.Degraded || len(reply.Messages) == 0 {
		t.Errorf("%+v, %v", reply, err)
	}
}
