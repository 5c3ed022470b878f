package secret

import (
	"cmp"
	"context"
	"slices"
	"strings"
)

// Redact puts "[redacted: AWS access key]" in the place of each secret that [Find] knows and names their rules, each
// once, in the order met. Of a private key all lines go. A text without secrets comes back as it is, with no rules.
func Redact(text string) (clean string, rules []string) {
	clean, rules, _ = RedactWithin(context.Background(), text)
	return clean, rules
}

// maxPasses is how often a text is searched again for what the secrets of before had hidden. What still holds one then
// was made to hold one: nothing of it is shown.
const maxPasses = 4

// RedactWithin is Redact until its context is over: then the text is empty and the error says so.
func RedactWithin(ctx context.Context, text string) (clean string, rules []string, err error) {
	for range maxPasses {
		found, err := places(ctx, text)
		if err != nil {
			return "", nil, err
		}
		if len(found) == 0 {
			return text, rules, nil
		}
		var b strings.Builder
		from := 0
		for _, f := range found {
			if !slices.Contains(rules, f.rule.name) {
				rules = append(rules, f.rule.name)
			}
			if f.end <= from { // within the last one
				continue
			}
			if f.start >= from {
				b.WriteString(text[from:f.start] + mark(f.rule.name))
			}
			from = f.end
		}
		text = b.String() + text[from:] // once more: what stood glued to a secret may be one of its own now
	}
	if _, found, err := FindWithin(ctx, text); err != nil {
		return "", nil, err
	} else if found {
		text = mark("text full of secrets")
	}
	return text, rules, nil
}

func mark(rule string) string { return "[redacted: " + rule + "]" }

// place is a secret and where it stands.
type place struct {
	rule       *form
	start, end int
}

// findSecrets finds the secrets of a text as it stands and with its escapes read, by where they begin, the longer
// first.
func places(ctx context.Context, text string) (all []place, err error) {
	for _, v := range []*decoded{{text: text}, unescape(text)} {
		if v == nil {
			continue
		}
		s := v.scan(ctx)
		for from := 0; ; {
			r, start, end := s.next(from)
			if s.err != nil {
				return nil, s.err
			}
			if r == nil {
				break
			}
			from = end
			at, to := v.source(start, end)
			all = append(all, place{r, at, to})
		}
	}
	slices.SortStableFunc(all, func(a, b place) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end))
	})
	return all, nil
}
