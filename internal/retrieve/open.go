package retrieve

import (
	"context"
	"errors"
	"strings"

	"github.com/contextd/contextd/internal/analyze"
	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/embed"
	"github.com/contextd/contextd/internal/rank"
	"github.com/contextd/contextd/internal/sandbox"
	"github.com/contextd/contextd/internal/search"
	"github.com/contextd/contextd/internal/search/blob"
)

// open reads a candidate's file and gathers the facts about it. It returns true if the file has changed and its
// features are new.
func (s *serving) open(ctx context.Context, file int) (changed bool) {
	c := &s.cands[file]
	c.opened = true
	data, _, err := s.root.Read(c.entry.Path)
	if err != nil {
		var re *sandbox.ReadError
		c.facts.Inside = !errors.As(err, &re) || re.Reason != code.OutsideRoot
		s.changed = append(s.changed, c.entry.Path)
		return false
	}
	c.facts.Inside, c.facts.Regular = true, true
	text, skip, err := sandbox.File{Path: c.entry.Path}.ContentWithin(ctx, data)
	if err != nil { // nothing of it is shown
		c.late = true
		return false
	}
	c.facts.Binary, c.facts.Secret = skip.Reason == code.Binary, skip.Reason == code.SecretContent
	if code.HashOf(data) == c.entry.Hash {
		c.facts.Fresh = true
		c.lines = strings.Split(text, "\n")
		return false
	}
	s.changed = append(s.changed, c.entry.Path)
	c.facts.Overlay = true
	if c.facts.Binary || c.facts.Secret {
		return false
	}
	c.lines = strings.Split(text, "\n")
	history := s.files[file].History
	s.files[file] = s.overlay(ctx, c.entry.Path, text)
	s.files[file].History = history
	return true
}

// overlay analyzes a changed file. Its vectors are made here only where that takes no other machine. A file that cannot
// be analyzed has no features: nothing of it is shown, and all others are.
func (s *serving) overlay(ctx context.Context, path code.Path, text string) (out rank.File) {
	defer func() {
		if p := recover(); p != nil {
			s.rt.opts.Log.Error("file not analyzed", "path", path, "panic", p)
			out = rank.File{Path: path, Features: &blob.Features{}}
		}
	}()
	out = rank.File{Path: path, Features: &blob.Features{}}
	f, err := analyze.FileWithin(ctx, path, text)
	if err != nil {
		return out
	}
	packed := string(blob.EncodeFeatures(f))
	if feats, err := blob.LookupFeatures(packed, s.ids); err == nil {
		out.Features, out.Blob = feats, packed
	}
	if len(s.vector) == 0 || !strings.HasPrefix(s.embedder.Name(), "static/") {
		return out
	}
	vectors, err := s.embedder.Documents(ctx, embed.TextsOf(f))
	if err != nil {
		return out
	}
	for _, v := range vectors {
		scale, q := search.Quantize(v)
		out.Cosines = append(out.Cosines, search.Cosine(q, scale, s.vector))
	}
	return out
}

// askRules completes the facts about a candidate that is about to be shown by what the rules of the root say of it now.
// The index alone is not trusted with that: who writes to it could name any file of the root.
func (s *serving) askRules(c *candidate) {
	if c.ruled || !c.facts.Regular || c.facts.Binary || c.facts.Secret {
		return
	}
	c.ruled = true
	switch _, skip := s.rules.Check(c.entry.Path); skip.Reason {
	case "":
		return
	case code.SecretName:
		c.facts.Secret = true
	default:
		c.facts.Excluded = true
	}
	s.changed = append(s.changed, c.entry.Path)
}
