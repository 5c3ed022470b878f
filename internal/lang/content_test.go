package lang

import (
	"slices"
	"testing"
)

func TestEachLanguageIsOfOneKindOfContent(t *testing.T) {
	t.Parallel()
	var all []string
	for _, c := range Contents[:3] {
		all = append(all, WithContent(c)...)
	}
	if slices.Sort(all); !slices.Equal(all, All()) {
		t.Errorf("got %v, want %v", all, All())
	}
	for l := range contentOf {
		if !slices.Contains(All(), l) {
			t.Errorf("%q is no language", l)
		}
	}
	if WithContent(AllContent) != nil || ContentOf("go") != SourceContent || ContentOf("markdown") != DocsContent ||
		ContentOf("yaml") != ConfigContent {
		t.Error("a kind is another than it was")
	}
}
