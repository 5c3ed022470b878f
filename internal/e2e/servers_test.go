//go:build unix

package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/contextd/contextd/internal/backend"
	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/e2e/e2etest"
	"github.com/contextd/contextd/internal/rdb/rdbtest"
	"github.com/contextd/contextd/internal/servers"
)

// manyProjects is how many projects lie on the servers of these tests.
const manyProjects = 30

// fleet is a bundle on several servers with names of their own.
type fleet struct {
	*bundle
	each []*rdbtest.Server
	list []string // names of those that are in use
}

func onSeveral(t *testing.T, use int, more int) *fleet {
	t.Helper()
	t.Parallel()
	f := &fleet{bundle: newBundle(t, nil)}
	for range use + more {
		f.each = append(f.each, rdbtest.Own(t, rdbtest.Search))
	}
	f.use(use)
	for i := range manyProjects {
		f.ok(e2etest.Write(f.rootOf(i), "main.py", e2etest.Source(i, 0, 20)))
	}
	return f
}

// use makes the first n servers the list of all processes to come.
func (f *fleet) use(n int) {
	var urls []string
	f.list = nil
	for i := range n {
		f.list = append(f.list, fmt.Sprintf("s%d", i))
		urls = append(urls, f.each[i].URL+"?name="+f.list[i])
	}
	f.Redis = strings.Join(urls, " ")
}

func (f *fleet) name(i int) string { return fmt.Sprintf("p%02d", i) }

func (f *fleet) rootOf(i int) string { return filepath.Join(f.root, f.name(i)) }

// server is the place of a project's server.
func (f *fleet) server(i int) int { return servers.NewSet(f.list).Of(f.name(i)) }

// enqueueAt sends the request of a project to the server at a place, as a program that knows only that one does.
func (f *fleet) enqueueAt(place, i int) {
	f.Helper()
	f.ok(f.each[place].Client(f).XAdd(f.Context(), &redis.XAddArgs{Stream: f.Prefix + ":refresh",
		Values: []string{"project_id", f.name(i), "sandbox_root", f.rootOf(i)}}).Err())
}

// servers is what "indexer status" says of them, and of the projects.
type serversStatus struct {
	Servers []struct {
		Name, Error, Address string
		Projects             int
		DownSince            time.Time `json:"down_since"`
	}
	Unlisted []struct {
		Name, Address string
		Projects      int
	}
	Projects []struct {
		Project, Server string
		Generation      int64
		Stale           bool
	}
	Held []string `json:"held_back"`
}

func (f *fleet) status() (s serversStatus, err error) {
	return s, f.JSON(&s, "indexer", "status")
}

// answers waits until the server finds the source of a project, asked by its id.
func (f *fleet) answers(s *e2etest.Daemon, i int) error {
	return e2etest.Eventually(soon, func() error {
		r, err := s.Search(f.Context(), map[string]any{"query": e2etest.Question(i), "project": f.name(i), "deadline_ms": 5000})
		if err == nil && (!r.Has("main.py") || r.Status != "ok") {
			err = fmt.Errorf("project %s on %s: %s %q %+v", f.name(i), f.list[f.server(i)], r.Status, r.Reasons, r.Results)
		}
		return err
	})
}

func (f *fleet) save(i int) {
	f.Helper()
	r, err := f.Exec("retriever", "memory", "save", "The harbour of "+f.name(i)+" opens at nine.", "--kind", "fact",
		"--scope", "project", "--agent", "a", "--project", f.name(i))
	if err != nil || r.Code != 0 {
		f.Fatal(r, err)
	}
}

func (f *fleet) remembers(i int) error {
	r, err := f.Exec("retriever", "memory", "list", "--agent", "a", "--project", f.name(i), "--json")
	if err == nil && (r.Code != 0 || !strings.Contains(r.Out, "harbour of "+f.name(i))) {
		err = &missing{r}
	}
	return err
}

// checks are those of "indexer doctor" by name.
func (f *fleet) checks() map[string]bool {
	f.Helper()
	r, err := f.Exec("indexer", "doctor", "--json")
	f.ok(err)
	var doc struct {
		Checks []struct {
			Name string
			OK   bool
		}
	}
	f.ok(json.Unmarshal([]byte(r.Out), &doc))
	all := map[string]bool{}
	for _, c := range doc.Checks {
		all[c.Name] = c.OK
	}
	return all
}

// TestOneServerOfThreeKilledDegradesItsProjectsOnly: thirty projects whose requests all came to one server lie on
// three. One is killed: the others' projects are searched, refreshed and remembered as before, status, doctor and
// /readyz name the one that is down, and its projects say so. Once it is back they catch up.
func TestOneServerOfThreeKilledDegradesItsProjectsOnly(t *testing.T) {
	f := onSeveral(t, 3, 0)
	d := f.daemon("--allow-root", f.root)
	s, err := f.Serve("--allow-root", f.root)
	f.ok(err)
	f.guard(s)
	f.ok(s.Ready(soon))
	for i := range manyProjects {
		f.enqueueAt(0, i) // two of three lie elsewhere: handed on
	}
	share := make([]int, 3)
	for i := range manyProjects {
		f.ok(f.answers(s, i))
		share[f.server(i)]++
	}
	st, err := f.status()
	f.ok(err)
	for i, one := range st.Servers {
		if one.Error != "" || one.Projects != share[i] || share[i] < 5 {
			t.Errorf("server %q: %d projects, error %q; want %d", one.Name, one.Projects, one.Error, share[i])
		}
		held, err := f.each[i].Client(t).SMembers(t.Context(), f.Prefix+":projects").Result()
		if f.ok(err); len(held) != share[i] {
			t.Errorf("server %q holds %q, want %d projects", one.Name, held, share[i])
		}
	}
	if all := f.checks(); len(st.Servers) != 3 || !all["server s0"] || !all["server s1"] || !all["server s2"] || !all["list of servers"] {
		t.Errorf("doctor: %v", all)
	}
	down, up := -1, -1
	for i := range manyProjects {
		if f.server(i) == 1 {
			down = i
		} else {
			up = i
		}
	}
	noted := filepath.Join(f.State(), backend.SeenFile)
	f.eventually(func() error { // the daemon has noted what lies where
		text, err := os.ReadFile(noted)
		if want := fmt.Sprintf(`"projects": %d`, share[1]); err == nil && !strings.Contains(string(text), want) {
			err = fmt.Errorf("%s holds %s, want %s", noted, text, want)
		}
		return err
	})
	f.each[1].Kill(t)
	killed := time.Now()
	for i := range manyProjects {
		f.ok(e2etest.Write(f.rootOf(i), "late.py", e2etest.Source(100+i, 0, 20)))
		f.enqueueAt(2, i) // what lies on s1 cannot be handed on: it waits in the spool
	}
	for i := range manyProjects {
		if f.server(i) == 1 {
			for _, by := range []map[string]any{{"project": f.name(i)}, {"root": f.rootOf(i)}} {
				by["query"], by["deadline_ms"] = e2etest.Question(i), 5000
				r, err := s.Search(t.Context(), by)
				if err != nil || r.Status != "degraded" || !slices.Contains(r.Reasons, "redis_unreachable") {
					t.Errorf("%v of the killed server: %+v, %v", by, r, err)
				}
			}
			continue
		}
		f.ok(f.answers(s, i))
		f.eventually(func() error {
			r, err := s.Search(t.Context(), map[string]any{"query": e2etest.Question(100 + i), "root": f.rootOf(i), "deadline_ms": 5000})
			if err == nil && !r.Has("late.py") {
				err = fmt.Errorf("project %s: %s %q %+v", f.name(i), r.Status, r.Reasons, r.Results)
			}
			return err
		})
	}
	f.save(up)
	f.ok(f.remembers(up))
	for what, one := range map[string]*e2etest.Daemon{"daemon": d, "server": s} {
		f.eventually(func() error {
			if code, body := one.Get("/readyz"); code != http.StatusOK || !strings.Contains(body, `s1`) {
				return fmt.Errorf("/readyz of the %s: %d %s", what, code, body)
			}
			return nil
		})
	}
	if v, err := d.Metric("contextd_backend_up", `"redis s1"`); err != nil || v != 0 {
		t.Errorf("contextd_backend_up of s1 is %v, %v", v, err)
	}
	if v, err := d.Metric("contextd_backend_up", `"redis s2"`); err != nil || v != 1 {
		t.Errorf("contextd_backend_up of s2 is %v, %v", v, err)
	}
	f.eventually(func() error { // since when it is down, the daemon knows
		st, err := f.status()
		if err != nil {
			return err
		}
		s := st.Servers
		if len(st.Projects) != manyProjects-share[1] || s[1].Error == "" || s[0].Error != "" || s[1].Projects != share[1] ||
			s[0].Projects != share[0] || s[1].DownSince.Before(killed) || time.Since(s[1].DownSince) < time.Since(killed)/2 ||
			!strings.HasSuffix(f.each[1].URL, s[1].Address) || !s[0].DownSince.IsZero() {
			return fmt.Errorf("status: %d projects, killed at %v, %+v", len(st.Projects), killed, s)
		}
		return nil
	})
	if r, err := f.Exec("retriever", "top"); err != nil || r.Code != 0 || !strings.Contains(r.Out, "! server s1  ") ||
		!strings.Contains(r.Out, fmt.Sprintf("server s0  %s  up, %d projects", st.Servers[0].Address, share[0])) {
		t.Errorf("top: %v, %v", r, err)
	}
	if all := f.checks(); all["server s1"] || !all["server s0"] || !all["backend"] {
		t.Errorf("doctor: %v", all)
	}
	if r, err := f.Exec("retriever", "query", e2etest.Question(down), "--project", f.name(down), "--json"); err != nil ||
		!strings.Contains(r.Out, "redis_unreachable") {
		t.Errorf("a query of a project on the killed server: %v, %v", r, err)
	}
	f.each[1].Restart(t)
	for i := range manyProjects {
		f.eventually(func() error {
			r, err := s.Search(t.Context(), map[string]any{"query": e2etest.Question(100 + i), "project": f.name(i), "deadline_ms": 5000})
			if err == nil && !r.Has("late.py") {
				err = fmt.Errorf("project %s: %s %q %+v", f.name(i), r.Status, r.Reasons, r.Results)
			}
			return err
		})
	}
	f.eventually(func() error {
		if code, body := d.Get("/readyz"); code != http.StatusOK || strings.Contains(body, "s1") {
			return fmt.Errorf("/readyz: %d %s", code, body)
		}
		return nil
	})
	if st, err := f.status(); err != nil || len(st.Projects) != manyProjects {
		t.Errorf("%d projects in the end, %v; want %d", len(st.Projects), err, manyProjects)
	}
}

// TestAServerMoreTakesItsProjectsWithWhatTheyRemember: with a fourth server in the list about a quarter of the projects
// move to it. Until it has their indexes they say index_missing; then they answer as before, with their memories, and
// nothing of them is left where they were. The server taken out again gives all back with "indexer move --from".
func TestAServerMoreTakesItsProjectsWithWhatTheyRemember(t *testing.T) {
	f := onSeveral(t, 3, 1)
	d := f.daemon("--allow-root", f.root)
	for i := range manyProjects {
		f.enqueueAt(f.server(i), i)
		f.save(i)
	}
	atRest := func() {
		t.Helper()
		f.eventually(func() error {
			st, err := f.status()
			for _, p := range st.Projects {
				if err == nil && p.Generation == 0 {
					err = fmt.Errorf("project %q is not indexed on %s", p.Project, p.Server)
				}
			}
			if err == nil && len(st.Projects) != manyProjects {
				err = fmt.Errorf("%d projects", len(st.Projects))
			}
			return err
		})
	}
	atRest()
	f.ok(d.Stop(soon))
	was := make([]int, manyProjects)
	for i := range was {
		was[i] = f.server(i)
	}
	f.use(4)
	moved := -1
	for i := range manyProjects {
		switch f.server(i) {
		case was[i]:
			r, err := f.Query(f.rootOf(i), e2etest.Question(i), "--deadline", patient)
			if f.ok(err); !r.Has("main.py") {
				t.Errorf("project %s stays on s%d: %s %q", f.name(i), was[i], r.Status, r.Reasons)
			}
		case 3:
			moved = i
			r, err := f.Query(f.rootOf(i), e2etest.Question(i), "--deadline", patient)
			if f.ok(err); r.Status != "degraded" || !slices.Contains(r.Reasons, "index_missing") {
				t.Errorf("project %s moved to s3, which does not have it: %s %q", f.name(i), r.Status, r.Reasons)
			}
		default:
			t.Fatalf("project %s moves from s%d to s%d, which is not new", f.name(i), was[i], f.server(i))
		}
	}
	if moved < 0 {
		t.Fatal("no project moves")
	}
	f.ok(f.remembers(moved)) // before any daemon runs
	if all := f.checks(); all["documents of others of s0"] && all["documents of others of s1"] && all["documents of others of s2"] {
		t.Errorf("doctor does not name documents on servers that are not theirs: %v", all)
	}
	d = f.daemon("--allow-root", f.root)
	atRest()
	for i := range manyProjects {
		f.ok(f.World.Finds(soon, f.rootOf(i), e2etest.Question(i), "main.py"))
		f.ok(f.remembers(i))
	}
	f.eventually(func() error { // nothing is left where it was
		for i := range manyProjects {
			for place := range 4 {
				if place == f.server(i) {
					continue
				}
				keys, err := f.each[place].Client(t).Keys(t.Context(), "*"+f.name(i)+"*").Result()
				keys = slices.DeleteFunc(keys, func(k string) bool { return strings.Contains(k, ":rev:") || strings.Contains(k, ":once:") })
				if err != nil || len(keys) > 0 {
					return fmt.Errorf("project %s of s%d is on s%d: %q, %v", f.name(i), f.server(i), place, keys, err)
				}
			}
		}
		return nil
	})
	for name, ok := range f.checks() {
		if !ok && strings.HasPrefix(name, "documents of others") {
			t.Errorf("check %q of doctor fails", name)
		}
	}
	f.ok(d.Stop(soon))
	taken := f.each[3].URL
	held := 0
	for i := range manyProjects {
		if f.server(i) == 3 {
			held++
		}
	}
	f.use(3)
	st, err := f.status()
	if f.ok(err); len(st.Unlisted) != 1 || st.Unlisted[0].Name != "s3" || st.Unlisted[0].Projects != held || !strings.HasSuffix(taken, st.Unlisted[0].Address) {
		t.Errorf("status after s3 with %d projects was taken out of the list: %+v", held, st.Unlisted)
	}
	if all := f.checks(); all["servers before"] {
		t.Errorf("doctor does not miss s3: %v", all)
	}
	if r, err := f.Exec("indexer", "move", "--from", taken); err != nil || r.Code != 0 || !strings.Contains(r.Out, "moved ") {
		t.Fatal(r, err)
	}
	f.ok(f.remembers(moved))
	if st, err = f.status(); err != nil || len(st.Unlisted) > 0 {
		t.Errorf("status after the move: %+v, %v", st.Unlisted, err)
	}
}

// TestAWatchedRootIsNoSecondProjectWhileItsServerIsDown: a root is a project under another id than its default one, on a
// server that is down when the daemon starts, while its default id lies on the one that is up. The daemon makes no
// project of it there, is ready and says what waits, keeps the root of the other server fresh, and this one once its
// server is back.
func TestAWatchedRootIsNoSecondProjectWhileItsServerIsDown(t *testing.T) {
	f := onSeveral(t, 2, 0)
	on := []int{-1, -1} // a project of each server
	for i := range manyProjects {
		byDefault := servers.NewSet(f.list).Of(code.DefaultProjectID(f.rootOf(i)))
		if on[f.server(i)] < 0 && (f.server(i) == 0 || byDefault == 0) {
			on[f.server(i)] = i
		}
	}
	if on[0] < 0 || on[1] < 0 {
		t.Fatalf("no project of each server among %d: %v", manyProjects, on)
	}
	var flags []string
	for _, i := range on {
		_, err := f.World.Index(f.rootOf(i), "--project", f.name(i))
		f.ok(err)
		flags = append(flags, "--watch", f.rootOf(i))
	}
	f.each[1].Kill(t)
	d := f.daemonNotReady(flags...)
	s, err := f.Serve("--allow-root", f.root)
	f.ok(err)
	f.guard(s)
	for what, one := range map[string]*e2etest.Daemon{"daemon": d, "server": s} {
		f.ok(one.Ready(soon))
		f.eventually(func() error {
			code, body := one.Get("/readyz")
			var told struct {
				Ready   bool
				Servers []struct{ Name, Error string }
				Held    int `json:"held_back"`
			}
			err := json.Unmarshal([]byte(body), &told)
			if err != nil || code != http.StatusOK || !told.Ready || told.Held != 1 || len(told.Servers) != 2 ||
				told.Servers[0].Error != "" || told.Servers[1].Error == "" || told.Servers[1].Name != "s1" {
				return fmt.Errorf("/readyz of the %s: %d %s", what, code, body)
			}
			return nil
		})
	}
	f.eventually(func() error {
		if v, err := d.Metric("contextd_queue_held_back", ""); err != nil || v == 0 {
			return fmt.Errorf("contextd_queue_held_back is %v, %v", v, err)
		}
		return nil
	})
	st, err := f.status()
	if f.ok(err); !slices.Equal(st.Held, []string{f.rootOf(on[1])}) || len(st.Projects) != 1 || st.Projects[0].Stale {
		t.Errorf("status: held back %q, projects %+v; want %q", st.Held, st.Projects, f.rootOf(on[1]))
	}
	if all := f.checks(); all["held back"] || all["server s1"] || !all["server s0"] || !all["projects"] {
		t.Errorf("doctor: %v", all)
	}
	for _, i := range on {
		f.ok(e2etest.Write(f.rootOf(i), "late.py", e2etest.Source(100+i, 0, 20)))
	}
	f.ok(f.World.Finds(soon, f.rootOf(on[0]), e2etest.Question(100+on[0]), "late.py"))
	r, err := f.Query(f.rootOf(on[1]), e2etest.Question(on[1]), "--deadline", patient)
	if f.ok(err); r.Status != "degraded" || !slices.Contains(r.Reasons, "redis_unreachable") {
		t.Errorf("the root whose server is down: %s %q", r.Status, r.Reasons)
	}
	f.each[1].Restart(t)
	f.ok(f.World.Finds(soon, f.rootOf(on[1]), e2etest.Question(100+on[1]), "late.py"))
	if st, err := f.status(); err != nil || len(st.Projects) != 2 || len(st.Held) > 0 {
		t.Errorf("%+v, %v; want two projects and nothing held back", st, err)
	}
}

// TestMemoriesOfServersThatAnswerAreListedWhileOneIsDown: an agent's own items lie on one server and its project's on
// another. While that of the agent is down, command, API and MCP list what the project has and name the server; of what
// no reachable server holds they say so as an error, not as nothing.
func TestMemoriesOfServersThatAnswerAreListedWhileOneIsDown(t *testing.T) {
	f := onSeveral(t, 2, 0)
	set := servers.NewSet(f.list)
	agent, up, down := "", -1, -1
	for i := 0; agent == ""; i++ {
		if name := fmt.Sprintf("agent%d", i); set.Of(name) == 1 {
			agent = name
		}
	}
	for i := range manyProjects {
		if f.server(i) == 0 {
			up = i
		} else {
			down = i
		}
	}
	for _, i := range []int{up, down} {
		_, err := f.World.Index(f.rootOf(i), "--project", f.name(i))
		f.ok(err)
		for _, scope := range []string{"task", "project"} {
			r, err := f.Exec("retriever", "memory", "save", "The "+scope+" of "+f.name(i)+" knows the harbour.", "--kind", "fact",
				"--scope", scope, "--agent", agent, "--project", f.name(i))
			if err != nil || r.Code != 0 {
				t.Fatal(r, err)
			}
		}
	}
	s, err := f.Serve("--allow-root", f.root)
	f.ok(err)
	f.guard(s)
	f.ok(s.Ready(soon))
	f.each[1].Kill(t)
	type listed struct {
		Items   []struct{ Content string }
		Servers []struct{ Name, Error string }
		Total   int `json:"total_items"`
	}
	partly := func(what, out string) {
		t.Helper()
		var l listed
		if err := json.Unmarshal([]byte(out), &l); err != nil || len(l.Servers) != 2 || l.Servers[0].Error != "" ||
			l.Servers[1].Name != "s1" || l.Servers[1].Error == "" || l.Total != 1 &&
			(len(l.Items) != 1 || l.Items[0].Content != "The project of "+f.name(up)+" knows the harbour.") {
			t.Errorf("%s while s1 is down: %v\n%s", what, err, out)
		}
	}
	of := func(i int, args ...string) []string {
		return append(append([]string{"memory"}, args...), "--agent", agent, "--project", f.name(i))
	}
	for _, args := range [][]string{{"list"}, {"recall", "harbour"}, {"stats"}} {
		r, err := f.Exec("retriever", append(of(up, args...), "--json")...)
		if f.ok(err); r.Code != 0 {
			t.Errorf("%q: %v", args, r)
		}
		partly(args[0], r.Out)
		r, err = f.Exec("retriever", of(up, args...)...)
		if f.ok(err); r.Code != 0 || !strings.Contains(r.Out, "server s1 did not answer, what it holds is missing") {
			t.Errorf("%q as text: %v", args, r)
		}
		r, err = f.Exec("retriever", of(down, args...)...)
		if f.ok(err); r.Code != 2 || !strings.Contains(r.Err, `"s1"`) {
			t.Errorf("%q of a project whose server is down: %v", args, r)
		}
	}
	r, err := f.Exec("retriever", append(of(up, "list"), "--scope", "project", "--json")...)
	if f.ok(err); r.Code != 0 || strings.Contains(r.Out, "s1") {
		t.Errorf("the project's own memories, of which nothing is missing: %v", r)
	}
	for path, of := range map[string]string{"/v1/agents/%s/memory?project=%s": "v1", "/api/agents/%s/context/stats?project=%s": "stats",
		"/api/agents/%s/context?tier=all&project=%s": "agent-context"} {
		code, body := s.Get(fmt.Sprintf(path, agent, f.name(up)))
		if code != http.StatusOK {
			t.Errorf("%s: %d %s", of, code, body)
		}
		partly(of, body)
		if code, body = s.Get(fmt.Sprintf(path, agent, f.name(down))); code != http.StatusServiceUnavailable || !strings.Contains(body, "s1") {
			t.Errorf("%s of a project whose server is down: %d %s", of, code, body)
		}
	}
	for _, i := range []int{up, down} {
		m, err := f.MCP(f.rootOf(i), "--agent", agent)
		f.ok(err)
		f.Cleanup(m.Kill)
		text, err := m.Call("recall", map[string]any{"query": "harbour"})
		if i == up && (err != nil || !strings.Contains(text, "The project of "+f.name(up)) || !strings.Contains(text, "server s1 did not answer")) {
			t.Errorf("recall by MCP: %v\n%s", err, text)
		}
		if i == down && !strings.Contains(fmt.Sprint(text, err), "s1") {
			t.Errorf("recall by MCP of a project whose server is down: %v\n%s", err, text)
		}
		f.ok(m.End(soon))
	}
}
