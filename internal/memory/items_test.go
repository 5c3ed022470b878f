package memory

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/contextd/contextd/internal/store"
)

var itemTests = []test{
	{"M1: items survive a restart with all they hold", func(b *bed) {
		sum := strings.Repeat("0a", 32)
		it := b.save(knight, "TASK", "Build the login form.", func(d *Draft) {
			d.TaskID, d.Tags, d.Citations = "t1", []string{"ui", "auth"},
				[]Citation{{Path: "web/login.go", Span: &Span{3, 9}, Hash: sum}}
		})
		got, err := b.again(Options{}).Get(b.ctx(), knight, it.ID)
		b.ok(err)
		b.equal("kind, tier, importance, accesses", fmt.Sprint(got.Kind, got.Tier, got.Importance, got.AccessCount),
			"taskHOT1 0")
		b.equal("agent, scope, project, task", fmt.Sprint(got.AgentID, got.Scope, got.Project, got.TaskID),
			"knight-1taskwebt1")
		b.equal("times", fmt.Sprint(got.CreatedAt, got.LastAccessed), fmt.Sprint(start, start))
		b.equal("tags and citations", fmt.Sprint(got.Tags, got.Citations[0].Path, *got.Citations[0].Span,
			got.Citations[0].Hash), fmt.Sprint("[auth ui]web/login.go{3 9}", sum))
		b.equal("content", got.Content, "Build the login form.")
	}},
	{"M6: a pinned item has the tier it was given until it is let go", func(b *bed) {
		it := b.save(knight, "fact", "warm")
		for _, tt := range []struct {
			to   *float64
			tier Tier
		}{{new(0.9), Hot}, {new(0.1), Cold}, {nil, Warm}} {
			got, err := b.Pin(b.ctx(), knight, it.ID, tt.to)
			b.ok(err)
			b.equal("tier", got.Tier, tt.tier)
			n, err := b.Retier(b.ctx(), knight, "")
			b.ok(err)
			b.equal("what re-tiering changes", n, 0)
		}
		_, err := b.Pin(b.ctx(), knight, it.ID, new(1.1))
		if err == nil || !strings.Contains(err.Error(), `pinned "1.1": want a number from 0 to 1`) {
			b.Fatal(err)
		}
		_, err = b.Pin(b.ctx(), squire, it.ID, new(0.9))
		b.fails(err, ErrNotFound)
	}},
	{"M6: an item that is put away is live once it is pinned", func(b *bed) {
		it := b.save(knight, "verbose_log", "cold")
		_, err := b.FlashSave(b.ctx(), knight, Flash{})
		b.ok(err)
		got, err := b.Pin(b.ctx(), knight, it.ID, new(0.9))
		b.ok(err)
		b.equal("tier, archived", fmt.Sprint(got.Tier, got.Archived), "HOTfalse")
	}},
	{"M3: HOT is loaded by default, the others when asked for", func(b *bed) {
		b.save(knight, "task", "hot")
		b.save(knight, "fact", "warm")
		b.save(knight, "verbose_log", "cold")
		for _, tt := range []struct {
			tiers []Tier
			want  string
		}{
			{nil, "[hot]"}, {[]Tier{Hot}, "[hot]"}, {[]Tier{Warm}, "[warm]"}, {[]Tier{Cold}, "[cold]"},
			{Tiers(), "[hot warm cold]"},
		} {
			items, err := b.Load(b.ctx(), knight, tt.tiers...)
			b.ok(err)
			b.equal(fmt.Sprint(tt.tiers), texts(items), tt.want)
		}
		_, err := b.Load(b.ctx(), knight, "hot")
		if err == nil || !strings.Contains(err.Error(), `tier "hot": want one of HOT, WARM, COLD`) {
			b.Fatal(err)
		}
	}},
	{"M3: items are re-tiered after each task", func(b *bed) {
		b.save(knight, "task", "the task", func(d *Draft) { d.TaskID = "t1" })
		b.save(knight, "error", "its error", func(d *Draft) { d.TaskID = "t1" })
		b.save(knight, "decision", "a decision", func(d *Draft) { d.TaskID = "t1" }, scoped(ScopeProject))
		n, err := b.Retier(b.ctx(), knight, "t1")
		b.ok(err)
		b.equal("nothing changed", n, 0)
		n, err = b.Retier(b.ctx(), knight, "t2")
		b.ok(err)
		b.equal("changed", n, 2)
		b.equal("hot", b.list(knight, Filter{Tiers: []Tier{Hot}}), "[a decision]")
		b.equal("warm", b.list(knight, Filter{Tiers: []Tier{Warm}}), "[the task]")
		b.equal("cold", b.list(knight, Filter{Tiers: []Tier{Cold}}), "[its error]")
		b.clock.add(60 * day)
		_, err = b.Retier(b.ctx(), squire, "")
		b.ok(err)
		b.equal("what is shared fades whoever re-tiers",
			b.list(knight, Filter{Tiers: []Tier{Warm}, Kinds: []string{"decision"}}), "[a decision]")
	}},
	{"M2: a use makes an item more important, and fresh", func(b *bed) {
		it := b.save(knight, "fact", "The port is 9465.")
		other := b.save(knight, "fact", "The queue is a stream.", scoped(ScopeProject))
		b.clock.add(30 * day)
		n, err := b.Touch(b.ctx(), knight, it.ID, other.ID)
		b.ok(err)
		b.equal("touched", n, 2)
		got, err := b.Get(b.ctx(), knight, it.ID)
		b.ok(err)
		if got.AccessCount != 1 || !got.LastAccessed.Equal(start.Add(30*day)) || got.Importance <= it.Importance {
			b.Fatalf("%+v", got)
		}
		b.clock.add(-40 * day)
		_, err = b.Touch(b.ctx(), knight, it.ID)
		b.ok(err)
		got, err = b.Get(b.ctx(), knight, it.ID)
		b.ok(err)
		if got.AccessCount != 2 || !got.LastAccessed.Equal(start.Add(30*day)) {
			b.Fatalf("the clock went back: %+v", got)
		}
	}},
	{"a touch of unknown items tells which and does the others", func(b *bed) {
		it := b.save(knight, "fact", "known")
		n, err := b.Touch(b.ctx(), knight, "mem_x", it.ID, "mem_y")
		b.fails(err, ErrNotFound)
		if n != 1 || !strings.Contains(err.Error(), "mem_x, mem_y") {
			b.Fatal(n, err)
		}
		for _, list := range [][]string{nil, {it.ID, it.ID}, {""}, {"\xff"}} {
			var inv *Invalid
			if _, err := b.Touch(b.ctx(), knight, list...); !errors.As(err, &inv) {
				b.Fatal(list, err)
			}
		}
	}},
	{"list filters by kind, tier, scope, tag, text and task", func(b *bed) {
		b.save(knight, "fact", "Alpha speaks HTTP", func(d *Draft) { d.Tags, d.TaskID = []string{"net"}, "t1" })
		b.save(knight, "decision", "Beta uses SQLite", func(d *Draft) { d.Tags = []string{"db", "store"} })
		b.save(knight, "plan", "Gamma comes next", scoped(ScopeProject))
		b.save(knight, "preference", "Delta: short names", scoped(ScopeGlobal))
		for _, tt := range []struct {
			name string
			f    Filter
			want string
		}{
			{"all", Filter{}, "[Beta uses SQLite Gamma comes next Delta: short names Alpha speaks HTTP]"},
			{"kind", Filter{Kinds: []string{"FACT", "plan"}}, "[Gamma comes next Alpha speaks HTTP]"},
			{"tier", Filter{Tiers: []Tier{Warm}}, "[Alpha speaks HTTP]"},
			{"scope", Filter{Scopes: []Scope{ScopeGlobal, ScopeProject}}, "[Gamma comes next Delta: short names]"},
			{"tag", Filter{Tags: []string{"db", "net"}}, "[Beta uses SQLite Alpha speaks HTTP]"},
			{"text", Filter{Text: "sqlITE"}, "[Beta uses SQLite]"},
			{"task", Filter{TaskID: "t1"}, "[Alpha speaks HTTP]"},
			{"limit", Filter{Limit: 1, Kinds: []string{"fact"}}, "[Alpha speaks HTTP]"},
			{"two at once", Filter{Tags: []string{"net"}, Kinds: []string{"decision"}}, "[]"},
		} {
			got := b.list(knight, tt.f)
			if tt.name == "all" { // of the same importance: by id
				b.equal("all", len(got), 4)
				continue
			}
			if len(got) == 2 && fmt.Sprint(got) != tt.want {
				got[0], got[1] = got[1], got[0]
			}
			b.equal(tt.name, got, tt.want)
		}
		for _, f := range []Filter{
			{Kinds: []string{"x"}},
			{Tiers: []Tier{"x"}},
			{Scopes: []Scope{"x"}},
			{Limit: -1},
			{Text: "\xff"},
		} {
			var inv *Invalid
			if _, err := b.List(b.ctx(), knight, f); !errors.As(err, &inv) {
				b.Fatalf("%+v: %v", f, err)
			}
		}
	}},
	{"duplicates merge", func(b *bed) {
		first := b.save(knight, "fact", "The port is 9465.", given(.5), func(d *Draft) { d.Tags = []string{"net"} })
		b.clock.add(time.Hour)
		s, err := b.Save(b.ctx(), knight,
			Draft{Kind: "fact", Content: "the PORT  is 9465.", Importance: new(0.9), Tags: []string{"port"}})
		b.ok(err)
		if !s.Merged || s.Item.ID != first.ID || s.Item.AccessCount != 1 || s.Item.Importance != .9 ||
			fmt.Sprint(s.Item.Tags) != "[net port]" || s.Item.Content != first.Content {
			b.Fatalf("%+v", s)
		}
		all, err := b.SaveAll(b.ctx(), knight,
			[]Draft{{Kind: "fact", Content: "twice"}, {Kind: "plan", Content: "twice"},
				{Kind: "fact", Content: "TWICE"}})
		b.ok(err)
		b.equal("merged", fmt.Sprint(all[0].Merged, all[1].Merged, all[2].Merged, all[0].Item.AccessCount,
			all[2].Item.AccessCount), "false false true 1 1")
		b.equal("items", len(b.list(knight, Filter{})), 3)
	}},
	{"FP13: what says the same in other marks or as another kind merges, what contradicts does not", func(b *bed) {
		first := b.save(knight, "fact", "Invoices are rounded to whole cents")
		for _, c := range []struct{ kind, text, want string }{
			{"fact", "Invoices are rounded to whole cents.", "fact"},
			{"decision", "\"invoices are  rounded, to whole CENTS!\"", "decision"},
			{"fact", "Invoices are rounded to whole cents", "decision"},
		} {
			b.clock.add(time.Hour)
			s, err := b.Save(b.ctx(), knight, Draft{Kind: c.kind, Content: c.text})
			b.ok(err)
			b.equal("merged into", fmt.Sprint(s.Merged, s.Item.ID == first.ID, s.Item.Kind, s.Item.Content),
				fmt.Sprint(true, true, c.want, first.Content))
		}
		items, err := b.List(b.ctx(), knight, Filter{})
		b.ok(err)
		b.equal("items", fmt.Sprint(len(items), items[0].Kind, items[0].AccessCount,
			items[0].SaidAt.After(first.CreatedAt)), "1decision3 true")
		for i, text := range []string{
			"The offset is 1", "The offset is -1", "The offset is not 1", "The offset is 1?", "The offset is .1",
			"The offset is 10", "Set C to 1", "Set C++ to 1", "x<y", "x>y", "Flag on", "Flag !on",
		} {
			s, err := b.Save(b.ctx(), knight, Draft{Kind: "fact", Content: text})
			b.ok(err)
			b.equal(text, fmt.Sprint(s.Merged, len(b.list(knight, Filter{}))), fmt.Sprint(false, i+2))
		}
		other, err := b.Save(b.ctx(), knight, Draft{Kind: "plan", Content: "Invoices are rounded to whole cents"})
		b.ok(err)
		b.equal("another kind", other.Merged, false)
		all, err := b.SaveAll(b.ctx(), knight,
			[]Draft{{Kind: "decision", Content: "Tides are printed"}, {Kind: "fact", Content: "tides are printed."},
				{Kind: "error", Content: "exit 1"}, {Kind: "error", Content: "exit 1."}})
		b.ok(err)
		b.equal("in one call", fmt.Sprint(all[0].Merged, all[1].Merged, all[1].Item.ID == all[0].Item.ID,
			all[1].Item.Kind, all[3].Merged), "false true truedecisionfalse")
	}},
	{"nothing of a batch is saved if one item cannot be", func(b *bed) {
		_, err := b.SaveAll(b.ctx(), knight, []Draft{{Kind: "fact", Content: "good"}, {Kind: "fact", Content: ""}})
		if err == nil || !strings.Contains(err.Error(), "item 2 of 2: content") {
			b.Fatal(err)
		}
		b.equal("items", b.list(knight, Filter{}), "[]")
		control := strings.Repeat("\x01", MaxContent)
		if _, err = b.Save(b.ctx(), knight, Draft{Kind: "fact", Content: control}); err == nil ||
			!strings.Contains(err.Error(), "bytes as JSON") {
			b.Fatal(err)
		}
	}},
	{"secrets are replaced before anything is stored", func(b *bed) {
		secret := "gh" + "p_" + "aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5"
		s, err := b.Save(b.ctx(), knight, Draft{Kind: "fact", Content: "The token is " + secret + " for now."})
		b.ok(err)
		b.equal("content", s.Item.Content, "The token is [redacted: GitHub token] for now.")
		b.equal("rules", s.Redacted, "[GitHub token]")
		docs, _, err := b.st.All(b.ctx(), store.Shelf{Bucket: "memory", Owner: knight.Agent})
		b.ok(err)
		for _, d := range docs {
			if strings.Contains(string(d.Data), secret[4:20]) {
				b.Fatalf("%s holds the secret", d.ID)
			}
		}
	}},
	{"what contextd injected is refused, whole or nearly", func(b *bed) {
		text := "The worker claims a project under a lease of thirty seconds and renews it while it indexes, so that a crash frees it soon after."
		b.ok(b.NoteInjected(b.ctx(), knight, "We use JWT.", text))
		for _, tt := range []struct {
			who     Who
			text    string
			refused bool
		}{
			{knight, text, true}, {knight, strings.ToUpper(text), true}, {knight, "Note: " + text, true},
			{knight, "we use jwt", true}, {knight, text[:80], true},
			{knight, text +
				" But we found that the lease must be longer where disks are slow, and that renewal may fail without harm to anybody.", false},
			{knight, "We use JWT since the cookies failed.", false}, {squire, text, true}, // of the same project
			{Who{Agent: "squire-1", Project: "api"}, text, false}, {Who{Agent: "squire-1"}, text, false},
			{Who{Agent: knight.Agent, Project: "api"}, text, true},
		} {
			for _, m := range []*Memory{b.Memory, b.again(Options{})} {
				_, err := m.Save(b.ctx(), tt.who, Draft{Kind: "fact", Content: tt.text})
				var loop *LoopError
				if errors.Is(err, ErrLoop) != tt.refused || errors.As(err, &loop) != tt.refused ||
					!tt.refused && err != nil {
					b.Fatalf("%q of %s: %v", tt.text, tt.who.Agent, err)
				}
			}
		}
		all, err := b.SaveAll(b.ctx(), knight, []Draft{{Kind: "fact", Content: text}, {Kind: "fact", Content: "new"}})
		b.ok(err)
		if all[0].Refused == nil || all[1].Refused != nil || all[1].Item.Tier != Warm {
			b.Fatalf("%+v", all)
		}
	}},
	{"citations that changed, went or cannot be told are marked", func(b *bed) {
		one, two := strings.Repeat("1a", 32), strings.Repeat("2b", 32)
		b.files["web:a.go"], b.files["web:b.go"] = one, one
		it := b.save(knight, "fact", "a.go does it", func(d *Draft) { d.Citations = []Citation{{Path: "a.go"}} })
		b.equal("the hash of now is noted", it.Citations[0].Hash, one)
		b.save(knight, "fact", "b.go did it", func(d *Draft) {
			d.Citations = []Citation{{Path: "a.go", Hash: one}, {Path: "b.go", Hash: two}}
		})
		b.save(knight, "fact", "c.go is to come", func(d *Draft) { d.Citations = []Citation{{Path: "c.go"}} })
		b.save(knight, "fact", "no file")
		verify := func() (marked []string) {
			items, err := b.List(b.ctx(), knight, Filter{})
			b.ok(err)
			for _, it := range items {
				if it.Verify {
					marked = append(marked, it.Content)
				}
			}
			return marked
		}
		b.equal("at first", verify(), "[b.go did it]")
		before, err := b.Get(b.ctx(), knight, it.ID)
		b.ok(err)
		delete(b.files, "web:a.go")
		b.equal("a.go is gone", len(verify()), 2)
		after, err := b.Get(b.ctx(), knight, it.ID)
		b.ok(err)
		if before.Hash == after.Hash {
			b.Fatal("a client that holds it would not be told")
		}
		hits, err := b.Search(b.ctx(), knight, "a.go does", Filter{Limit: 1})
		b.ok(err)
		b.equal("found and marked", fmt.Sprint(hits[0].Content, hits[0].Verify), "a.go does ittrue")
		b.files["web:a.go"] = one
		b.equal("a.go is back", verify(), "[b.go did it]")
		lost := Who{"knight-1", "down"}
		b.save(lost, "fact", "who knows", func(d *Draft) { d.Citations = []Citation{{Path: "a.go", Hash: one}} })
		items, err := b.List(b.ctx(), lost, Filter{Text: "who knows"})
		b.ok(err)
		b.equal("it cannot be told", items[0].Verify, true)
	}},
	{"forgotten is forgotten, in the archive too", func(b *bed) {
		it, cold := b.save(knight, "fact", "one"), b.save(knight, "verbose_log", "two")
		_, err := b.FlashSave(b.ctx(), knight, Flash{})
		b.ok(err)
		b.equal("both are there", len(b.list(knight, Filter{})), 2)
		n, err := b.Forget(b.ctx(), knight, it.ID, cold.ID)
		b.ok(err)
		b.equal("forgotten", n, 2)
		b.equal("left", b.list(knight, Filter{}), "[]")
		_, err = b.Forget(b.ctx(), knight, it.ID)
		b.fails(err, ErrNotFound)
		agents, err := b.Agents(b.ctx())
		b.ok(err)
		b.equal("agents", agents, "[]")
	}},
	{"clear forgets all of one agent and nothing else", func(b *bed) {
		b.save(knight, "fact", "mine")
		b.save(knight, "verbose_log", "old")
		b.save(knight, "fact", "ours", scoped(ScopeProject))
		b.save(squire, "fact", "his")
		b.ok(b.NoteInjected(b.ctx(), Who{Agent: knight.Agent}, "injected"))
		_, err := b.FlashSave(b.ctx(), knight, Flash{})
		b.ok(err)
		n, err := b.Clear(b.ctx(), knight.Agent)
		b.ok(err)
		b.equal("cleared", n, 2)
		b.equal("left", b.list(knight, Filter{}), "[ours]")
		b.equal("of the other", len(b.list(squire, Filter{})), 2)
		_, err = b.Restore(b.ctx(), knight, "")
		b.fails(err, ErrNotFound)
		b.save(knight, "fact", "injected")
	}},
	{"search finds by words, most relevant first", func(b *bed) {
		b.save(knight, "fact", "Tokens are verified in VerifyToken with the public key.")
		b.save(knight, "fact", "The scheduler retries failed jobs.", func(d *Draft) { d.Tags = []string{"token"} })
		b.save(knight, "decision", "Verification of tokens moved out of the handlers.", func(d *Draft) {
			d.Citations = []Citation{{Path: "auth/verify.go"}}
		})
		for i := range 20 {
			b.save(knight, "fact", fmt.Sprintf("Page %d of the handlers is about the menu.", i))
		}
		find := func(query string, f Filter) (got []string) {
			hits, err := b.Search(b.ctx(), knight, query, f)
			b.ok(err)
			last := 1.
			for _, h := range hits {
				if h.Relevance <= 0 || h.Relevance > last {
					b.Fatalf("relevance %v after %v", h.Relevance, last)
				}
				last = h.Relevance
				got = append(got, strings.Fields(h.Content)[0])
			}
			return got
		}
		// says both words twice
		b.equal("verify token", find("where do we verify a token?", Filter{Limit: 3})[:2], "[Tokens Verification]")
		b.equal("verifytoken", find("VerifyToken public", Filter{Limit: 1}), "[Tokens]")
		b.equal("kind", find("verify token", Filter{Kinds: []string{"decision"}}), "[Verification]")
		b.equal("nothing", find("kubernetes", Filter{}), "[]")
		b.equal("no words", find("", Filter{}), "[]")
		b.o.Similar = meaning{"scheduler": 1, "menu": .2}
		b.equal("by meaning", find("kubernetes", Filter{}), "[The]")
		b.o.Similar = meaning(nil)
		b.equal("the embedder is down", find("VerifyToken public", Filter{Limit: 1}), "[Tokens]")
	}},
	{"search knows what was said after what in one batch", func(b *bed) {
		drafts := []Draft{{Kind: "conversation", Content: "Where was the festival?"}}
		for i := range 12 {
			drafts = append(drafts, Draft{Kind: "conversation", Content: fmt.Sprintf("line number %d", i)})
		}
		_, err := b.SaveAll(b.ctx(), knight, drafts)
		b.ok(err)
		hits, err := b.Search(b.ctx(), knight, "festival", Filter{Limit: 3})
		b.ok(err)
		var got []string
		for _, h := range hits {
			got = append(got, h.Content)
		}
		slices.Sort(got) // the two turns behind the question, whichever answers it
		b.equal("found", strings.Join(got, ", "), "Where was the festival?, line number 0, line number 1")
	}},
	{"M7: a diff names what is new, changed and to be dropped", func(b *bed) {
		keep, fade := b.save(knight, "task", "keep", given(1)), b.save(knight, "error", "fade")
		tag := b.save(knight, "task", "tag", given(1))
		held := []Held{{keep.ID, keep.Hash}, {fade.ID, fade.Hash}, {tag.ID, tag.Hash}, {"mem_unknown", "x"}}
		d, err := b.Diff(b.ctx(), knight, held[:3])
		b.ok(err)
		b.equal("at first", fmt.Sprintf("%d %d %v %d", len(d.Added), len(d.Changed), d.Dropped, d.Same), "0 0 [] 3")
		b.clock.add(3 * day)
		b.save(knight, "task", "new")
		b.save(knight, "task", "tag", func(d *Draft) { d.Tags = []string{"t"} })
		_, err = b.Retier(b.ctx(), knight, "")
		b.ok(err)
		d, err = b.Diff(b.ctx(), knight, held)
		b.ok(err)
		b.equal("then", fmt.Sprintf("%v %v %v %d", texts(d.Added), texts(d.Changed), d.Dropped, d.Same),
			fmt.Sprintf("[new] [tag] [%s mem_unknown] 1", fade.ID))
		if _, err := b.Diff(b.ctx(), knight, []Held{{"a", ""}, {"a", ""}}); err == nil ||
			!strings.Contains(err.Error(), "each id once") {
			b.Fatal(err)
		}
	}},
	{"M5: stats count items and tokens of each tier", func(b *bed) {
		b.save(knight, "task", "one two three")
		b.save(knight, "fact", "four five", scoped(ScopeProject))
		b.save(knight, "verbose_log", "six")
		b.save(squire, "fact", "not mine to see")
		words := func(s string) int { return len(strings.Fields(s)) }
		want := Stats{Total: 3, Hot: 1, Warm: 1, Cold: 1, Tokens: 6,
			Tiers: map[Tier]Count{Hot: {1, 3}, Warm: {1, 2}, Cold: {1, 1}}}
		s, err := b.Stats(b.ctx(), knight, words)
		b.ok(err)
		b.equal("stats", s, want)
		_, err = b.FlashSave(b.ctx(), knight, Flash{})
		b.ok(err)
		s, err = b.Stats(b.ctx(), knight, words)
		b.ok(err)
		want.Archived = 1
		b.equal("after a flash save", s, want)
	}},
	{"M8: a session of four hours loads a fraction of its tokens, and what must be known", func(b *bed) {
		rng := rand.New(rand.NewPCG(8, 8))
		words := func(n int) string {
			var s strings.Builder
			for range n {
				fmt.Fprintf(&s, "w%d ", rng.IntN(5000))
			}
			return s.String()
		}
		for n := range 20 { // a task each 12 minutes
			task := fmt.Sprint("task-", n)
			var drafts []Draft
			for kind, count := range map[string]int{
				"task":        1,
				"plan":        1,
				"decision":    1,
				"code":        3,
				"error":       2,
				"test_result": 2,
				"tool_output": 4,
				"reasoning":   2,
			} {
				for range count {
					drafts = append(drafts, Draft{Kind: kind, TaskID: task,
						Content: words(map[string]int{"code": 200, "tool_output": 150, "decision": 30}[kind] + 40)})
				}
			}
			drafts = append(drafts, Draft{Kind: "decision", Scope: "project", Content: fmt.Sprint("decision ", n)})
			_, err := b.SaveAll(b.ctx(), knight, drafts)
			b.ok(err)
			b.clock.add(12 * time.Minute)
			_, err = b.Retier(b.ctx(), knight, task)
			b.ok(err)
		}
		s, err := b.Stats(b.ctx(), knight, func(s string) int { return len(strings.Fields(s)) })
		b.ok(err)
		hot, warm := float64(s.Tiers[Hot].Tokens)/float64(s.Tokens), float64(s.Tiers[Warm].Tokens)/float64(s.Tokens)
		if hot > .5 || hot+warm > .7 {
			b.Fatalf("HOT %.2f, WARM %.2f of all tokens", hot, warm)
		}
		b.equal("decisions at hand", len(b.list(knight, Filter{Tiers: []Tier{Hot}, Kinds: []string{"decision"}})), 40)
		b.equal("the current task",
			len(b.list(knight, Filter{Tiers: []Tier{Hot}, TaskID: "task-19",
				Kinds: []string{"task", "plan", "code", "error", "test_result"}})), 9)
	}},
	{"concurrent notes of injected texts lose nothing", func(b *bed) {
		var wg sync.WaitGroup
		ms := []*Memory{b.Memory, b.again(Options{})}
		errs := make(chan error, 40)
		for i := range 40 {
			wg.Go(func() { errs <- ms[i%2].NoteInjected(b.ctx(), knight, fmt.Sprintf("%d %d %d", i, i+1, i+2)) })
		}
		wg.Wait()
		close(errs)
		for err := range errs {
			b.ok(err)
		}
		for i := range 40 {
			_, err := ms[i/20].Save(b.ctx(), knight,
				Draft{Kind: "fact", Content: fmt.Sprintf("%d, %d, %d", i, i+1, i+2)})
			b.fails(err, ErrLoop)
		}
	}},
	{"concurrent saves and touches of one item lose nothing", func(b *bed) {
		const each = 12
		it := b.save(knight, "fact", "everybody's", scoped(ScopeProject))
		var wg sync.WaitGroup
		errs := make(chan error, 3*each*2)
		for p, m := range []*Memory{b.Memory, b.again(Options{}), b.again(Options{})} {
			for i := range each {
				wg.Go(func() {
					_, err := m.Touch(b.ctx(), knight, it.ID)
					errs <- err
				})
				wg.Go(func() {
					_, err := m.Save(b.ctx(), squire, Draft{Kind: "fact", Scope: "project", Content: "EVERYBODY'S",
						Tags: []string{fmt.Sprintf("p%d-%d", p, i%8)}})
					errs <- err
				})
			}
		}
		wg.Wait()
		close(errs)
		for err := range errs {
			b.ok(err)
		}
		got, err := b.Get(b.ctx(), knight, it.ID)
		b.ok(err)
		b.equal("accesses and tags", fmt.Sprint(got.AccessCount, len(got.Tags)), fmt.Sprint(3*each*2, 24))
	}},
	{"bad names are refused by every method", func(b *bed) {
		bad := Who{Agent: "a\nb"}
		_, e1 := b.Load(b.ctx(), bad)
		_, e2 := b.Search(b.ctx(), bad, "x", Filter{})
		_, e3 := b.Retier(b.ctx(), knight, "t\x00")
		_, e4 := b.FlashSave(b.ctx(), bad, Flash{})
		_, e5 := b.Restore(b.ctx(), bad, "")
		_, e6 := b.Clear(b.ctx(), "")
		_, e7 := b.FlashSave(b.ctx(), knight, Flash{Used: -1})
		_, e8 := b.Search(b.ctx(), knight, "\xff", Filter{})
		_, e9 := b.Save(b.ctx(), bad, Draft{Kind: "fact", Content: "x"})
		for i, err := range []error{e1, e2, e3, e4, e5, e6, e7, e8, e9, b.NoteInjected(b.ctx(), Who{}, "x")} {
			var inv *Invalid
			if !errors.As(err, &inv) {
				b.Errorf("%d: %v", i+1, err)
			}
		}
	}},
}

// meaning is a Similar: a word of the text → its cosine with any query; nil fails.
type meaning map[string]float64

func (m meaning) Similar(_ context.Context, _ string, items []Item) ([]float64, error) {
	if m == nil {
		return nil, errors.New("the embedder is down")
	}
	cosines := make([]float64, len(items))
	for i, it := range items {
		for word, c := range m {
			if strings.Contains(it.Content, word) {
				cosines[i] = c
			}
		}
	}
	return cosines, nil
}
