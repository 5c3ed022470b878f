//go:build unix

package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	client "github.com/contextd/contextd/clients/go"
)

// point is a promise of docs/SEEDS.md and the play that shows it.
type point struct {
	promise string
	play    func(s *supervisor)
}

// points are played in this order by one supervisor: what needs an empty memory comes first, what is learnt and what
// waits last.
var points = []point{
	{"S6: a context without pieces says what it missed", (*supervisor).missed},
	{"U1: a failed task that does not say so is no success", (*supervisor).failedTask},
	{"U1: an old state is imported once, by command and over HTTP", (*supervisor).oldState},
	{"U4: a summary stands where the toggle or the project's policy says so", (*supervisor).summaries},
	{"U2: the window is in the order of recording, and a peasant has the blockers", (*supervisor).window},
	{"C3: what is sent to a model ends with the user's question", (*supervisor).sendable},
	{"U13: a search gives the text form on request", (*supervisor).textForm},
	{"U14: a context counts once for its status, and no request is missed", (*supervisor).counts},
	{"P9: event, reply and recall have the design's field names", (*supervisor).fieldNames},
	{"C6: the log names the agent and how long its system prompt is", (*supervisor).logLine},
	{"S5: what contradicts the conversation stands, what repeats it does not", (*supervisor).contradictions},
	{"S9: a repetition of long ago may fade", (*supervisor).fade},
	{"S1: a phrase asks more of the memory that it hints at", (*supervisor).hints},
	{"M4: a flash save of many decisions frees room and can be looked at", (*supervisor).flash},
	{"M3: tiers are rebuilt on request, and blockers are events", (*supervisor).retier},
	{"P8: a request brings a whole profile, and commands list and show them", (*supervisor).profiles},
	{"P8: a knight sees the test of the file that its task names", (*supervisor).testOfFile},
	{"P10: outcomes are told, move a profile that may learn, and are forgotten", (*supervisor).outcomes},
	{"U14: on a backlog who wants no stale code gets none", (*supervisor).backlog},
}

// One supervisor plays the points of docs/SEEDS.md from outside, with one server and one daemon.
func TestASupervisorGetsWhatTheSourceDesignsPromise(t *testing.T) {
	both(t, func(b *bundle) {
		b.Env = append(b.Env, "CONTEXTD_BACKLOG_PROJECTS=2", "CONTEXTD_CONTEXT_POLICY=archive=on",
			"CONTEXTD_LEARN="+shop+"=on,"+shop+"/squire=off")
		s := supervise(b)
		for _, p := range points {
			b.Run(p.promise, func(t *testing.T) {
				if len(p.promise) > 80 {
					t.Errorf("a name of %d characters", len(p.promise))
				}
				of := *b
				of.T = t
				p.play(&supervisor{bundle: &of, indexer: s.indexer, server: s.server, api: s.api})
			})
		}
	})
}

// warmedUp is how long the server took to load what a first prompt needs, 0 if its log does not tell.
func (s *supervisor) warmedUp() (took time.Duration) {
	s.Helper()
	for line := range strings.Lines(s.server.Log()) {
		if strings.Contains(line, `"warmed up"`) {
			var told struct{ Took string }
			s.decode([]byte(line), &told)
			d, err := time.ParseDuration(told.Took)
			s.ok(err)
			took = d
		}
	}
	return took
}

// Before a server says that it is ready it loads what a first prompt would wait for: that prompt takes less time than
// the loading, and is in time. A busy machine may be late once, a cold server is each time.
func TestTheFirstPromptAfterAStartIsInTime(t *testing.T) {
	both(t, func(b *bundle) {
		s := supervise(b)
		s.eventually(func() error {
			s.crash()
			warm := s.warmedUp()
			// with the default deadline
			c, err := s.api.Context(s.Context(),
				client.ContextRequest{Project: shop, AgentKind: "knight", Task: work()})
			if err == nil && (c.Status == "degraded" || c.TookMS >= float64(warm.Milliseconds())) {
				err = fmt.Errorf("%s %q after %v ms, and the server warmed up for %v", c.Status, c.Reasons,
					c.TookMS, warm)
			}
			return err
		})
	})
}

// section is the content of a section of a context, "" where it has none.
func section(c *client.ContextReply, name string) string {
	for _, x := range c.Sections {
		if x.Name == name {
			return x.Content
		}
	}
	return ""
}

// holds wants a text to hold some others, in this order.
func (s *supervisor) holds(text string, parts ...string) {
	s.Helper()
	rest := text
	for _, p := range parts {
		_, after, ok := strings.Cut(rest, p)
		if !ok {
			s.Errorf("%q is missing or out of order:\n%s", p, text)
			return
		}
		rest = after
	}
}

// bare takes what names files and lines out of a task.
func bare(r *client.ContextRequest) {
	r.Task.Diff, r.Task.FileOperations, r.Task.Steps = "", nil, nil
}

// kept counts the pieces of a kind that stand in a context.
func (a *account) kept(kind string) (n int) {
	for _, p := range a.Items {
		if p.Kind == kind && p.Decision != "dropped" {
			n++
		}
	}
	return n
}

// dropped reports whether a receipt says that a piece was left out for a reason.
func (a *account) dropped(id, reason string) bool {
	return slices.ContainsFunc(a.Items, func(p piece) bool {
		return p.ID == id && p.Decision == "dropped" && p.Reason == reason
	})
}
