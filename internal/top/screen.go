package top

import (
	"bytes"
	"fmt"
	"io"
	"strings"
)

// Screen shows frames on a terminal, each over the one before it. It uses the terminal's second screen, so what stood
// there comes back, and overwrites lines instead of clearing them, in one write a frame, so nothing flickers.
type Screen struct {
	w    io.Writer
	bold bool
}

// NewScreen takes the terminal w over until End. bold: the first line stands out.
func NewScreen(w io.Writer, bold bool) (*Screen, error) {
	_, err := io.WriteString(w, "\x1b[?1049h\x1b[?25l\x1b[2J")
	return &Screen{w, bold}, wrote(err)
}

// Show replaces what is shown by lines.
func (s *Screen) Show(lines []string) error {
	var b bytes.Buffer
	b.WriteString("\x1b[?2026h\x1b[H") // terminals that know the first show the frame at once
	for i, l := range lines {
		if i > 0 {
			b.WriteString("\r\n")
		}
		if i == 0 && s.bold {
			l = "\x1b[1m" + l + "\x1b[0m"
		}
		b.WriteString(l + "\x1b[K")
	}
	b.WriteString("\x1b[J\x1b[?2026l")
	_, err := s.w.Write(b.Bytes())
	return wrote(err)
}

// End gives the terminal back.
func (s *Screen) End() error {
	_, err := io.WriteString(s.w, "\x1b[?25h\x1b[?1049l")
	return wrote(err)
}

// Print writes lines as plain text.
func Print(w io.Writer, lines []string) error {
	_, err := io.WriteString(w, strings.Join(lines, "\n")+"\n")
	return wrote(err)
}

func wrote(err error) error {
	if err != nil {
		return fmt.Errorf("write to the terminal: %w", err)
	}
	return nil
}
