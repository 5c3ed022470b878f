package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// legal is the name of a file that must go along with what is built from its module.
var legal = regexp.MustCompile(`(?i)^(licen[cs]e|copying|copyright|notice|patents)([._-].*)?$`)

// module is what "go list" says of one.
type module struct {
	Path, Version, Dir string
	Main               bool
}

// notices are the licences and notices of all modules in the binaries for a platform, and of Go itself.
func notices(goos, arch string) ([]byte, error) {
	cmd := exec.Command("go", "list", "-deps", "-json=Module", "./cmd/...")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+goos, "GOARCH="+arch)
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("list the modules: %w", err)
	}
	root, err := exec.Command("go", "env", "GOROOT", "GOVERSION").Output()
	if err != nil {
		return nil, fmt.Errorf("find Go itself: %w", err)
	}
	dir, version, _ := strings.Cut(strings.TrimSpace(string(root)), "\n")
	all := []module{{Path: "Go", Version: strings.TrimSpace(version), Dir: strings.TrimSpace(dir)}}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct{ Module *module }
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("list the modules: %w", err)
		}
		if p.Module != nil && !p.Module.Main && !slices.Contains(all, *p.Module) {
			all = append(all, *p.Module)
		}
	}
	slices.SortFunc(all[1:], func(a, b module) int { return strings.Compare(a.Path, b.Path) })
	var b bytes.Buffer
	b.WriteString("The binaries contain code of these projects, under the licences that follow.\n")
	for _, m := range all {
		if err := notice(&b, m); err != nil {
			return nil, err
		}
	}
	if err := vendoredNotices(&b); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// notice writes the licence files of one module; none is an error.
func notice(b *bytes.Buffer, m module) error {
	entries, err := os.ReadDir(m.Dir)
	if err != nil {
		return fmt.Errorf("find the licence of %s: %w", m.Path, err)
	}
	found := false
	for _, e := range entries { // by name
		if !e.Type().IsRegular() || !legal.MatchString(e.Name()) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(m.Dir, e.Name()))
		if err != nil {
			return fmt.Errorf("find the licence of %s: %w", m.Path, err)
		}
		fmt.Fprintf(b, "\n%s\n%s %s: %s\n\n%s\n", strings.Repeat("=", 80), m.Path, m.Version, e.Name(), bytes.TrimSpace(text))
		found = true
	}
	if !found {
		return fmt.Errorf("find the licence of %s %s: no file of such a name", m.Path, m.Version)
	}
	return nil
}
