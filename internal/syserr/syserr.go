// Package syserr tells what an error of the system means, by the codes of this system. Package syscall has the names of
// Unix on Windows, too, but the system there returns codes of its own, which are none of them.
package syserr

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"syscall"
)

// NoRoom reports whether err says that the disk, or what its owner may use of it, is full.
func NoRoom(err error) bool { return among(err, noRoom) }

// Ended reports whether err says that the other end of a connection or of a pipe is gone.
func Ended(err error) bool { return among(err, ended) }

// Exhausted reports whether err says that the process or the system has run out of handles or memory.
func Exhausted(err error) bool { return among(err, exhausted) }

// NoName reports whether err says that no file can be called so here.
func NoName(err error) bool { return among(err, noName) }

// Cause is the cause inside of an error of package os, whose text would name the path a second time.
func Cause(err error) error {
	var pe *fs.PathError
	var le *os.LinkError
	switch {
	case errors.As(err, &pe):
		return pe.Err
	case errors.As(err, &le):
		return le.Err
	}
	return err
}

func among(err error, codes []syscall.Errno) bool {
	var code syscall.Errno
	return errors.As(err, &code) && slices.Contains(codes, code)
}
