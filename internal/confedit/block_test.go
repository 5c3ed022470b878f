package confedit

import (
	"strings"
	"testing"
)

func TestBlockIsAddedReplacedAndRemoved(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"":                Begin + "\nSearch first.\n" + End + "\n",
		"# Mine\n":        "# Mine\n\n" + Begin + "\nSearch first.\n" + End + "\n",
		"# Mine":          "# Mine\n\n" + Begin + "\nSearch first.\n" + End + "\n",
		"# Mine\r\nx\r\n": "# Mine\r\nx\r\n\r\n" + Begin + "\r\nSearch first.\r\n" + End + "\r\n",
		"a\n\n" + Begin + "\nold\n" + End + "\n\nb\n": "a\n\n" + Begin + "\nSearch first.\n" + End + "\n\nb\n",
	} {
		e, err := SetBlock([]byte(in), "Search first.\n")
		if err != nil {
			t.Errorf("%q: %v", in, err)
			continue
		}
		out, err := e.Apply([]byte(in))
		if err != nil || string(out) != want {
			t.Errorf("%q: got %q, want %q (%v)", in, out, want, err)
		}
		if back, err := e.Invert().Apply(out); err != nil || string(back) != in {
			t.Errorf("taken back: %q, want %q (%v)", back, in, err)
		}
		if again, err := SetBlock(out, "Search first."); again != nil || err != nil {
			t.Errorf("a second time: %v, %v", again, err)
		}
		if e, err = RemoveBlock(out); err != nil {
			t.Error(err)
		} else if out, err = e.Apply(out); err != nil || strings.Contains(string(out), "contextd") {
			t.Errorf("removed from %q: %q (%v)", in, out, err)
		}
	}
	for _, in := range []string{Begin + "\nx\n", "x\n" + End + "\n", "\xff"} {
		if e, err := SetBlock([]byte(in), "x"); err == nil || e != nil {
			t.Errorf("%q: %v, want an error", in, e)
		}
	}
}

func FuzzBlockIsAddedAndGivenBack(f *testing.F) {
	f.Add([]byte("# Mine\n"), "Search first.")
	f.Add([]byte(Begin+"\n"+End), "")
	f.Fuzz(func(t *testing.T, in []byte, content string) {
		e, err := SetBlock(in, content)
		if err != nil {
			return
		}
		out, err := e.Apply(in)
		if err != nil {
			t.Fatal(err)
		}
		if back, err := e.Invert().Apply(out); err != nil || string(back) != string(in) {
			t.Fatalf("%q was given back as %q (%v)", in, back, err)
		}
	})
}
