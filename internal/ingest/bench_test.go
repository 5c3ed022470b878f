package ingest_test

import (
	"context"
	"io/fs"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/contextd/contextd/internal/embed/static"
	"github.com/contextd/contextd/internal/ingest"
	"github.com/contextd/contextd/internal/search/local"
)

// BenchmarkColdIndex indexes the sources of Go's own net packages from nothing with one core: reading to searchable.
func BenchmarkColdIndex(b *testing.B) {
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		b.Fatal(err)
	}
	root := filepath.Join(strings.TrimSpace(string(goroot)), "src", "net")
	var bytes int64
	err = filepath.WalkDir(root, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			info, err := d.Info()
			if err == nil {
				bytes += info.Size()
			}
		}
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	embedder, err := static.Default()
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(bytes)
	b.ReportAllocs()
	for b.Loop() {
		index, err := local.Open(local.Options{Dir: b.TempDir()})
		if err != nil {
			b.Fatal(err)
		}
		in := ingest.New(index, ingest.Options{Embedder: embedder, Cores: 1})
		if _, err := in.Refresh(context.Background(), ingest.Request{Project: "p", Root: root}); err != nil {
			b.Fatal(err)
		}
		index.Close()
	}
}
