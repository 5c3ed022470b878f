package retrieve

import (
	"context"
	"maps"
	"slices"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/lexical"
	"github.com/contextd/contextd/internal/search"
	"github.com/contextd/contextd/internal/search/blob"
	"github.com/contextd/contextd/internal/spelling"
)

// maxOtherNames bounds the definitions that a name which stands nowhere is compared with.
const maxOtherNames = 20_000

// nearest are names that are defined and spelt nearly like one that stands nowhere: in other letters first, then by
// spelling.
func (f *finding) nearest(ctx context.Context, snap search.Snapshot) []string {
	joined := lexical.Join(f.name)
	dictionary, err := f.rt.opts.Index.Attached(ctx, snap.Project().ID, spelling.Kind)
	if err != nil {
		f.rt.opts.Log.Debug("no words of names", "error", err)
	}
	q := search.Query{Names: []code.Term{lexical.Name(joined)}}
	for _, w := range spelling.Nearest(spelling.Words(dictionary), joined, maxNearest) {
		q.Names = append(q.Names, lexical.Name(w))
	}
	lexical.Split(f.name, func(part string) {
		for _, w := range append(spelling.Nearest(spelling.Words(dictionary), part, maxMeant), part) {
			if t := lexical.Word(lexical.Stem(w)); len(q.Words) < search.MaxQueryWords && !slices.Contains(q.Words, t) {
				q.Words = append(q.Words, t)
			}
		}
	})
	found, err := snap.Nominate(ctx, q)
	if err != nil {
		f.rt.opts.Log.Debug("names not compared", "error", err)
		return nil
	}
	for i := range found.Files {
		if features, err := blob.LookupFeatures(found.Files[i].Features, nil); err == nil &&
			len(f.others) < maxOtherNames {
			for k := range features.Chunks {
				f.others = append(f.others, features.Chunks[k].Symbols...)
			}
		}
	}
	byJoined := map[string]string{}
	for _, s := range f.others {
		if j := lexical.Join(s.Name); s.Kind != code.KindSection && (byJoined[j] == "" || s.Name < byJoined[j]) {
			byJoined[j] = s.Name
		}
	}
	var out []string
	if same := byJoined[joined]; same != "" {
		out = append(out, same)
	}
	for _, j := range spelling.Nearest(slices.Values(slices.Sorted(maps.Keys(byJoined))), joined, maxNearest) {
		out = append(out, byJoined[j])
	}
	return out[:min(len(out), maxNearest)]
}
