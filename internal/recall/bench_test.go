package recall

import (
	"fmt"
	"testing"
	"time"
)

// many are n items of some 20 words, half of them turns of two people.
func many(n int) []Item {
	words := []string{"tide", "gate", "opens", "harbour", "crane", "weighs", "cargo", "captain", "signs", "papers",
		"fog", "delays", "ferry", "lamp", "blinks", "rope", "breaks", "pilot", "boards"}
	items := make([]Item, n)
	for i := range items {
		text := ""
		if i%2 == 0 {
			text = []string{"Ann", "Ben"}[i/2%2] + " (8 May 2024, 10:15): "
		}
		for k := range 20 {
			text += fmt.Sprintf("%s%d ", words[(i*7+k*k)%len(words)], (i+k)%50)
		}
		items[i] = Item{Text: Read(text), Agent: "scribe", Saved: time.Unix(int64(i*7919%n), 0),
			Cosine: float64(i%10) / 20}
	}
	return items
}

// The target: a few ms for 5,000 items.
func BenchmarkScore(b *testing.B) {
	items := many(5000)
	for b.Loop() {
		Score("when did Ann say that the fog delays the ferry of the captain who signs the papers?",
			time.Unix(1e9, 0), items)
	}
}

// What a process pays once for each item.
func BenchmarkRead(b *testing.B) {
	for b.Loop() {
		Read("Ann (8 May 2024, 10:15): the tide gate opens when the harbour crane has weighed the cargo and the captain signed the papers", "harbour", "docs/gate.md")
	}
}
