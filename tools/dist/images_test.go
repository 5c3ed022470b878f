package main

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	docker "github.com/google/go-containerregistry/pkg/v1/tarball"

	"github.com/contextd/contextd/tools/dist/stage"
)

// built is a folder with all that the build stage of the Dockerfile leaves behind, in small.
func built(t *testing.T) (local func(source string) string) {
	t.Helper()
	dir := t.TempDir()
	for source, text := range map[string]string{"out/indexer": "\x7fELF one", "out/retriever": "\x7fELF two", "out/NOTICE.md": "notice\n", "out/THIRD_PARTY_LICENSES.txt": "licences\n",
		"etc/ssl/certs/ca-certificates.crt": "authorities\n"} {
		path := filepath.Join(dir, filepath.FromSlash(source))
		mode := os.FileMode(0o600) // whatever the umask
		if strings.HasPrefix(text, "\x7fELF") {
			mode = 0o700
		}
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), mode)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "out", "state"), 0o755); err != nil {
		t.Fatal(err)
	}
	return func(source string) string { return filepath.Join(dir, filepath.FromSlash(source)) }
}

// ours are the stages of our Dockerfile.
func ours(t *testing.T) map[string]stage.Stage {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "Dockerfile"))
	if err != nil {
		t.Fatal(err)
	}
	stages, err := stage.Parse(string(text))
	if err != nil {
		t.Fatal(err)
	}
	return stages
}

// written makes the image of a stage and returns its file.
func written(t *testing.T, s stage.Stage, repository string) string {
	t.Helper()
	img, err := imageOf(s, "arm64", "v1.2.3", at, built(t))
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "image.tar")
	if err := saveImage(file, repository, img); err != nil {
		t.Fatal(err)
	}
	return file
}

// listing are the entries of all layers as "name mode uid:gid size time".
func listing(t *testing.T, img v1.Image) (list []string) {
	t.Helper()
	layers, err := img.Layers()
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range layers {
		r, err := l.Uncompressed()
		if err != nil {
			t.Fatal(err)
		}
		for in := tar.NewReader(r); ; {
			h, err := in.Next()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, fmt.Sprintf("%s %o %d:%d %d %d", h.Name, h.Mode, h.Uid, h.Gid, h.Size, h.ModTime.Unix()))
		}
		_ = r.Close()
	}
	return list
}

func TestImagesReadBackAreThoseOfTheDockerfile(t *testing.T) {
	t.Parallel()
	stages := ours(t)
	for _, b := range binaries {
		t.Run(b, func(t *testing.T) {
			t.Parallel()
			file := written(t, stages[b], "contextd-"+b)
			if again := written(t, stages[b], "contextd-"+b); !bytes.Equal(content(t, file), content(t, again)) {
				t.Error("the second image differs from the first")
			}
			ref, err := name.NewTag("contextd-" + b)
			if err != nil {
				t.Fatal(err)
			}
			img, err := docker.ImageFromPath(file, &ref)
			if err != nil {
				t.Fatal(err)
			}
			conf, err := img.ConfigFile()
			if err != nil {
				t.Fatal(err)
			}
			c := conf.Config
			if conf.OS != "linux" || conf.Architecture != "arm64" || !conf.Created.Equal(at) || c.User != "65532:65532" || !slices.Equal(c.Entrypoint, []string{"/usr/local/bin/" + b}) ||
				!slices.Equal(c.Cmd, stages[b].Cmd) || !slices.Contains(c.Env, "CONTEXTD_STATE_DIR=/var/lib/contextd") || len(c.Volumes) != 1 || len(c.ExposedPorts) != 1 || c.Labels[versionLabel] != "v1.2.3" {
				t.Errorf("%+v", conf)
			}
			if h := c.Healthcheck; b == "indexer" && (h == nil || !slices.Equal(h.Test, []string{"CMD", "/usr/local/bin/indexer", "status"}) || h.Interval != 30*time.Second) || b != "indexer" && h != nil {
				t.Errorf("health check %+v", h)
			}
			have := listing(t, img)
			for _, want := range []string{"usr/local/bin/" + b + " 755 0:0 8 1767323045", "usr/share/doc/contextd/NOTICE.md 644 0:0 7 1767323045",
				"var/lib/contextd/ 700 65532:65532 0 1767323045", "etc/ssl/certs/ca-certificates.crt 644 0:0 12 1767323045", "var/lib/ 755 0:0 0 1767323045"} {
				if !slices.Contains(have, want) {
					t.Errorf("no entry %q in %q", want, have)
				}
			}
			if len(have) != 17 {
				t.Errorf("%d entries: %q", len(have), have)
			}
		})
	}
}

func content(t *testing.T, file string) []byte {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestReleasesOfTwoFoldersAreTheSameBytes builds a small module of the same layout in two folders, with files of other
// times.
func TestReleasesOfTwoFoldersAreTheSameBytes(t *testing.T) {
	t.Setenv("SOURCE_DATE_EPOCH", "1767323045")
	program := "package main\n\nfunc main() { println(1) }\n"
	tree := map[string]string{"go.mod": "module " + pkg + "\n\ngo 1.26\n", "cmd/indexer/main.go": program, "cmd/retriever/main.go": program, "README.md": "read me\n",
		"LICENSE": "as you like\n", "docs/CONFIG.md": "settings\n", "deploy/alerts.yml": "groups: []\n", "internal/embed/static/NOTICE.md": "notice\n",
		"CHANGELOG.md": "changes\n", "CONTRIBUTING.md": "help\n", "SECURITY.md": "report\n", "clients/python/README.md": "client\n", "clients/python/contextd_client/a.py": "",
		"clients/python/contextd_client/py.typed": "", "clients/ts/a.js": "", "clients/ts/a.d.ts": "", "clients/ts/README.md": "client\n", "clients/ts/package.json": "{}\n",
		"web/vendor/README.md": "preact 11.2.0\n", "web/vendor/preact/LICENSE": "as you like\n"}
	release := func() map[string]string {
		dir, out := t.TempDir(), t.TempDir()
		for name, text := range tree {
			path := filepath.Join(dir, filepath.FromSlash(name))
			if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644), os.Chtimes(path, time.Now(), time.Now().Add(-time.Hour))); err != nil {
				t.Fatal(err)
			}
		}
		t.Chdir(dir)
		if err := run(options{out: out, version: "v1", revision: "abc", platforms: runtime.GOOS + "/" + runtime.GOARCH}); err != nil {
			t.Fatal(err)
		}
		files := map[string]string{}
		list, err := os.ReadDir(out)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range list {
			files[f.Name()] = string(content(t, filepath.Join(out, f.Name())))
		}
		return files
	}
	first, second := release(), release()
	if len(first) != 8 { // as TestTheSumsNameEverything has it
		t.Fatalf("%d files", len(first))
	}
	for name := range first {
		if first[name] != second[name] {
			t.Errorf("%s differs", name)
		}
	}
}
