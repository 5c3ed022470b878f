package receipt

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"github.com/contextd/contextd/internal/profile"
)

// Complexity says how many files a task mentions.
type Complexity string

// The complexities.
const (
	Simple   Complexity = "simple"   // up to 2 files
	Moderate Complexity = "moderate" // 3 to 5
	Complex  Complexity = "complex"  // more
)

// ComplexityOf is the complexity of a task that mentions so many files.
func ComplexityOf(files int) Complexity {
	switch {
	case files <= 2:
		return Simple
	case files <= 5:
		return Moderate
	}
	return Complex
}

// Counts are numbers of items by scope.
type Counts struct {
	Task    int `json:"task"`
	Project int `json:"project"`
	Global  int `json:"global"`
}

// Fingerprint sums a context up: two contexts of the same shape have the same one.
type Fingerprint struct {
	ID         string     `json:"id"` // "fp_" and the first 16 hex digits of a hash of all other fields
	Mode       string     `json:"mode"`
	Complexity Complexity `json:"complexity"`
	FileCount  int        `json:"file_count"`
	FilesHash  string     `json:"files_hash"` // SHA-256 of the sorted mentioned files, each with a line end
	Profile    string     `json:"profile"`
	Tokens     int        `json:"tokens"`
	Kinds      []string   `json:"kinds"` // of the items kept, sorted
	// tokens kept of the items that were compressed; 1 if none was
	CompressionRatio float64  `json:"compression_ratio"`
	Items            Counts   `json:"items"`
	Tags             []string `json:"tags"` // of the task, sorted

	// The same once more under the names of the source design, and no part of the shape. They are set after the id is
	// made.

	TaskFingerprint string  `json:"fingerprint_id,omitempty"` // "fp-" and the task's id; "" without a task
	FileHash        string  `json:"file_hash,omitempty"`      // the first 8 digits of FilesHash
	TierCounts      *Counts `json:"tier_counts,omitempty"`    // Items
	Compression     float64 `json:"compression,omitempty"`    // CompressionRatio
}

// Facts are what a Fingerprint is made of.
type Facts struct {
	Mode    string
	Profile string
	TaskID  string   // "" if there is none
	Files   []string // mentioned by the task, in any order
	Tags    []string
	Tokens  int
	Lines   []Line // of the receipt; dropped ones do not count
	Before  int    // tokens of the texts that were compressed, before
	After   int    // and after
}

// NewFingerprint makes the fingerprint of a context.
func NewFingerprint(f Facts) *Fingerprint {
	files := sorted(f.Files)
	fp := &Fingerprint{Mode: f.Mode, Complexity: ComplexityOf(len(files)), FileCount: len(files), Profile: f.Profile,
		Tokens: f.Tokens, Kinds: []string{}, CompressionRatio: 1, Tags: sorted(f.Tags)}
	h := sha256.New()
	for _, file := range files {
		h.Write([]byte(file + "\n"))
	}
	fp.FilesHash = hex.EncodeToString(h.Sum(nil))
	if f.Before > 0 {
		fp.CompressionRatio = round(float64(f.After) / float64(f.Before))
	}
	for _, l := range f.Lines {
		if l.Decision == Dropped {
			continue
		}
		fp.Kinds = append(fp.Kinds, l.Kind)
		switch l.Scope {
		case profile.Task:
			fp.Items.Task++
		case profile.Project:
			fp.Items.Project++
		case profile.Global:
			fp.Items.Global++
		}
	}
	fp.Kinds = sorted(fp.Kinds)
	fp.ID = "fp_" + digest(fp)
	counts := fp.Items
	fp.FileHash, fp.TierCounts, fp.Compression = fp.FilesHash[:8], &counts, fp.CompressionRatio
	if f.TaskID != "" {
		fp.TaskFingerprint = "fp-" + f.TaskID
	}
	return fp
}

// sorted is a list in order, each once, never nil.
func sorted(list []string) []string {
	out := slices.Clone(list)
	slices.Sort(out)
	return append([]string{}, slices.Compact(out)...)
}
