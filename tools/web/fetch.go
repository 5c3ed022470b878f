package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
)

// The checker of accessibility that the browser's tests use: one file of an npm package, pinned by the sum of its
// tarball.
const (
	axePackage = "axe-core@4.14.1"
	axeSum     = "e6b0ce02b84d892e2e33e403485e7f3d6c29e2be6df65daf44d89ba564139745"
	axeMember  = "package/axe.min.js"
)

// fetch gets what the browser's tests need: axe-core into the user's cache, and Chromium where apt-get may install it.
func fetch() error {
	cache, err := os.UserCacheDir()
	if err != nil {
		return err
	}
	if err := fetchAxe(filepath.Join(cache, "contextd-tests", "axe-core", "axe.min.js")); err != nil {
		return fmt.Errorf("fetch %q: %w", axePackage, err)
	}
	return fetchChromium()
}

func fetchAxe(into string) error {
	if _, err := os.Stat(into); err == nil {
		return nil
	}
	tmp, err := os.MkdirTemp("", "axe")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	npm := exec.Command("npm", "pack", "--silent", "--pack-destination", tmp, axePackage)
	npm.Dir, npm.Stderr = tmp, os.Stderr
	if err := npm.Run(); err != nil {
		return fmt.Errorf("run npm: %w", err)
	}
	files, _ := filepath.Glob(filepath.Join(tmp, "*.tgz"))
	if len(files) != 1 {
		return fmt.Errorf("want one tarball, found %d", len(files))
	}
	data, err := os.ReadFile(files[0])
	if err != nil {
		return err
	}
	text, err := member(data, axeSum, axeMember)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(into), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(into+".new", text, 0o644); err != nil {
		return err
	}
	return os.Rename(into+".new", into)
}

// member is one file of a tarball that has a sum.
func member(tarball []byte, sum, name string) ([]byte, error) {
	if got := sha256.Sum256(tarball); hex.EncodeToString(got[:]) != sum {
		return nil, fmt.Errorf("the tarball has SHA-256 %x, want %s", got, sum)
	}
	z, err := gzip.NewReader(bytes.NewReader(tarball))
	if err != nil {
		return nil, err
	}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("the tarball holds no %q", name)
		} else if err != nil {
			return nil, err
		}
		if h.Name == name {
			return io.ReadAll(r)
		}
	}
}

// fetchChromium installs Chromium with apt-get, or says why it does not.
func fetchChromium() error {
	if _, err := exec.LookPath("chromium"); err == nil {
		return nil
	}
	apt, err := exec.LookPath("apt-get")
	if err != nil || os.Geteuid() != 0 {
		return fmt.Errorf("there is no \"chromium\" on PATH, and this tool may not install it on %s: that takes apt-get and root. Install the package chromium", runtime.GOOS)
	}
	for _, args := range [][]string{
		{"update", "-qq"},
		{"install", "-y", "-qq", "--no-install-recommends", "chromium", "fonts-dejavu-core"},
	} {
		cmd := exec.Command(apt, args...)
		cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
		cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("install chromium: apt-get %s: %w", args[0], err)
		}
	}
	return nil
}
