package queue

import (
	"encoding/json"
	"errors"
	"time"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/safetext"
)

const (
	maxBody        = 4096 // bytes of a message that its dead letter keeps
	maxLetterPaths = 50   // paths of a letter
	maxReason      = 1000 // bytes of a letter's reason
)

// DeadLetter is a Letter with the message that RetryDead sends again.
type DeadLetter struct {
	Letter
	Body map[string]string // fields of the message, at most about 4 KB
}

// LetterForMessage makes the dead letter of a message that Parse or accept refused.
func LetterForMessage(m Message, why error, now time.Time) DeadLetter {
	c := DeadLetter{Body: map[string]string{},
		Letter: Letter{ID: m.ID, Reason: truncateUTF8(why.Error(), maxReason), At: now,
			Project: truncateUTF8(m.Fields[FieldProject], 128), Root: truncateUTF8(m.Fields[FieldRoot], maxName)}}
	paths, err := parseFiles(m.Fields[FieldFiles])
	if err == nil {
		c.Paths = paths[:min(len(paths), maxLetterPaths)]
	}
	left := maxBody
	for _, k := range [...]string{FieldProject, FieldRoot, FieldRequested, FieldFiles} {
		v, ok := m.Fields[k]
		if !ok {
			continue
		}
		if len(v) > left {
			if k == FieldFiles && err == nil {
				continue // a rescan covers what does not fit
			}
			v = "…" + safetext.Cut(v, min(left, maxBody/4)) // in front, so that no cut value can be a good one
		}
		left = max(0, left-len(v))
		c.Body[k] = v
	}
	return c
}

// LetterForClaim makes the dead letter of a claim, under the newest id of its items. newer reports whether a is newer
// than b.
func LetterForClaim(c *Claim, reason string, now time.Time, newer func(a, b string) bool) DeadLetter {
	r := Request{Project: code.ProjectOf(c.Project), Root: c.Root}
	rescan := false
	for _, it := range c.Items {
		if r.ID == "" || newer(it.ID, r.ID) {
			r.ID = it.ID
		}
		rescan = rescan || it.Path == Rescan
		r.Paths = append(r.Paths, it.Path)
	}
	if rescan {
		r.Paths = nil
	}
	corpse := LetterForMessage(Message{ID: r.ID, Fields: Fields(r)}, errors.New(reason), now)
	corpse.Attempts = c.Attempts + 1
	return corpse
}

// EncodeBody encodes a Body as one string.
func EncodeBody(body map[string]string) string {
	b, _ := json.Marshal(body) // strings always encode
	return string(b)
}

// DecodeBody decodes what EncodeBody wrote. It returns nil if that fails.
func DecodeBody(s string) (body map[string]string) {
	if json.Unmarshal([]byte(s), &body) != nil {
		return nil
	}
	return body
}

// EncodePaths encodes the paths of a letter as one string.
func EncodePaths(paths []code.Path) string {
	b, _ := json.Marshal(paths[:min(len(paths), maxLetterPaths)])
	return string(b)
}

// DecodePaths decodes what EncodePaths wrote.
func DecodePaths(s string) (paths []code.Path) {
	_ = json.Unmarshal([]byte(s), &paths) // they are for show
	return paths
}

// truncateUTF8 returns at most n bytes of s, as valid UTF-8.
func truncateUTF8(s string, n int) string {
	if len(s) <= n {
		return safetext.Valid(s)
	}
	return safetext.Valid(safetext.Cut(s, n)) + "…"
}
