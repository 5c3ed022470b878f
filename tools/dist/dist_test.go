package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

var at = time.Unix(1767323045, 0).UTC()

func sample() []file {
	return []file{{name: "retriever", data: []byte("\x7fELF two"), program: true}, {name: "README.md", data: []byte("read me\n")},
		{name: "docs/CONFIG.md", data: bytes.Repeat([]byte("settings\n"), 1000)}, {name: "indexer", data: []byte("\x7fELF one"), program: true}}
}

// entries lists an archive as "name mode size time".
func entries(t *testing.T, data []byte) (list []string) {
	t.Helper()
	add := func(name string, mode int64, size int, mod time.Time) {
		list = append(list, fmt.Sprintf("%s %o %d %d", name, mode, size, mod.Unix()))
	}
	if z, err := zip.NewReader(bytes.NewReader(data), int64(len(data))); err == nil {
		for _, f := range z.File {
			add(f.Name, int64(f.Mode().Perm()), int(f.UncompressedSize64), f.Modified)
		}
		return list
	}
	g, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if !g.ModTime.IsZero() || g.Name != "" {
		t.Errorf("the gzip header tells %v and %q", g.ModTime, g.Name)
	}
	for r := tar.NewReader(g); ; {
		h, err := r.Next()
		if err == io.EOF {
			return list
		}
		if err != nil {
			t.Fatal(err)
		}
		if h.Uid != 0 || h.Gid != 0 || h.Uname+h.Gname != "" {
			t.Errorf("%q has the owner %d:%d %q:%q", h.Name, h.Uid, h.Gid, h.Uname, h.Gname)
		}
		add(h.Name, h.Mode, int(h.Size), h.ModTime)
	}
}

func TestTheSameFilesGiveTheSameBytes(t *testing.T) {
	t.Parallel()
	for name, pack := range map[string]func(string, []file, time.Time) ([]byte, error){"tar.gz": tarball, "zip": zipped} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			first, err := pack("contextd_1", sample(), at)
			if err != nil {
				t.Fatal(err)
			}
			turned := sample()
			slices.Reverse(turned)
			second, err := pack("contextd_1", turned, at.In(time.FixedZone("elsewhere", 7*3600)))
			if err != nil || !bytes.Equal(first, second) {
				t.Errorf("the second archive differs from the first (%v)", err)
			}
			want := []string{"contextd_1/README.md 644 8 1767323045", "contextd_1/docs/CONFIG.md 644 9000 1767323045",
				"contextd_1/indexer 755 8 1767323045", "contextd_1/retriever 755 8 1767323045"}
			if got := entries(t, first); !slices.Equal(got, want) {
				t.Errorf("got %q, want %q", got, want)
			}
			if early, err := pack("x", sample(), time.Unix(0, 0)); err != nil || len(entries(t, early)) != 4 {
				t.Errorf("at the beginning of time: %v", err)
			}
		})
	}
}

func TestBadNamesAreRefused(t *testing.T) {
	t.Parallel()
	for _, files := range [][]file{{{name: "a"}, {name: "a"}}, {{name: "../a"}}, {{name: "/a"}}, {{name: ""}}, {{name: "a/"}}, {{name: "a//b"}}} {
		if _, err := tarball("top", files, at); err == nil {
			t.Errorf("%+v is packed", files)
		}
		if _, err := zipped("top", files, at); err == nil {
			t.Errorf("%+v is packed", files)
		}
	}
}

func TestTheTimeIsThatOfTheSource(t *testing.T) {
	t.Setenv("SOURCE_DATE_EPOCH", "1767323045")
	if got, err := epoch(); err != nil || !got.Equal(at) {
		t.Errorf("%v, %v", got, err)
	}
	for _, bad := range []string{"yesterday", "-1"} {
		t.Setenv("SOURCE_DATE_EPOCH", bad)
		if _, err := epoch(); err == nil || !strings.Contains(err.Error(), bad) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

// Every module in the binaries has a licence that goes along, for each platform.
func TestEveryModuleHasItsLicence(t *testing.T) {
	t.Chdir("../..")
	text, err := notices(runtime.GOOS, runtime.GOARCH)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"\nGo go1.", "\ngithub.com/redis/go-redis/v9 v9.", "\nmodernc.org/sqlite v1.", "\ngithub.com/spf13/cobra v1.", "\npreact 11.", "Jason Miller"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no notice of %q", strings.TrimSpace(want))
		}
	}
	if err := notice(new(bytes.Buffer), module{Path: "none", Dir: t.TempDir()}); err == nil {
		t.Error("a module without a licence passes")
	}
}

func TestABadVersionIsRefused(t *testing.T) {
	t.Parallel()
	for _, v := range []string{"", "a/b", "a b"} {
		if err := run(options{version: v, out: t.TempDir()}); err == nil || !strings.Contains(err.Error(), "version") {
			t.Errorf("version %q: %v", v, err)
		}
	}
}
