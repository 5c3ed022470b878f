package cli

import (
	"errors"
	"io"
	"os"

	"github.com/spf13/cobra"
)

// Live returns the terminal that cmd prints to, for a command that draws on it again and again; nil where there is none
// that can be drawn on.
func Live(cmd *cobra.Command) *os.File {
	w := cmd.OutOrStdout()
	if o, ok := w.(*output); ok {
		w = o.w
	}
	f, ok := w.(*os.File)
	if !ok || !isTerminal(f.Fd()) || os.Getenv("TERM") == "dumb" || !obeysSequences(f.Fd()) {
		return nil
	}
	return f
}

// Size is that of a terminal in cells; 80 by 24 where it does not tell.
func Size(f *os.File) (width, height int) {
	if width, height = terminalSize(f.Fd()); width <= 0 || height <= 0 {
		return 80, 24
	}
	return width, height
}

// Keys sends the keys that are pressed at the terminal that cmd reads from, until restore, which puts the terminal
// back. Where cmd reads from none, no key comes.
func Keys(cmd *cobra.Command) (keys <-chan byte, restore func(), err error) {
	f, ok := cmd.InOrStdin().(*os.File)
	if !ok || !isTerminal(f.Fd()) {
		return nil, func() {}, nil
	}
	reset, err := eachKey(f.Fd())
	if err != nil {
		return nil, nil, err
	}
	pressed, stop, done := make(chan byte, 16), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		readKeys(f, pressed, stop)
	}()
	return pressed, func() {
		close(stop)
		if readsTimeOut { // else the reader ends with the process
			<-done
		}
		reset()
	}, nil
}

// readKeys reads a key at a time until stop is closed; io.EOF is a read in whose time no key came.
func readKeys(r io.Reader, pressed chan<- byte, stop <-chan struct{}) {
	var b [1]byte
	for {
		n, err := r.Read(b[:])
		select {
		case <-stop:
			return
		default:
		}
		if n == 1 {
			select {
			case pressed <- b[0]:
			default: // nobody listens
			}
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return
		}
	}
}
