package linefile

import (
	"context"
	"os"
	"path/filepath"
	"testing"
)

func TestAppendEndsATornLineFirst(t *testing.T) {
	t.Parallel()
	for before, want := range map[string]string{"": "b\nc\n", "a\n": "a\nb\nc\n", "a\nto": "a\nto\nb\nc\n"} {
		path := filepath.Join(t.TempDir(), "f")
		if err := os.WriteFile(path, []byte(before), 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		size, err := Append(f, []byte("b\nc\n"))
		_ = f.Close()
		if got, _ := os.ReadFile(path); err != nil || string(got) != want || size != int64(len(before)) {
			t.Errorf("after %q: %q, size before %d, %v; want %q", before, got, size, err, want)
		}
	}
}

func TestALockIsHeldByOneAndGivenUpWithItsContext(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "f.lock")
	unlock, err := Lock(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Lock(ended, path); err == nil {
		t.Error("two hold the lock")
	}
	unlock()
	again, err := Lock(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	again()
}
