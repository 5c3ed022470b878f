package daemon

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/contextd/contextd/internal/backend"
	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/queue"
	"github.com/contextd/contextd/internal/sandbox"
)

// clone makes a further folder with one file beside the root.
func (b *bundle) clone(name string) (root string) {
	b.t.Helper()
	root = filepath.Join(filepath.Dir(b.root), name)
	if err := os.MkdirAll(root, 0o755); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, name+".go"), []byte("package "+name+"\n\nfunc Own() {}\n"),
		0o644); err != nil {
		b.t.Fatal(err)
	}
	return root
}

// rootsOf waits until a project has just these roots, with that many files each and nothing waiting, and returns them.
func (b *bundle) rootsOf(project string, files map[string]int) map[string]backend.State {
	b.t.Helper()
	var all map[string]backend.State
	b.eventually(fmt.Sprintf("roots %v", files), func() string {
		states, err := b.back.Projects(b.t.Context(), project)
		all = map[string]backend.State{}
		for _, s := range states {
			if all[s.Root] = s; s.Files != files[s.Root] || s.Pending > 0 || s.Generation == 0 {
				return fmt.Sprintf("%+v", s)
			}
		}
		if err != nil || len(all) != len(files) {
			return fmt.Sprintf("%+v, %v", states, err)
		}
		return ""
	})
	return all
}

func TestMessagesOfOneProjectAreForTheRootThatTheyName(t *testing.T) {
	both(t, func(b *bundle) {
		two := b.clone("two")
		for range 3 { // in one batch, before anybody has seen the project
			b.push(queue.Request{Project: "web", Root: b.root})
			b.push(queue.Request{Project: "web", Root: two})
		}
		b.start(func(o *Options) { o.Watch, o.Allow = nil, []string{b.root, two} })
		b.rootsOf("web", map[string]int{b.root: 1, two: 1})
		if err := os.WriteFile(filepath.Join(two, "more.go"), []byte("package two\n"), 0o644); err != nil {
			b.t.Fatal(err)
		}
		b.write("unsaid.go", "package a\n")
		b.push(queue.Request{Project: "web", Root: two, Paths: []code.Path{"more.go"}})
		states := b.rootsOf("web", map[string]int{b.root: 1, two: 2})
		if one := states[b.root].Generation; one != 1 {
			b.t.Errorf("generation %d of the root that was not asked for", one)
		}
		b.push(queue.Request{Project: "web", Root: b.root})
		b.rootsOf("web", map[string]int{b.root: 2, two: 2})
	})
}

func TestWatchedRootsOfOneProjectAreEachKeptFresh(t *testing.T) {
	both(t, func(b *bundle) {
		two := b.clone("two")
		b.push(queue.Request{Project: "web", Root: b.root})
		b.push(queue.Request{Project: "web", Root: two})
		_, stop := b.start(func(o *Options) { o.Watch, o.Allow = nil, []string{b.root, two} })
		b.rootsOf("web", map[string]int{b.root: 1, two: 1})
		stop()
		b.start(func(o *Options) { o.Watch = []string{b.root, two} })
		b.write("more.go", "package a\n")
		b.rootsOf("web", map[string]int{b.root: 2, two: 1})
		if err := os.WriteFile(filepath.Join(two, "more.go"), []byte("package two\n"), 0o644); err != nil {
			b.t.Fatal(err)
		}
		b.rootsOf("web", map[string]int{b.root: 2, two: 2})
	})
}

func TestOneRootGoneForADayLeavesTheOthersOfItsProject(t *testing.T) {
	both(t, func(b *bundle) {
		c := &clock{time.Now()}
		d := idle(b)
		d.opts.Now = c.now
		d.allowed = sandbox.Allow([]string{filepath.Dir(b.root)})
		two := b.clone("two")
		b.index("web")
		b.indexAt(code.RootIndexID("web", two), two)
		for _, root := range []string{b.root, two} {
			b.push(queue.Request{Project: "web", Root: root})
		}
		b.vanish()
		d.round(b)
		c.pass(removeMissingAfter + time.Hour)
		if n := d.round(b); n != 1 {
			b.t.Fatalf("%d roots left", n)
		}
		states, err := b.back.Projects(b.t.Context(), "web")
		if err != nil || len(states) != 1 || states[0].Root != two || states[0].Pending != 1 {
			b.t.Errorf("%+v, %v", states, err)
		}
	})
}
