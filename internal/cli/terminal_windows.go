package cli

import (
	"fmt"

	"golang.org/x/sys/windows"
)

func isTerminal(fd uintptr) bool {
	var mode uint32
	return windows.GetConsoleMode(windows.Handle(fd), &mode) == nil
}

// readsTimeOut: a read ends where no key is pressed.
const readsTimeOut = false

// eachKey makes the console fd hand over keys as they are pressed and echo none, until restore. Ctrl-C stays a signal.
func eachKey(fd uintptr) (restore func(), err error) {
	console, old := windows.Handle(fd), uint32(0)
	if err := windows.GetConsoleMode(console, &old); err != nil {
		return nil, fmt.Errorf("read the settings of the console: %w", err)
	}
	if err := windows.SetConsoleMode(console, old&^(windows.ENABLE_LINE_INPUT|windows.ENABLE_ECHO_INPUT)); err != nil {
		return nil, fmt.Errorf("change the settings of the console: %w", err)
	}
	return func() { _ = windows.SetConsoleMode(console, old) }, nil // there is no one to tell
}

func terminalSize(fd uintptr) (width, height int) {
	var info windows.ConsoleScreenBufferInfo
	if err := windows.GetConsoleScreenBufferInfo(windows.Handle(fd), &info); err != nil {
		return 0, 0
	}
	return int(info.Window.Right-info.Window.Left) + 1, int(info.Window.Bottom-info.Window.Top) + 1
}

// obeysSequences reports whether the console fd takes escape sequences, switching that on where it must be.
func obeysSequences(fd uintptr) bool {
	console, mode := windows.Handle(fd), uint32(0)
	if windows.GetConsoleMode(console, &mode) != nil {
		return false
	}
	return mode&windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING != 0 ||
		windows.SetConsoleMode(console, mode|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING) == nil
}
