//go:build unix

package e2e

import (
	"bytes"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/contextd/contextd/internal/e2e/e2etest"
)

// stored fails the test for each file of the store that holds one of texts, and reports whether one holds control.
func (b *bundle) stored(control string, texts ...string) (found bool) {
	b.Helper()
	dirs := []string{b.World.Dir}
	if b.redis != nil { // its append-only file has every command that ever wrote something
		conf, err := b.redis.Client(b).ConfigGet(b.Context(), "dir").Result()
		b.ok(err)
		dirs = append(dirs, conf["dir"])
	}
	for _, dir := range dirs {
		b.ok(filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			data, err := os.ReadFile(path)
			found = found || bytes.Contains(data, []byte(control))
			for _, text := range texts {
				if bytes.Contains(data, []byte(text)) {
					b.Errorf("%s holds %q", path, text)
				}
			}
			return err
		}))
	}
	return found
}

// TestRootSwappedBetweenRequestAndRunTellsNothingOfOutside: the root itself, or a folder in it, becomes a link to
// elsewhere after a refresh was asked for by a message or over HTTP, and before it runs.
func TestRootSwappedBetweenRequestAndRunTellsNothingOfOutside(t *testing.T) {
	both(t, func(b *bundle) {
		outside := filepath.Join(b.TempDir(), "elsewhere")
		b.ok(e2etest.Write(outside, "zanzibarmoor.go",
			"package lib\n\n// QuayOfZanzibar ties ships.\nfunc QuayOfZanzibar() {}\n"))
		swapped := map[string]string{} // root → what becomes a link
		for _, way := range []string{"message", "http"} {
			root := filepath.Join(b.root, "root-"+way)
			swapped[root] = root
			folder := filepath.Join(b.root, "folder-"+way)
			swapped[folder] = filepath.Join(folder, "lib")
		}
		server, err := b.World.Serve("--allow-root", b.root)
		b.ok(err)
		b.guard(server)
		b.ok(server.Ready(soon))
		for root := range swapped {
			b.ok(e2etest.Write(root, "harbourgate.go",
				"package a\n\n// OpenHarbour lets ships in.\nfunc OpenHarbour() {}\n"))
			b.ok(e2etest.Write(root, "lib/zanzibar.go", "package lib\n"))
			project := filepath.Base(root)
			switch {
			case strings.HasSuffix(root, "-http"):
				r, err := http.Post(server.URL+"/v1/projects/"+project+"/refresh", "application/json",
					strings.NewReader(fmt.Sprintf(`{"root":%q}`, root)))
				b.ok(err)
				_ = r.Body.Close()
				if r.StatusCode != http.StatusAccepted {
					b.Fatalf("refresh of %s: %s", root, r.Status)
				}
			case b.redis != nil:
				b.ok(b.redis.Client(b).XAdd(b.Context(), &redis.XAddArgs{Stream: b.Prefix + ":refresh",
					Values: []string{"project_id", project, "sandbox_root", root}}).Err())
			default:
				r, err := b.Exec("indexer", "enqueue", root, "--project", project)
				b.ok(err)
				if r.Code != 0 {
					b.Fatal(r)
				}
			}
		}
		http.DefaultClient.CloseIdleConnections()
		for _, path := range swapped {
			b.ok(os.Rename(path, path+".before"))
			b.ok(os.Symlink(outside, path))
		}
		d := b.daemon("--allow-root", b.root)
		b.ok(e2etest.Eventually(soon, func() error {
			if s, err := b.Status(); err != nil || s.Queue.Depth+s.Queue.Inflight+s.Queue.Delayed > 0 {
				return fmt.Errorf("%+v, %w", s.Queue, err)
			}
			return nil
		}))
		for root, path := range swapped {
			for _, args := range [][]string{{"query", "where are ships tied", "--root", root, "--json"},
				{"query", "where are ships tied", "--project", filepath.Base(root), "--json"},
				{"why", filepath.Join(path, "zanzibarmoor.go")}} {
				r, err := b.Exec("retriever", append(args, "--allow-root", b.root)...)
				b.ok(err)
				if args[0] == "query" && strings.Contains(r.Out+r.Err, "anzibarmoor") ||
					strings.Contains(r.Out+r.Err, "QuayOf") {
					b.Errorf("told: %v", r)
				}
			}
			if path != root { // what still lies in the root is served
				b.ok(b.Finds(soon, root, "OpenHarbour", "harbourgate.go"))
			}
		}
		b.ok(server.Stop(soon))
		b.ok(d.Stop(soon))
		if !b.stored("harbourgate", "zanzibarmoor", "QuayOf", "quayof") {
			b.Error("not even what lies in the roots is found in the store: the search of it is broken")
		}
	})
}
