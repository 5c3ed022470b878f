package code

import (
	"slices"
	"testing"
)

func TestEachLanguageIsOfOneKindOfContent(t *testing.T) {
	t.Parallel()
	var all []string
	for _, c := range Contents[:3] {
		all = append(all, LanguagesOf(c)...)
	}
	if slices.Sort(all); !slices.Equal(all, Languages()) {
		t.Errorf("got %v, want %v", all, Languages())
	}
	for l := range contentOf {
		if !slices.Contains(Languages(), l) {
			t.Errorf("%q is no language", l)
		}
	}
	if LanguagesOf(AllContent) != nil || ContentOf("go") != SourceContent || ContentOf("markdown") != DocsContent || ContentOf("yaml") != ConfigContent {
		t.Error("a kind is another than it was")
	}
}
