package hook

import (
	"hash/fnv"
	"strings"
	"unicode"

	"github.com/contextd/contextd/internal/prompt"
)

// record is one line of a session's journal. Its kind says which of the other fields are set.
type record struct {
	Kind string `json:"k"` // given, compacted, sent, or the kind of an [Act]

	// given: a context for a prompt, with or without pieces.
	ID     string   `json:"id,omitempty"`    // of its receipt; of sent, too; "" where none was stored
	Roots  []string `json:"roots,omitempty"` // names of the root that the pieces' paths lie below
	Pieces []piece  `json:"p,omitempty"`

	// acts
	File  string   `json:"f,omitempty"`
	Part  bool     `json:"part,omitempty"`
	First int      `json:"a,omitempty"`
	Last  int      `json:"z,omitempty"`
	Query string   `json:"q,omitempty"`
	Cites []string `json:"c,omitempty"` // ids of pieces whose lines an edit repeats
	Sub   bool     `json:"s,omitempty"` // a sub-agent did it: the session's window does not hold what it read
}

// The kinds of records that are no acts.
const (
	givenPieces  = "given"
	wasCompacted = "compacted"
	wasSent      = "sent"
)

// piece is a piece of code that was given.
type piece struct {
	ID      string   `json:"i"`
	Path    string   `json:"f"`
	First   int      `json:"a"`
	Last    int      `json:"z"`
	Hash    string   `json:"h"`
	Pointer bool     `json:"o,omitempty"`
	Lines   []uint32 `json:"l,omitempty"` // hashes of its telling lines
}

// Limits of the hashes of lines that are kept of a piece, and of the lines of an edit that are looked at.
const (
	maxPieceLines = 60
	maxEditLines  = 20_000
	minLineBytes  = 24 // bytes without space: what is shorter stands in many files
)

// newPiece is what is kept of a piece.
func newPiece(p prompt.Piece) piece {
	k := piece{ID: p.ID, Path: p.Path, First: p.StartLine, Last: p.EndLine, Hash: p.Hash, Pointer: p.Pointer}
	if !p.Pointer {
		k.Lines = lineHashes(p.Text, maxPieceLines)
	}
	return k
}

// lineHashes are hashes of the telling lines of a text, without their spaces.
func lineHashes(text string, most int) (out []uint32) {
	for line := range strings.Lines(text) {
		if most--; most < 0 {
			return out
		}
		line = strings.Join(strings.Fields(line), "")
		if len(line) < minLineBytes || !strings.ContainsFunc(line, unicode.IsLetter) {
			continue
		}
		h := fnv.New32a()
		_, _ = h.Write([]byte(line))
		out = append(out, h.Sum32())
	}
	return out
}

// citedPieces are the ids of the pieces of which a text repeats a telling line.
func citedPieces(pieces []piece, text string) (ids []string) {
	if text == "" {
		return nil
	}
	said := map[uint32]bool{}
	for _, h := range lineHashes(text, maxEditLines) {
		said[h] = true
	}
	for _, p := range pieces {
		for _, h := range p.Lines {
			if said[h] {
				ids = append(ids, p.ID)
				break
			}
		}
	}
	return ids
}

// newRecord is an act as it is kept, with the pieces that it cites.
func newRecord(a Act, pieces []piece, sub bool) record {
	return record{Kind: a.Kind, File: a.File, Part: a.Part, First: a.First, Last: a.Last, Query: a.Query,
		Cites: citedPieces(pieces, a.Text), Sub: sub}
}
