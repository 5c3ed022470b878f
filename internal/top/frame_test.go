package top

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

var noon = time.Date(2030, 5, 6, 12, 0, 0, 0, time.UTC)

func frame() Frame {
	return Frame{At: noon, Backend: "redis", Daemon: true,
		Queue: Queue{Waiting: 2, InWork: 1, Changes: 14, Oldest: 12 * time.Second},
		Projects: []Project{
			{ID: "harbour", Root: "/srv/harbour", State: "fresh", Files: 120, Chunks: 900,
				Indexed: noon.Add(-3 * time.Minute)},
			{ID: "mill", Root: "/srv/mill", State: "stale", Stale: true, Pending: 14, Files: 7, Chunks: 9,
				Indexed: noon.Add(-2 * time.Hour), RetrievalOff: true},
			{ID: "quay", Root: "/srv/quay", State: "fresh", Files: 10, Chunks: 20, Indexed: noon.Add(-time.Second),
				RebuiltPercent: 40},
		},
		Contexts: []Context{
			{ID: "ctx_1", Project: "harbour", Agent: "knight-1", Profile: "builder", Task: "t-7", Status: "ok",
				At: noon.Add(-90 * time.Second), Tokens: 1200, Budget: 8000},
			{ID: "ctx_2", Project: "mill", Agent: "knight-2", Profile: "builder", Task: "t-8", Status: "degraded",
				Reasons: []string{"index_stale"}, At: noon.Add(-5 * time.Second), Tokens: 300, Budget: 8000},
		}}
}

func TestAFrameShowsQueueProjectsAndContextsWorstAndNewestFirst(t *testing.T) {
	t.Parallel()
	want := `contextd  redis, a daemon runs  12:00:00
queue  2 waiting, 0 delayed, 1 in work, 0 dead; 14 changes, the oldest for 12s

PROJECT  STATE            PENDING  FILES  CHUNKS  INDEXED  ROOT
mill     stale, code off       14      7       9  2h ago   /srv/mill
quay     rebuilding 40 %        0     10      20  1s ago   /srv/quay
harbour  fresh                  0    120     900  3m ago   /srv/harbour

CONTEXT  AGE  AGENT     PROJECT  STATUS       TOKENS  PROFILE  TASK  REASONS
ctx_2     5s  knight-2  mill     degraded   300/8000  builder  t-8   index_stale
ctx_1     1m  knight-1  harbour  ok        1200/8000  builder  t-7

q ends`
	if got := strings.Join(Draw(frame(), Size{}, "q ends"), "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestServersThatAreDownStandFirstWithSinceWhen(t *testing.T) {
	t.Parallel()
	f := frame()
	f.Servers = []Server{{Name: "s0", Address: "10.0.0.1:6379", Projects: 3},
		{Name: "s1", Address: "10.0.0.2:6379", Projects: 2, Fault: "dial\x1b[2J: refused", Down: noon.Add(-3 * time.Minute)},
		{Name: "s2", Address: "third of [a:1 b:2]", Fault: "refused"}}
	want := []string{"! server s2  third of [a:1 b:2]  down: refused",
		`! server s1  10.0.0.2:6379  down for 3m, 2 projects missing: dial\x1b[2J: refused`,
		"server s0  10.0.0.1:6379  up, 3 projects"}
	if got := Draw(f, Size{}, "")[2:5]; !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestAnEmptyStoreAndAFaultAreSaid(t *testing.T) {
	t.Parallel()
	got := strings.Join(Draw(Frame{At: noon, Backend: "embedded", Fault: "dial \x1b[2J: refused"}, Size{}, ""), "\n")
	for _, want := range []string{
		"embedded, no daemon", "no projects yet", "no context was compiled yet", "! dial \\x1b[2J: refused",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
}

// Names, paths and ids come from repositories and clients.
func TestNoLineLeavesTheTerminalWhateverStandsInIt(t *testing.T) {
	t.Parallel()
	f := frame()
	f.Fault = "read \x1b[2J\r\n" + strings.Repeat("船", 90)
	for i, text := range []string{
		"\x1b]0;title\x07", strings.Repeat("船", 300), "a\r\nb", "\u202ereverse", strings.Repeat("e\u0301", 200),
		string([]byte{0xff, 0xfe}), strings.Repeat("long ", 400),
	} {
		f.Projects = append(f.Projects, Project{ID: text, Root: text, State: text, Pending: i})
		f.Contexts = append(f.Contexts, Context{ID: text, Project: text, Agent: text, Profile: text, Task: text,
			Status: text, Reasons: []string{text}})
	}
	for w := 1; w <= 130; w++ {
		for _, h := range []int{0, 1, 2, 5, 8, 12, 24, 40} {
			lines := Draw(f, Size{w, h}, "q ends")
			if h > 0 && len(lines) > h {
				t.Fatalf("%d×%d: %d lines", w, h, len(lines))
			}
			for _, l := range lines {
				if cells(l) > w || !utf8.ValidString(l) || strings.ContainsAny(l, "\x1b\r\n\x07\u202e") {
					t.Fatalf("%d×%d: line %q of %d cells", w, h, l, cells(l))
				}
			}
		}
	}
}

func TestANarrowTerminalLosesTheColumnsThatMatterLeast(t *testing.T) {
	t.Parallel()
	for w, want := range map[int]string{
		200: "PROJECT STATE PENDING FILES CHUNKS INDEXED ROOT",
		60:  "PROJECT STATE PENDING FILES INDEXED ROOT",
		44:  "PROJECT STATE PENDING INDEXED",
		36:  "PROJECT STATE PENDING",
	} {
		lines := Draw(frame(), Size{Width: w}, "")
		head := lines[slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, "PROJECT") })]
		if got := strings.Join(strings.Fields(head), " "); !strings.HasPrefix(got, want) ||
			w < 200 && strings.Contains(got, "CHUNKS") {
			t.Errorf("width %d: %q, want %q", w, got, want)
		}
	}
}

func TestALowTerminalSaysHowManyAreLeftOut(t *testing.T) {
	t.Parallel()
	f := frame()
	for range 30 {
		f.Projects = append(f.Projects, Project{ID: "more", State: "fresh"})
	}
	lines := Draw(f, Size{80, 16}, "q ends")
	text := strings.Join(lines, "\n")
	if !strings.Contains(text, "28 more") || !strings.Contains(text, "ctx_1") || !strings.HasSuffix(text, "q ends") ||
		len(lines) != 16 {
		t.Errorf("%d lines:\n%s", len(lines), text)
	}
}

func TestAScreenOverwritesAndGivesTheTerminalBack(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	s, err := NewScreen(&b, true)
	if err != nil {
		t.Fatal(err)
	}
	b.Reset()
	if err := s.Show([]string{"one", "two"}); err != nil {
		t.Fatal(err)
	}
	if got := b.String(); got != "\x1b[?2026h\x1b[H\x1b[1mone\x1b[0m\x1b[K\r\ntwo\x1b[K\x1b[J\x1b[?2026l" {
		t.Errorf("a frame is %q: want it to clear nothing before it is written", got)
	}
	b.Reset()
	if err := s.End(); err != nil || b.String() != "\x1b[?25h\x1b[?1049l" {
		t.Errorf("the end is %q, %v", b.String(), err)
	}
}
