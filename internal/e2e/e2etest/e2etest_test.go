//go:build unix

package e2etest

import (
	"bufio"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestAnAnswerIsProvedByWhatStoodWhileItWasMade(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	change := func(d *Disk, name, text string) {
		t.Helper()
		if err := d.Change(func() error { return Write(root, name, text) }); err != nil {
			t.Fatal(err)
		}
	}
	if err := Write(root, "a.py", "one\ntwo\nthree\n"); err != nil {
		t.Fatal(err)
	}
	d, err := NewDisk(root)
	if err != nil {
		t.Fatal(err)
	}
	before := time.Now()
	old := Served{Path: "a.py", Start: 1, End: 3, SnippetAt: 2, Snippet: "two\nthr…"}
	changed := Served{Path: "a.py", Start: 1, End: 2, SnippetAt: 1, Snippet: "four"}
	mustBe := func(what string, s Served, since time.Time, want string) {
		t.Helper()
		err := d.Prove(s, since)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", what, err, want)
		}
	}
	mustBe("what stands", old, before, "")
	mustBe("what never stood", changed, before, "did not stand there")
	mustBe("another line", Served{Path: "a.py", Start: 1, End: 3, SnippetAt: 1, Snippet: "two"}, before,
		"line 1 is not")
	mustBe("lines that are not there", Served{Path: "a.py", Start: 1, End: 9, SnippetAt: 1, Snippet: "one"}, before,
		"of 4 lines")
	mustBe("no such file", Served{Path: "b.py", Start: 1, End: 1, SnippetAt: 1, Snippet: "one"}, before,
		"does not exist")
	change(d, "a.py", "four\nfive\n")
	after := time.Now()
	mustBe("what stood when it was asked", old, before, "")
	mustBe("what stands by now", changed, before, "")
	mustBe("what stood before it was asked", old, after, "did not stand there")
	if err := d.Change(func() error { return os.Remove(filepath.Join(root, "a.py")) }); err != nil {
		t.Fatal(err)
	}
	mustBe("a file that went meanwhile", changed, after, "")
	mustBe("a file that was gone", changed, time.Now(), "does not exist")
	if files := d.Files(); len(files) != 0 {
		t.Errorf("files: %q", files)
	}
}

func TestCommandsAreReadWhole(t *testing.T) {
	t.Parallel()
	two := "*2\r\n$3\r\nGET\r\n$2\r\n\r\n\r\n"
	r := bufio.NewReader(strings.NewReader(two + "*1\r\n$4\r\nping\r\n"))
	if name, raw, err := readCommand(r); name != "GET" || string(raw) != two || err != nil {
		t.Errorf("%q %q %v", name, raw, err)
	}
	if name, _, err := readCommand(r); name != "PING" || err != nil {
		t.Errorf("%q %v", name, err)
	}
	if _, _, err := readCommand(r); err != io.EOF {
		t.Error(err)
	}
	for _, bad := range []string{"GET x\r\n", "*2\r\n$3\r\nGET\r\n", "*x\r\n", "*1\r\n:3\r\n"} {
		if _, _, err := readCommand(bufio.NewReader(strings.NewReader(bad))); err == nil {
			t.Errorf("%q is a command", bad)
		}
	}
}

func TestPicturesDifferInAnyLine(t *testing.T) {
	t.Parallel()
	p := Picture{"q": "a", "counts": "1"}
	if d := p.Differs(Picture{"q": "a", "counts": "1"}); d != "" {
		t.Error(d)
	}
	if p.Differs(Picture{"q": "b"}) == "" || p.Differs(Picture{"r": "a"}) == "" {
		t.Error("no difference")
	}
}
