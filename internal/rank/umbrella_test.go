package rank

import (
	"testing"

	"github.com/contextd/contextd/internal/code"
)

func TestAFileThatOnlyPassesOthersOnIsNoSureAnswer(t *testing.T) {
	t.Parallel()
	relevance := func(umbrella bool) float64 {
		all := define(file("harbour/log/tide.h", []string{"harbour", "log", "tide"},
			[]string{"harbour", "log", "tide"}), 0, "harbourLogTide", code.KindFunc)
		all.Umbrella = umbrella
		files := []*code.File{all}
		for _, p := range []string{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k"} {
			files = append(files, file("other/"+p+".h", []string{"fish", "rope", p}))
		}
		return score(t, "harbour log tide", files...)[0].Relevance
	}
	if r := relevance(false); r <= umbrellaRelevance {
		t.Fatalf("a file that answers has relevance %v", r)
	}
	if r := relevance(true); r != umbrellaRelevance {
		t.Errorf("a header that includes others has relevance %v, want %v", r, umbrellaRelevance)
	}
}
