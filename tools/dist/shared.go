package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
)

// shells are those that have completions.
var shells = []string{"bash", "fish", "powershell", "zsh"}

// shared are the files that are the same for all platforms.
func shared(work string, o options) ([]file, error) {
	var files []file
	add := func(name, from string) error {
		data, err := os.ReadFile(from)
		if err == nil {
			files = append(files, file{name: name, data: data})
		}
		return err
	}
	if err := errors.Join(add("README.md", "README.md"), add("LICENSE", "LICENSE"), add("CHANGELOG.md", "CHANGELOG.md"), add("CONTRIBUTING.md", "CONTRIBUTING.md"),
		add("SECURITY.md", "SECURITY.md"), add("NOTICE.md", filepath.Join("internal", "embed", "static", "NOTICE.md"))); err != nil {
		return nil, err
	}
	for _, dir := range []string{"docs", "deploy"} { // what the README links to
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || filepath.Ext(path) == ".go" {
				return err
			}
			return add(filepath.ToSlash(path), path)
		})
		if err != nil {
			return nil, err
		}
	}
	done, err := completions(work, o)
	return append(files, done...), err
}

// completions has binaries of this machine write their completions.
func completions(work string, o options) ([]file, error) {
	dir := filepath.Join(work, "host")
	if err := build(dir, o, runtime.GOOS, runtime.GOARCH); err != nil {
		return nil, err
	}
	var files []file
	for _, b := range binaries {
		program := filepath.Join(dir, b)
		if runtime.GOOS == "windows" {
			program += ".exe"
		}
		for _, shell := range shells {
			out, err := exec.Command(program, "completion", shell).Output()
			if err != nil {
				return nil, fmt.Errorf("%s completion %s: %w", b, shell, err)
			}
			files = append(files, file{name: "completions/" + b + "." + shell, data: out})
		}
	}
	return files, nil
}
