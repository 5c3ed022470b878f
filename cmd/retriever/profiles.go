package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/contextd/contextd/internal/profile"
)

// maxProfiles bounds one file of profiles, in bytes.
const maxProfiles = 1 << 20

// readProfiles is the built-in profiles and those of a file, or of the files of a directory that end in .yaml or .yml; "" names none.
func readProfiles(path string) (*profile.Set, error) {
	if path == "" {
		return profile.Builtin(), nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("read profiles: %w", err)
	}
	names := []string{path}
	if info.IsDir() {
		entries, err := os.ReadDir(path) // sorted
		if err != nil {
			return nil, fmt.Errorf("read profiles: %w", err)
		}
		names = nil
		for _, e := range entries {
			if ext := strings.ToLower(filepath.Ext(e.Name())); !e.IsDir() && (ext == ".yaml" || ext == ".yml") {
				names = append(names, filepath.Join(path, e.Name()))
			}
		}
		if len(names) == 0 {
			return nil, fmt.Errorf("read profiles: no file in %q ends in .yaml or .yml", path)
		}
	}
	var files []profile.File
	for _, name := range names {
		data, err := readFile(name, maxProfiles)
		if err != nil {
			return nil, fmt.Errorf("profiles: %w", err)
		}
		files = append(files, profile.File{Name: name, Data: data})
	}
	return profile.Load(files)
}

// readFile reads a file of at most limit bytes. Its error names the file.
func readFile(name string, limit int64) ([]byte, error) {
	data, err := readAtMost(name, limit)
	if pe := (*fs.PathError)(nil); errors.As(err, &pe) {
		err = pe.Err // which would name it, too
	}
	if err != nil {
		return nil, fmt.Errorf("read %q: %w", name, err)
	}
	return data, nil
}

func readAtMost(name string, limit int64) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = fmt.Errorf("it has over %d bytes", limit)
	}
	return data, err
}
