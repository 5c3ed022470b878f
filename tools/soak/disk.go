//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// ballast fills the disk of the state directory, where that is one of its own.
type ballast struct{ mounted bool }

// mount gives the state directory a small disk of its own.
func (s *spell) mount() error {
	if err := os.MkdirAll(s.world.State(), 0o700); err != nil {
		return fmt.Errorf("make a state directory: %w", err)
	}
	if err := mountSmall(s.world.State()); err != nil {
		return fmt.Errorf("mount a disk: %w", err)
	}
	s.mounted = true
	return nil
}

func (s *spell) unmount() {
	if s.mounted {
		_ = unmountSmall(s.world.State())
	}
}

// diskFull fills the disk, all of it or but for a little.
func (s *spell) diskFull(context.Context) error {
	if !s.mounted {
		return errSkip
	}
	s.faulty.finish("disk")
	file := filepath.Join(s.world.State(), "ballast")
	if err := fill(file, int64(s.rnd.IntN(3)*(16<<10))); err != nil {
		return err
	}
	s.faulty.begin("disk", s.aWhile(), func() {
		if err := os.Remove(file); err != nil {
			s.fail("soak", err)
		}
	})
	return nil
}

// fill makes a file as large as its disk allows, less so many bytes.
func fill(file string, free int64) error {
	f, err := os.OpenFile(file, os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	piece, size := make([]byte, 64<<10), int64(0)
	for len(piece) > 0 {
		n, err := f.Write(piece)
		size += int64(n)
		switch {
		case errors.Is(err, syscall.ENOSPC):
			piece = piece[:len(piece)/16]
		case err != nil:
			return err
		}
	}
	return f.Truncate(max(0, size-free))
}
