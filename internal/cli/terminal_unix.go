//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package cli

import (
	"fmt"

	"golang.org/x/sys/unix"
)

func isTerminal(fd uintptr) bool {
	_, err := unix.IoctlGetTermios(int(fd), getTermios)
	return err == nil
}

// readsTimeOut: a read ends where no key is pressed.
const readsTimeOut = true

// eachKey makes the terminal fd hand over keys as they are pressed and echo none, until restore. Ctrl-C stays a signal.
func eachKey(fd uintptr) (restore func(), err error) {
	old, err := unix.IoctlGetTermios(int(fd), getTermios)
	if err != nil {
		return nil, fmt.Errorf("read the settings of the terminal: %w", err)
	}
	now := *old
	now.Lflag &^= unix.ICANON | unix.ECHO
	now.Cc[unix.VMIN], now.Cc[unix.VTIME] = 0, 1 // a read ends after 0.1 s without a key
	if err := unix.IoctlSetTermios(int(fd), setTermios, &now); err != nil {
		return nil, fmt.Errorf("change the settings of the terminal: %w", err)
	}
	return func() { _ = unix.IoctlSetTermios(int(fd), setTermios, old) }, nil // there is no one to tell
}

func terminalSize(fd uintptr) (width, height int) {
	size, err := unix.IoctlGetWinsize(int(fd), unix.TIOCGWINSZ)
	if err != nil {
		return 0, 0
	}
	return int(size.Col), int(size.Row)
}

// obeysSequences reports whether the terminal fd takes escape sequences, switching that on where it must be.
func obeysSequences(uintptr) bool { return true }
