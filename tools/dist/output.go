package main

import (
	"crypto/sha256"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// installScript installs an archive after it checked its sum; @VERSION@ and @REPOSITORY@ are filled in.
//
//go:embed install.sh
var installScript string

// output is the folder that everything is written to.
type output struct {
	dir  string
	list []string // lines of SHA256SUMS
}

// add writes one file, unless making it failed.
func (o *output) add(name string, data []byte, err error) error {
	if err != nil {
		return err
	}
	path := filepath.Join(o.dir, name)
	if err := os.WriteFile(path, data, 0o644); err != nil {
		return err
	}
	o.list = append(o.list, fmt.Sprintf("%x  %s\n", sha256.Sum256(data), name))
	fmt.Printf("%s  %.1f MB\n", path, float64(len(data))/1e6)
	return nil
}

// finish writes the install script and the sums.
func (o *output) finish(version string) error {
	script := strings.NewReplacer("@VERSION@", strings.TrimPrefix(version, "v"), "@REPOSITORY@", repository).Replace(installScript)
	if err := o.add("install.sh", []byte(script), nil); err != nil {
		return err
	}
	slices.SortFunc(o.list, func(a, b string) int { return strings.Compare(a[64:], b[64:]) })
	return os.WriteFile(filepath.Join(o.dir, sums), []byte(strings.Join(o.list, "")), 0o644)
}
