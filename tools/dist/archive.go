package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"
)

// file is one file of an archive.
type file struct {
	name    string // below the top folder, with slashes
	data    []byte
	program bool // may be run
}

func (f *file) mode() int64 {
	if f.program {
		return 0o755
	}
	return 0o644
}

// named are those of the files that have one of the names.
func named(files []file, names ...string) []file {
	return slices.DeleteFunc(slices.Clone(files), func(f file) bool { return !slices.Contains(names, f.name) })
}

// ordered are the files by name; a name that comes twice or leads out is an error.
func ordered(files []file) ([]file, error) {
	files = slices.Clone(files)
	slices.SortFunc(files, func(a, b file) int { return strings.Compare(a.name, b.name) })
	for i, f := range files {
		if i > 0 && files[i-1].name == f.name {
			return nil, fmt.Errorf("file %q comes twice", f.name)
		}
		if f.name == "" || path.Clean("/"+f.name) != "/"+f.name {
			return nil, fmt.Errorf("file %q: want a relative path", f.name)
		}
	}
	return files, nil
}

// tarball packs files below the folder top. The same files and time give the same bytes.
func tarball(top string, files []file, at time.Time) ([]byte, error) {
	files, err := ordered(files)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.DefaultCompression) // its header has no name and no time
	if err != nil {
		return nil, err
	}
	t := tar.NewWriter(z)
	for _, f := range files {
		h := &tar.Header{Typeflag: tar.TypeReg, Name: top + "/" + f.name, Size: int64(len(f.data)), Mode: f.mode(), ModTime: at, Format: tar.FormatUSTAR}
		if err := t.WriteHeader(h); err != nil {
			return nil, fmt.Errorf("pack %q: %w", f.name, err)
		}
		if _, err := t.Write(f.data); err != nil {
			return nil, fmt.Errorf("pack %q: %w", f.name, err)
		}
	}
	if err := t.Close(); err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// zipped is tarball for zip, whose times begin in 1980; without a top folder if top is empty.
func zipped(top string, files []file, at time.Time) ([]byte, error) {
	files, err := ordered(files)
	if err != nil {
		return nil, err
	}
	if first := time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC); at.Before(first) {
		at = first
	}
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	if top != "" {
		top += "/"
	}
	for _, f := range files {
		h := &zip.FileHeader{Name: top + f.name, Method: zip.Deflate, Modified: at.UTC()}
		h.SetMode(0o644)
		if f.program {
			h.SetMode(0o755)
		}
		w, err := z.CreateHeader(h)
		if err != nil {
			return nil, fmt.Errorf("pack %q: %w", f.name, err)
		}
		if _, err := w.Write(f.data); err != nil {
			return nil, fmt.Errorf("pack %q: %w", f.name, err)
		}
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
