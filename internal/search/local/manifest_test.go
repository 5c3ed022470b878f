package local

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/contextd/contextd/internal/search"
	"github.com/contextd/contextd/internal/search/searchtest"
)

// many are n small documents.
func many(n int) []search.Document {
	docs := make([]search.Document, n)
	for i := range docs {
		docs[i] = searchtest.Doc(fmt.Sprintf("dir%d/f%04d.go", i%7, i), "go", fmt.Sprintf("@many%d common", i))
	}
	return docs
}

func TestACommitOfOneFileWritesItsRowAndNotTheManifest(t *testing.T) {
	t.Parallel()
	ix := open(t, t.TempDir())
	defer ix.Close()
	docs := many(1000)
	advance(t, ix, docs)
	dir := ix.folder("p")
	h, err := readHead(dir)
	if err != nil {
		t.Fatal(err)
	}
	whole := h.base.size
	if whole < 1000*int64(rowSize) {
		t.Fatalf("a manifest of 1,000 files has %d bytes in %q", whole, h.base.name)
	}
	for i := range 20 {
		docs[i*31] = searchtest.Doc(docs[i*31].Entry.Path, "go", fmt.Sprintf("@again%d common", i))
		advance(t, ix, docs)
		now, err := readHead(dir)
		if err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(filepath.Join(dir, currentName))
		if err != nil {
			t.Fatal(err)
		}
		// Each commit before may have moved the files of 8 segments of one file into one.
		if limit := int64((i+1)*(rowSize+32) + 4096); now.base != h.base || info.Size() > limit {
			t.Fatalf("commit %d of one file: CURRENT has %d bytes (at most %d), its manifest is %q (was %q)", i, info.Size(), limit, now.base.name, h.base.name)
		}
	}
}

func TestManyChangesAreFoldedIntoAManifestAndTheOldOneGoes(t *testing.T) {
	t.Parallel()
	ix := open(t, t.TempDir())
	defer ix.Close()
	ix.foldFrom = 40
	docs := many(400)
	advance(t, ix, docs)
	dir, folded := ix.folder("p"), 0
	was, err := readHead(dir)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 100 {
		switch i % 3 {
		case 0:
			docs[i] = searchtest.Doc(docs[i].Entry.Path, "go", fmt.Sprintf("@again%d common", i))
		case 1:
			docs = append(docs[:i], docs[i+1:]...)
		default:
			docs = append(docs, searchtest.Doc(fmt.Sprintf("new/f%d.go", i), "go", fmt.Sprintf("@new%d common", i)))
		}
		advance(t, ix, docs)
		h, err := readHead(dir)
		if err != nil {
			t.Fatal(err)
		}
		if h.base != was.base {
			was = h
			folded++
		}
		if h.rows > ix.foldFrom {
			t.Fatalf("%d changed rows stand in CURRENT", h.rows)
		}
	}
	if folded < 2 || folded > 20 {
		t.Errorf("100 changes were folded %d times", folded)
	}
	tidy(t, ix, "folded")
	other := open(t, ix.dir)
	defer other.Close()
	if err := holds(t, other, docs); err != nil {
		t.Errorf("another process finds %v", err)
	}
}
