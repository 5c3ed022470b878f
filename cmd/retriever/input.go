package main

import (
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/contextd/contextd/internal/syserr"
)

// maxStdin bounds what is read from standard input, in bytes, where nothing else does.
const maxStdin = 4 << 20

// text is an argument, or standard input for "-".
func text(cmd *cobra.Command, arg string) (string, error) {
	if arg != "-" {
		return arg, nil
	}
	data, err := readInput(cmd, arg, maxStdin)
	return string(data), err
}

// readInput reads a file or, for "-", standard input, of at most limit bytes.
func readInput(cmd *cobra.Command, name string, limit int64) ([]byte, error) {
	if name != "-" {
		return readFile(name, limit)
	}
	data, err := readAtMost(cmd.InOrStdin(), limit)
	if err != nil {
		return nil, fmt.Errorf("read standard input: %w", err)
	}
	return data, nil
}

// readFile reads a file of at most limit bytes. Its error names the file.
func readFile(name string, limit int64) ([]byte, error) {
	f, err := os.Open(name)
	if err == nil {
		defer f.Close()
		var data []byte
		if data, err = readAtMost(f, limit); err == nil {
			return data, nil
		}
	}
	return nil, fmt.Errorf("read %q: %w", name, syserr.Cause(err))
}

func readAtMost(in io.Reader, limit int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(in, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = fmt.Errorf("want at most %d bytes", limit)
	}
	return data, err
}
