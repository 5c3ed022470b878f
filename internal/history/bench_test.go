package history

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/contextd/contextd/internal/store"
)

// The target is 5 ms for each of these, with a full history.

func full(b *testing.B) *History {
	b.Helper()
	h, _ := fullOn(b)
	return h
}

// fullOn is full with the store that it is over.
func fullOn(b *testing.B) (*History, store.Store) {
	b.Helper()
	s, dir := files(b)
	h := New(s, dir, time.Now)
	for i := range MaxTasks {
		complete(b, h, Task{ID: fmt.Sprintf("old-%d", i), Intent: "Add the login page", Success: new(true),
			ChangedFiles:     []string{"web/a.ts", "web/b.ts"},
			ValidationReport: json.RawMessage(`{"tests":12,"errors":0}`), RequiresContext: true})
	}
	return h, s
}

func BenchmarkComplete(b *testing.B) {
	h, i := full(b), 0
	for b.Loop() {
		complete(b, h, Task{ID: fmt.Sprintf("new-%d", i), Intent: "Add the login page", Success: new(true),
			ChangedFiles: []string{"web/a.ts"}})
		i++
	}
}

func BenchmarkToggle(b *testing.B) {
	h, i := full(b), 0
	for b.Loop() {
		if _, err := h.SetRequiresContext(b.Context(), "web", "old-50", i%2 == 1); err != nil {
			b.Fatal(err)
		}
		i++
	}
}

func BenchmarkWindow(b *testing.B) {
	h := full(b)
	for b.Loop() {
		if load(b, h).Window(0).Render() == "" {
			b.Fatal("nothing")
		}
	}
}

func BenchmarkWindowAfterAChange(b *testing.B) {
	h, s := fullOn(b)
	for b.Loop() {
		if load(b, New(s, h.dir, time.Now)).Window(0).Render() == "" {
			b.Fatal("nothing")
		}
	}
}
