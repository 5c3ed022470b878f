package sandbox

import (
	"fmt"
	"path/filepath"

	"github.com/contextd/contextd/internal/gitfile"
	"github.com/contextd/contextd/internal/syserr"
)

// maxIndexBytes is the size of the largest git index that is read.
const maxIndexBytes = 64 << 20

// readIndex reads the index file of r, versions 2 to 4, split or not. A missing file is an empty index.
func readIndex(r *repo) (*gitfile.Index, error) {
	data, err := r.read(filepath.Join(r.gitDir, "index"), maxIndexBytes)
	if isMissing(err) {
		return &gitfile.Index{}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read git index: %w", syserr.Cause(err))
	}
	names, link, err := gitfile.ParseIndex(data, r.hashLen)
	if err != nil {
		return nil, err
	}
	if link != nil {
		if names, err = readShared(r, names, link); err != nil {
			return nil, err
		}
	}
	return gitfile.NewIndex(names), nil
}

// readShared joins own with the paths of the shared index that the link extension names.
func readShared(r *repo, own []string, link []byte) ([]string, error) {
	name, err := gitfile.SharedName(link, r.hashLen)
	if err != nil {
		return nil, err
	}
	if name == "" {
		return gitfile.JoinShared(own, nil, nil)
	}
	data, err := r.read(filepath.Join(r.gitDir, name), maxIndexBytes)
	if err != nil {
		return nil, fmt.Errorf("read shared git index: %w", syserr.Cause(err))
	}
	shared, _, err := gitfile.ParseIndex(data, r.hashLen)
	if err != nil {
		return nil, err
	}
	return gitfile.JoinShared(own, shared, link[r.hashLen:])
}
