package hook

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

func open(t testing.TB) *Journal {
	t.Helper()
	return OpenJournal(filepath.Join(t.TempDir(), "hook"), ClaudeCode, "b3", "")
}

func add(t testing.TB, j *Journal, records ...record) {
	t.Helper()
	if err := j.Append(t.Context(), records...); err != nil {
		t.Fatal(err)
	}
}

func all(t testing.TB, j *Journal) []record {
	t.Helper()
	records, err := j.Read()
	if err != nil {
		t.Fatal(err)
	}
	return records
}

func TestALineThatAKilledHookToreLosesThatEventOnly(t *testing.T) {
	t.Parallel()
	j := open(t)
	add(t, j, act(readFile, "/w/a.go"), act(readFile, "/w/b.go"))
	data, err := os.ReadFile(j.path())
	if err != nil {
		t.Fatal(err)
	}
	first := strings.IndexByte(string(data), '\n') + 1
	for cut := first; cut <= len(data); cut++ {
		if err := os.WriteFile(j.path(), data[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		add(t, j, act(editFile, "/w/c.go"))
		got := all(t, j)
		want := 2
		if cut >= len(data)-1 { // the whole line, with its end or without
			want = 3
		}
		if len(got) != want || got[0].File != "/w/a.go" || got[len(got)-1].File != "/w/c.go" {
			t.Fatalf("cut at %d of %d: %+v", cut, len(data), got)
		}
	}
}

func TestHooksAtOnceLoseNothing(t *testing.T) {
	t.Parallel()
	j := open(t)
	const hooks, each = 8, 20
	var wg sync.WaitGroup
	for h := range hooks {
		wg.Go(func() {
			own := &Journal{j.dir, j.name}
			for i := range each {
				if err := own.Append(context.Background(), act(readFile, fmt.Sprintf("/w/%d/%d", h, i))); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	seen := map[string]bool{}
	for _, r := range all(t, j) {
		seen[r.File] = true
	}
	if len(seen) != hooks*each {
		t.Errorf("%d of %d are kept", len(seen), hooks*each)
	}
}

func TestAHookThatHoldsTheLockKeepsAnotherOnlyUntilItsDeadline(t *testing.T) {
	t.Parallel()
	j := open(t)
	unlock, err := j.lock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if err := (&Journal{j.dir, j.name}).Append(ctx, act(readFile, "/w/a.go")); err == nil {
		t.Error("written without the lock")
	}
}

func TestAJournalKeepsTheYoungerHalfOfWhatIsTooMuch(t *testing.T) {
	t.Parallel()
	j := open(t)
	long := strings.Repeat("x", 1000)
	for i := range 3 * maxJournal / len(long) {
		add(t, j, act(readFile, fmt.Sprintf("/w/%s/%d", long, i)))
		if info, err := os.Stat(j.path()); err != nil || info.Size() > maxJournal+2*int64(len(long)) {
			t.Fatalf("%v, %v", info.Size(), err)
		}
	}
	got := all(t, j)
	if last := got[len(got)-1].File; !strings.HasSuffix(last, fmt.Sprintf("/%d", 3*maxJournal/len(long)-1)) ||
		len(got) < maxJournal/2/(2*len(long)) {
		t.Errorf("%d records, the last %.20s…", len(got), last)
	}
}

func TestFilesOfASessionAreTheUsersAlone(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("no modes")
	}
	j := open(t)
	add(t, j, act(readFile, "/w/a.go"))
	_, _ = LogFile{j.dir}.Write([]byte("a line\n"))
	entries, err := os.ReadDir(j.dir)
	if err != nil || len(entries) != 3 {
		t.Fatal(entries, err)
	}
	for _, e := range entries {
		if info, err := e.Info(); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", e.Name(), info.Mode(), err)
		}
	}
	if info, err := os.Stat(j.dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

func TestSessionsHaveFilesOfTheirOwnWhateverTheyAreCalled(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	names := map[string]bool{}
	for _, x := range [][3]string{
		{"claude-code", "b3", ""},
		{"codex", "b3", ""},
		{"codex", "b3", "a1"},
		{"codex", "../../etc/passwd", ""},
		{"codex", strings.Repeat("x", 9000), ""},
		{"codex", "a\x00b", ""},
	} {
		j := OpenJournal(dir, Agent(x[0]), x[1], x[2])
		if filepath.Dir(j.path()) != dir || names[j.path()] {
			t.Errorf("%.40q: %s", x, j.path())
		}
		names[j.path()] = true
	}
}

func TestWithoutASessionNothingIsKept(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "hook")
	j := OpenJournal(dir, Codex, "", "")
	add(t, j, act(readFile, "/w/a.go"))
	if _, err := os.Stat(dir); err == nil || j.Exists() {
		t.Error("something is kept")
	}
}

func TestSessionsThatNothingIsHeardOfAreForgotten(t *testing.T) {
	t.Parallel()
	j := open(t)
	add(t, j, act(readFile, "/w/a.go"))
	other := filepath.Join(j.dir, "notes.txt")
	if err := os.WriteFile(other, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	if Sweep(j.dir, now.Add(journalMaxAge/2)); !j.Exists() {
		t.Error("forgotten too early")
	}
	if Sweep(j.dir, now.Add(2*journalMaxAge)); j.Exists() {
		t.Error("still there")
	}
	if _, err := os.Stat(other); err != nil {
		t.Error(err)
	}
}

func TestTheLogIsBounded(t *testing.T) {
	t.Parallel()
	l := LogFile{t.TempDir()}
	line := []byte(strings.Repeat("x", 4000) + "\n")
	for range 3 * maxLog / len(line) {
		_, _ = l.Write(line)
	}
	total := int64(0)
	for _, name := range []string{logName, logName + ".1"} {
		info, err := os.Stat(filepath.Join(l.Dir, name))
		if err != nil {
			t.Fatal(err)
		}
		total += info.Size()
	}
	if total > 2*(maxLog+int64(len(line))) {
		t.Errorf("%d bytes", total)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("{\"k\":\"given\",\"p\":[{\"i\":\"x\"}]}\n{\"k\":\"read\",\"f\":\"/w/a.go\"}\n{\"k\":\"se"))
	f.Fuzz(func(t *testing.T, data []byte) {
		s := stateOf(parse(data))
		for _, p := range s.pending() {
			p.feedback()
		}
	})
}
