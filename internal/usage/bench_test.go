package usage

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func full(b *testing.B) *Tracker {
	b.Helper()
	tr := New(embedded(b), time.Now)
	for i := range 10 {
		var items []Shown
		for k := range MaxItems {
			items = append(items, Shown{ID: fmt.Sprintf("item-%d-%d", i, k), Kind: "code"})
		}
		if err := tr.Record(b.Context(), "web", items, nil); err != nil {
			b.Fatal(err)
		}
	}
	return tr
}

func big(id string) Turn {
	t := Turn{ID: id, AgentKind: "knight", Profile: "knight"}
	for k := range 20 {
		t.Items = append(t.Items, Shown{ID: fmt.Sprintf("item-%d-%d", k%10, k), Kind: "code",
			Path: fmt.Sprintf("src/f%d.go", k),
			Text: strings.Repeat("some words of the item that say what it does ", 20)})
	}
	return t
}

// What a prompt waits for.
func BenchmarkBoostsUnchanged(b *testing.B) {
	tr := full(b)
	for b.Loop() {
		if boosts(b, tr).Of("item-1-1") == 0 {
			b.Fatal()
		}
	}
}

func BenchmarkBoostsAfterAChange(b *testing.B) {
	tr := full(b)
	for b.Loop() {
		boosts(b, New(tr.store, time.Now))
	}
}

func BenchmarkBegin(b *testing.B) {
	tr, i := full(b), 0
	for b.Loop() {
		begin(b, tr, big(fmt.Sprint(i)))
		i++
	}
}

func BenchmarkBeginAndFinish(b *testing.B) {
	tr, i := full(b), 0
	response := strings.Repeat("a reply with several words that says what the agent has done ", 50)
	for b.Loop() {
		begin(b, tr, big(fmt.Sprint(i)))
		finish(b, tr, fmt.Sprint(i), Feedback{Response: response, Opened: []string{"src/f3.go"}})
		i++
	}
}
