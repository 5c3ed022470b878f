package redisearch

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/search"
)

// recordFormat is the version of all that is stored. Another one is as good as no project: it is rebuilt. Format 3 has
// short forms of words, and fields that weigh them.
const recordFormat = "3"

// record is a project's record with what only this package uses of it.
type record struct {
	search.Project
	ver  string // the build that serves
	idx  string // its FT index; "" in mode Names
	mode search.Mode
	seq  int64 // number of the last change to the build; a snapshot tells by it which files have changed since
	next nextBuild
	// dirty: a file changed since the last commit, so that the counts are those of before.
	dirty bool
	lens  [code.NumFields]int64
	rows  int // entries of the manifest; -1: not known
}

// parseRecord reads the record's hash. The error wraps search.ErrNoProject.
func parseRecord(pid string, f map[string]string) (record, error) {
	if f["gen"] == "" {
		return record{}, search.ErrNoProject
	}
	if f["fmt"] != recordFormat {
		return record{}, fmt.Errorf("%w: its record has format %q, want %q", search.ErrNoProject, f["fmt"], recordFormat)
	}
	r := record{ver: f["ver"], idx: f["idx"], mode: search.Mode(f["mode"])}
	bad := ""
	num := func(field string) int64 {
		n, err := strconv.ParseInt(f[field], 10, 64)
		if err != nil || n < 0 {
			bad = field
		}
		return n
	}
	r.ID, r.Root, r.Epoch, r.Failed = pid, f["root"], f["epoch"], f["failed"]
	r.Generation = num("gen")
	r.Model = search.Model{Embedder: f["embedder"], Dims: int(num("dims")), Analyzer: int(num("analyzer"))}
	r.Files, r.Chunks, r.Bytes = int(num("files")), int(num("chunks")), num("bytes")
	for i := range r.lens {
		r.lens[i] = num(lenField(i))
	}
	if f["seq"] != "" {
		r.seq = num("seq")
	}
	if r.rows = -1; f["rows"] != "" { // added later: records without it are of the same format
		r.rows = int(num("rows"))
	}
	if f["at"] != "" {
		r.IndexedAt = time.Unix(0, num("at")).UTC()
	}
	if bad == "" && !goodVersion(r.ver) {
		bad = "ver"
	}
	if bad != "" {
		return record{}, fmt.Errorf("%w: its record is damaged: %s is %q", search.ErrNoProject, bad, f[bad])
	}
	r.dirty = f["dirty"] != ""
	r.next, r.Next = parseNext(f)
	return r, nil
}

func lenField(i int) string { return "len" + strconv.Itoa(i) }

func goodVersion(ver string) bool {
	return ver != "" && len(ver) <= 40 && strings.Trim(ver, "0123456789abcdefghijklmnopqrstuvwxyz") == ""
}

// fields are the pairs that a commit writes.
func (r *record) fields() []any {
	f := []any{"fmt", recordFormat, "root", r.Root, "embedder", r.Model.Embedder, "dims", r.Model.Dims, "analyzer", r.Model.Analyzer,
		"ver", r.ver, "idx", r.idx, "mode", string(r.mode), "files", r.Files, "chunks", r.Chunks, "bytes", r.Bytes, "rows", r.rows}
	for i, n := range r.lens {
		f = append(f, lenField(i), n)
	}
	return f
}

// add counts a file in (sign 1) or out (sign -1).
func (r *record) add(e *search.Entry, sign int) {
	if e.Skip != "" {
		return
	}
	r.Files += sign
	r.Chunks += sign * e.Chunks
	r.Bytes += int64(sign) * e.Size
	for i, n := range e.Lens {
		r.lens[i] += int64(sign * n)
	}
}

func sortProjects(ps []search.Project) {
	slices.SortFunc(ps, func(a, b search.Project) int { return strings.Compare(a.ID, b.ID) })
}
