package main

import (
	"archive/zip"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestOneFileOfAnArchiveIsUnpackedReadyToRun(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	archive := filepath.Join(dir, "a.whl")
	f, err := os.Create(archive)
	if err != nil {
		t.Fatal(err)
	}
	z := zip.NewWriter(f)
	for name, text := range map[string]string{
		"x-1.data/purelib/x/bin/server": "wanted",
		"x/bin/other":                   "not wanted",
		"../escape":                     "never",
	} {
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	into := filepath.Join(dir, "new", "server")
	if err := unzip(archive, "x/bin/server", into); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(into)
	if err != nil || string(data) != "wanted" {
		t.Errorf("unpacked %q, %v", data, err)
	}
	if info, err := os.Stat(into); err != nil || info.Mode().Perm()&0o100 == 0 && os.PathSeparator == '/' {
		t.Errorf("it cannot be run: %v, %v", info.Mode(), err)
	}
	if list, _ := os.ReadDir(filepath.Join(dir, "new")); len(list) != 1 {
		t.Errorf("unpacked too: %v", list)
	}
	if err := unzip(archive, "no/such", into); err == nil || !strings.Contains(err.Error(), "no/such") {
		t.Errorf("a file that is not there: %v", err)
	}
	if err := unzip(into, "x", into); err == nil {
		t.Error("what is no archive is unpacked")
	}
}

func TestArgumentsAreChecked(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{nil, {"dance"}} {
		if err := run(args); err == nil {
			t.Errorf("%q is taken", args)
		}
	}
}
