package cli

import (
	"os"

	"golang.org/x/sys/windows"
)

// takeStdout is what is standard output; children get standard error in its place.
func takeStdout() (*os.File, error) {
	own := os.Stdout
	h, err := windows.GetStdHandle(windows.STD_ERROR_HANDLE)
	if err != nil {
		return nil, err
	}
	return own, windows.SetStdHandle(windows.STD_OUTPUT_HANDLE, h)
}
