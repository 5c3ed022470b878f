package retrieve_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/contextd/contextd/internal/access"
	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/embed"
	"github.com/contextd/contextd/internal/embed/static"
	"github.com/contextd/contextd/internal/gates"
	"github.com/contextd/contextd/internal/ingest"
	"github.com/contextd/contextd/internal/queue"
	"github.com/contextd/contextd/internal/retrieve"
)

// touchy is the static embedder until it meets a file named "bad".
type touchy struct{ *static.Embedder }

func (e touchy) Documents(ctx context.Context, texts []embed.Text) ([][]float32, error) {
	if strings.HasPrefix(texts[0].Path, "bad") {
		panic(errors.New("out of its mind"))
	}
	return e.Embedder.Documents(ctx, texts)
}

func TestAChangedFileThatCannotBeAnalyzedHidesNoOther(t *testing.T) {
	b := setup(t, map[string]string{"bad.py": "def light_lamp():\n    return 1\n",
		"good.py": "def light_lamp(lamp):\n    return lamp\n"})
	e, err := static.Default()
	if err != nil {
		t.Fatal(err)
	}
	b.set(func(o *retrieve.Options) { o.Embedders = finds(func(string) embed.Embedder { return touchy{e} }) })
	b.write(map[string]string{"bad.py": "def light_lamp():\n    return 2\n"})
	r := b.ask("light_lamp", any0)
	if !slices.Equal(paths(r), []string{"good.py"}) {
		t.Errorf("%q of %+v", paths(r), r)
	}
}

// slow is a queue that takes for ever to be counted.
type slow struct{}

func (slow) Waiting(ctx context.Context, _ access.Target) (queue.Backlog, error) {
	<-ctx.Done()
	return queue.Backlog{}, ctx.Err()
}

func TestAQueueThatTakesLongToCountCostsNoAnswer(t *testing.T) {
	b := setup(t, harbour)
	b.set(func(o *retrieve.Options) { o.Queue = slow{} })
	synctest.Test(t, func(t *testing.T) { // the clock moves only where nothing else does
		r := b.ask("light_lamp")
		if r.Status != retrieve.Degraded || !slices.Equal(r.Reasons, []retrieve.Reason{retrieve.Deadline}) ||
			len(r.Results) == 0 {
			t.Errorf("%+v", r)
		}
		r = b.ask("light_lamp", func(r *retrieve.Request) { r.Gates.Stale = gates.Skip }) // what waits is not known
		if !slices.Equal(r.Reasons, []retrieve.Reason{retrieve.Deadline, retrieve.IndexStale}) || len(r.Results) > 0 {
			t.Errorf("%+v", r)
		}
	})
}

func TestWhyTellsThatAFileWasSetAside(t *testing.T) {
	b := setup(t, harbour)
	e, err := static.Default()
	if err != nil {
		t.Fatal(err)
	}
	b.write(map[string]string{"bad.py": "def light_lamp():\n    return 1\n"})
	in := ingest.New(b.index, ingest.Options{Embedder: touchy{e}})
	for range 4 {
		if _, err := in.Refresh(t.Context(), ingest.Request{Project: "p", Root: b.root}); err != nil {
			t.Fatal(err)
		}
	}
	why := func() retrieve.Verdict {
		t.Helper()
		v, err := b.rt.Why(t.Context(), access.Target{Project: "p", Root: b.root}, b.root, "bad.py",
			retrieve.Caps{Files: 9, Bytes: 1e6})
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	if v := why(); v.Indexed || v.Reason != code.Unreadable || !strings.HasPrefix(v.Detail, "failed 3 of 3 tries: ") {
		t.Errorf("%+v", v)
	}
	b.write(map[string]string{"bad.py": "def light_lamp():\n    return 2\n"})
	if v := why(); v.Indexed || v.Reason != "" {
		t.Errorf("after a change: %+v", v)
	}
}
