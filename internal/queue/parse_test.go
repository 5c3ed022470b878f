package queue

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

func TestParseReadsGoodMessages(t *testing.T) {
	t.Parallel()
	many, _ := json.Marshal(make([]string, MaxPaths+1))
	for _, tt := range []struct {
		files string
		want  []string
	}{
		{"", nil},
		{"null", nil},
		{" null ", nil},
		{"[]", nil},
		{`["a.go"]`, []string{"a.go"}},
		{`["./a.go", "b//c.go", "dir/"]`, []string{"a.go", "b/c.go", "dir"}},
		{`["a..b", "...", "*"]`, []string{"a..b", "...", "*"}},
		{`["a", "."]`, nil},
		{`[""]`, nil},
		{`["é\u00e9 \"x\""]`, []string{`éé "x"`}},
		{string(many), nil},
	} {
		fields := map[string]string{FieldProject: "web", FieldRoot: "/srv//web/", FieldFiles: tt.files,
			"colour": "blue"}
		r, err := Parse("7-1", fields)
		if err != nil || !reflect.DeepEqual(r.Paths, tt.want) || r.Root != "/srv/web" || r.ID != "7-1" ||
			r.Project != "web" {
			t.Errorf("changed_files %.40s: %+v, %v; want paths %q", tt.files, r, err, tt.want)
		}
	}
}

func TestParseRefusesWhatBreaksARule(t *testing.T) {
	t.Parallel()
	good := func(change ...string) map[string]string {
		f := map[string]string{FieldProject: "web", FieldRoot: "/srv/web"}
		for i := 0; i < len(change); i += 2 {
			f[change[i]] = change[i+1]
		}
		return f
	}
	for want, fields := range map[string]map[string]string{
		"project_id is missing":                             {FieldRoot: "/srv"},
		"sandbox_root is missing":                           {FieldProject: "web"},
		`project_id: project "a b": want a letter or digit`: good(FieldProject, "a b"),
		`project_id: project "": `:                          good(FieldProject, ""),
		`sandbox_root "": it is empty`:                      good(FieldRoot, ""),
		`sandbox_root "srv": want an absolute path`:         good(FieldRoot, "srv"),
		`sandbox_root "/": the whole file system`:           good(FieldRoot, "/"),
		`sandbox_root "//.": the whole file system`:         good(FieldRoot, "//."),
		`sandbox_root "/srv/../etc": want a path without`:   good(FieldRoot, "/srv/../etc"),
		`sandbox_root "/a\x00b": it holds a NUL`:            good(FieldRoot, "/a\x00b"),
		`changed_files "not json": want a JSON array`:       good(FieldFiles, "not json"),
		`changed_files "{}": want a JSON array`:             good(FieldFiles, "{}"),
		`changed_files "\"a\"": want a JSON array`:          good(FieldFiles, `"a"`),
		`changed_files "1": want a JSON array`:              good(FieldFiles, "[1]"),
		`changed_files "[]": want a JSON array`:             good(FieldFiles, "[[]]"),
		`changed_files "null": want a JSON array`:           good(FieldFiles, "[null]"),
		`changed_files "null junk": want a JSON array`:      good(FieldFiles, "null junk"),
		`changed_files "../x": want a path without`:         good(FieldFiles, `["ok", "../x"]`),
		`changed_files "a/../b": want a path without`:       good(FieldFiles, `["a/../b"]`),
		`changed_files "/etc": want a path relative`:        good(FieldFiles, `["/etc"]`),
		`changed_files "a\x00": it holds a NUL`:             good(FieldFiles, `["a\u0000"]`),
		`changed_files "[xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx`:  good(FieldFiles, "["+strings.Repeat("x", 1_000_000)),
	} {
		_, err := Parse("1-1", fields)
		if err == nil || !strings.HasPrefix(err.Error(), want) || len(err.Error()) > 400 {
			t.Errorf("%.200v:\n got %v\nwant %s…", fields, err, want)
		}
	}
}

func TestParseReadsTheTimeOfTheRequest(t *testing.T) {
	t.Parallel()
	sent, arrived := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), time.UnixMilli(1_700_000_000_000)
	for _, tt := range []struct {
		id, at string
		want   time.Time
	}{
		{"1700000000000-0", "2026-01-02T05:04:05+02:00", sent},
		{"1700000000000-0", "yesterday", arrived},
		{"1700000000000-0", "", arrived},
		{"17", "", time.Time{}},
		{"-", "", time.Time{}},
		{"99999999999999999999-0", "", time.Time{}},
	} {
		r, err := Parse(tt.id, map[string]string{FieldProject: "web", FieldRoot: "/srv", FieldRequested: tt.at})
		if err != nil || !r.At.Equal(tt.want) {
			t.Errorf("id %q, requested_at %q: %v, %v; want %v", tt.id, tt.at, r.At, err, tt.want)
		}
	}
}

func TestParseReversesFields(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)
	for _, r := range []Request{
		{Project: "web", Root: "/srv/web", At: at},
		{Project: "web", Root: "/srv/web", Paths: []string{"a", "b/ü <&>.go", "\u2028"}, At: at},
	} {
		if got, err := Parse("", Fields(r)); err != nil || !reflect.DeepEqual(got, r) {
			t.Errorf("%+v: %+v, %v", r, got, err)
		}
	}
	got, err := Parse("", Fields(Request{Project: "web", Root: "/srv/web", Paths: []string{"ok", "dir/b\xffd/x"}}))
	if err != nil || !reflect.DeepEqual(got.Paths, []string{"ok", "dir"}) {
		t.Errorf("a name that is not UTF-8: %q, %v; want its folder", got.Paths, err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add("web", "/srv/web", `["a.go", "b/c"]`, "2026-01-02T03:04:05Z")
	f.Add("é", "relative/../x", `[[["`, "x")
	f.Fuzz(func(t *testing.T, project, root, files, at string) {
		fields := map[string]string{FieldProject: project, FieldRoot: root, FieldFiles: files, FieldRequested: at}
		r, err := Parse("1-1", fields)
		if err != nil {
			c := LetterForMessage(Message{ID: "1-1", Fields: fields}, err, time.Now())
			if !utf8.ValidString(c.Reason) || len(EncodeBody(c.Body)) > 8*maxBody {
				t.Fatalf("letter %+v", c)
			}
			if _, again := Parse("1-1", DecodeBody(EncodeBody(c.Body))); again == nil {
				t.Fatalf("%v is refused, but not when it is sent again", fields)
			}
			return
		}
		for _, p := range r.Paths {
			if p == "" || p[0] == '/' || hasDotDot(p) || p == "." {
				t.Fatalf("path %q", p)
			}
		}
		back, err := Parse("1-1", Fields(r))
		if err != nil || back.Root != r.Root || !reflect.DeepEqual(back.Paths, r.Paths) {
			t.Fatalf("%+v came back as %+v, %v", r, back, err)
		}
	})
}

func TestDueIsAfterTheLastAndSoonAfterTheFirst(t *testing.T) {
	t.Parallel()
	t0 := time.UnixMilli(1_000_000)
	for _, tt := range []struct{ last, lag, notBefore, want time.Duration }{
		{0, 0, 0, Debounce},
		{time.Second, 0, 0, time.Second + Debounce},
		{1900 * time.Millisecond, 0, 0, MaxDelay},
		{time.Hour, 0, 0, MaxDelay},
		{0, 0, time.Minute, time.Minute},
		{time.Second, time.Second, 0, 2*time.Second + Debounce},
		{time.Hour, 3 * time.Second, 0, 3*time.Second + MaxDelay},
	} {
		if got := Due(t0, t0.Add(tt.last), tt.lag, t0.Add(tt.notBefore)).Sub(t0); got != tt.want {
			t.Errorf("last %v, lag %v, not before %v: due after %v, want %v", tt.last, tt.lag, tt.notBefore,
				got, tt.want)
		}
	}
}

func TestCoalesceKeepsTheNewestIDOfEachPath(t *testing.T) {
	t.Parallel()
	t0 := time.UnixMilli(1_000_000)
	msg := func(id, project, root string, paths ...string) Accepted {
		return Accepted{Request{ID: id, Project: project, Root: root, Paths: paths}, t0}
	}
	for _, tt := range []struct {
		in   []Accepted
		want string
	}{
		{nil, ""},
		{[]Accepted{msg("1", "p", "/r", "a", "b"), msg("2", "p", "/r", "a")}, "p /r [{a 2} {b 1}] 2;"},
		{[]Accepted{msg("1", "p", "/r", "a"), msg("2", "q", "/r"), msg("3", "p", "/r", "b")},
			"p /r [{a 1} {b 3}] 3;q /r [{* 2}] 2;"},
		{[]Accepted{msg("1", "p", "/r", "a"), msg("2", "p", "/r"), msg("3", "p", "/r", "b")}, "p /r [{* 3}] 3;"},
		{[]Accepted{msg("1", "p", "/r", "a"), msg("2", "p", "/s", "b")}, "p /r [{a 1}] 1;p /s [{b 2}] 2;"},
		{[]Accepted{msg("1", "p", "/r", "a"), msg("2", "p", "/s"), msg("3", "p", "/r", "b")},
			"p /r [{a 1} {b 3}] 3;p /s [{* 2}] 2;"},
	} {
		var got strings.Builder
		for _, m := range Coalesce(tt.in) {
			fmt.Fprintf(&got, "%s %s %v %s;", m.Project, m.Root, m.Items, m.LastID)
		}
		if got.String() != tt.want {
			t.Errorf("got %s\nwant %s", got.String(), tt.want)
		}
	}
}

func TestValidateMergesWhatMayBeRetriedLater(t *testing.T) {
	t.Parallel()
	ms := []Message{{ID: "1", Fields: map[string]string{}}}
	for _, p := range []string{"ok", "no", "later", "on"} {
		ms = append(ms, Message{ID: p, Fields: map[string]string{FieldProject: p, FieldRoot: "/srv"}})
	}
	good, on, dead := Validate(ms, func(r *Request) error {
		return map[string]error{"no": errors.New("no"), "later": fmt.Errorf("x: %w", ErrRetryLater), "on": ErrHandedOn}[r.Project]
	}, time.Now())
	if len(good) != 2 || good[0].Project != "ok" || good[1].Project != "later" || len(dead) != 2 || dead[0].ID != "1" ||
		dead[1].ID != "no" || len(on) != 1 || on[0] != "on" {
		t.Errorf("good %+v\nhanded on %q\ndead %+v", good, on, dead)
	}
}
