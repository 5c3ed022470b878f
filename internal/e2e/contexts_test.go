//go:build unix

package e2e

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	client "github.com/contextd/contextd/clients/go"
)

var update = flag.Bool("update", false, "write the goldens of the contexts, as the embedded backing gives them")

// kinds are the agents that a supervisor drives.
var kinds = []string{"architect", "developer", "knight", "peasant", "reviewer", "royalty", "squire"}

// past gives the project a past: three tasks, one of them with its reasons, a blocker, and what agents have learnt.
func (s *supervisor) past() {
	s.Helper()
	at := func(hour int) time.Time { return time.Date(2026, 1, 2, hour, 4, 5, 0, time.UTC) }
	for _, t := range []client.Task{
		{ID: "task-039", CompletedAt: at(3), Success: new(true), RequiresContext: new(true),
			Intent: "Let sessions expire after 12 hours", Summary: "Lookup refuses what was not used for so long.",
			ChangedFiles: []string{"internal/session/store.go"}},
		{ID: "task-040", CompletedAt: at(4), Success: new(false), RequiresContext: new(true),
			Intent: "Send a goodbye mail"},
		{ID: "task-041", CompletedAt: at(5), Success: new(true), Intent: "Rename carts",
			ChangedFiles: []string{"internal/cart/total.go"}},
	} {
		_, err := s.api.CompleteTask(s.Context(), shop, t, "", "")
		s.ok(err)
	}
	_, err := s.api.Block(s.Context(), shop,
		client.Blocker{ID: "task-043", Reason: "waits for the mail server", BlockedAt: new(at(6))})
	s.ok(err)
	for _, d := range []client.Draft{
		{ItemType: "DECISION", Content: "What a user owns is deleted in the same call that deletes the user."},
		{ItemType: "CONVENTION", Content: "Each fix comes with a test that fails without it.",
			Citations: []client.Citation{{Path: "README.md"}}},
		{ItemType: "PLAN", Content: "First end the sessions, then the carts, then the mail address of a deleted user."},
		{ItemType: "FAILURE", Content: "Ending sessions by a nightly job left deleted users logged in for a day."},
		{ItemType: "SUMMARY",
			Content: "Accounts, sessions and carts are kept in memory; nothing is written to disk yet."},
		{ItemType: "FACT", Content: "Sessions are kept by their id, so that those of one user are found by a scan."},
		{ItemType: "TOOL_OUTPUT", Content: "ok  	shop/internal/account	0.004s"},
		{ItemType: "TASK_INPUT", Content: "The user is deleted in internal/account/delete.go, line 6."},
	} {
		d.Scope = "project"
		_, err := s.api.Save(s.Context(), "squire-1", shop, d)
		s.ok(err)
	}
}

// golden is a context as a text: its messages, then where each section is from and what became of each piece.
func (s *supervisor) golden(c *client.ContextReply) string {
	s.Helper()
	a := &txtar.Archive{Comment: []byte(fmt.Sprintf("%s %v, prefix %s\n", c.Status, c.Reasons, c.PrefixHash))}
	for _, m := range c.Messages {
		a.Files = append(a.Files, txtar.File{Name: m.Role, Data: []byte(m.Content)})
	}
	var b strings.Builder
	for _, x := range c.Sections {
		fmt.Fprintf(&b, "%s from %s\n", x.Name, x.Source)
	}
	a.Files = append(a.Files, txtar.File{Name: "sections", Data: []byte(b.String())})
	var r account
	s.call("GET", "/v1/receipts/"+c.ID, nil, &r)
	b.Reset()
	slices.SortStableFunc(r.Items, func(x, y piece) int {
		// code and memory apart: how they compare is a matter of ranking
		return cmp.Compare(x.rank(), y.rank())
	})
	for _, x := range r.Items {
		fmt.Fprintln(&b, strings.TrimSpace(fmt.Sprintf("%s %s %s %s", x.Decision, x.Kind, x.ID, x.Reason)))
	}
	a.Files = append(a.Files, txtar.File{Name: "pieces", Data: []byte(b.String())})
	return s.plain(string(txtar.Format(a)))
}

// rank is the group of a piece: code that stands in the context, memory that does, what was dropped.
func (p piece) rank() int {
	switch {
	case p.Decision == "dropped":
		return 2
	case strings.HasPrefix(p.ID, "code:"):
		return 0
	}
	return 1
}

// asIs asks for code with its text from a relevance on that is far from that of any file of the shop: goldens are not
// to change whenever ranking gets a little better.
func asIs(r *client.ContextRequest) {
	at := .75
	r.InjectAt = &at
}

var (
	saidOn   = regexp.MustCompile(`, 20\d\d-\d\d-\d\d\)`) // the day on which a decision was saved, which is today
	memoryID = regexp.MustCompile(`mem_[0-9a-f]{8,32}`)
	moment   = regexp.MustCompile(`\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z`)
)

// plain is a text without what is another one in each run: ids become mem_1, mem_2 … in the order in which they come.
func (s *supervisor) plain(text string) string {
	text = strings.ReplaceAll(text, s.root, "ROOT")
	text = moment.ReplaceAllStringFunc(text, func(at string) string {
		if strings.HasPrefix(at, "2026-01-02T") { // one that the test has set
			return at
		}
		return "TIME"
	})
	text = saidOn.ReplaceAllString(text, ", TODAY)")
	var ids []string
	return memoryID.ReplaceAllStringFunc(text, func(id string) string {
		id = id[:12]
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
		return fmt.Sprintf("mem_%d", 1+slices.Index(ids, id))
	})
}

func TestEachAgentGetsItsContext(t *testing.T) {
	both(t, func(b *bundle) {
		s := supervise(b)
		s.past()
		folder := filepath.Join("testdata", "contexts")
		for _, kind := range kinds {
			got, file := s.golden(s.compile(kind, asIs)), filepath.Join(folder, kind+".txtar")
			if *update {
				if b.redis == nil {
					s.ok(os.MkdirAll(folder, 0o755))
					s.ok(os.WriteFile(file, []byte(got), 0o644))
				}
				continue
			}
			want, err := os.ReadFile(file)
			s.ok(err)
			if got != string(want) {
				s.Errorf("%s: got\n%s\nwant\n%s", kind, got, want)
			}
			if again := s.golden(s.compile(kind, asIs)); again != got {
				s.Errorf("%s: the same question gets another context:\n%s\nbefore\n%s", kind, again, got)
			}
		}
		if *update {
			return
		}
		files, err := os.ReadDir(folder)
		s.ok(err)
		if len(files) != len(kinds) || len(kinds) < 7 {
			s.Errorf("%d goldens of %d agents", len(files), len(kinds))
		}
	})
}
