package asked

import (
	"slices"
	"strings"
)

// Places are the places that a text names, the most important first and each once: by their kinds, frames as
// [scanner.frames] orders them, others in the order of the text. Frames and notes of libraries come last.
func Places(text string) []Place {
	if len(text) > MaxText {
		text = text[:MaxText]
	}
	if !strings.ContainsAny(text, digits) {
		return nil
	}
	var s scanner
	for line := range strings.SplitSeq(text, "\n") {
		s.line(strings.TrimSuffix(line, "\r"))
	}
	s.endHunk()
	var out, libraries []Place
	seen := map[Place]bool{}
	for _, list := range [][]Place{s.mentions, s.frames(), s.notes, s.hunks} {
		for _, p := range list {
			key := Place{Path: p.Path, First: p.First, Last: p.Last}
			switch {
			case seen[key]:
			case (p.Kind == Frame || p.Kind == Note) && Library(p.Path):
				libraries = append(libraries, p)
			default:
				out = append(out, p)
			}
			seen[key] = true
		}
	}
	out = append(out, libraries...)
	return slices.Clip(out[:min(len(out), MaxPlaces)])
}

const digits = "0123456789"

// scanner reads a text line by line.
type scanner struct {
	mentions, notes, hunks []Place
	blocks                 []*block // in order of importance
	cur                    *block   // the one that was opened last
	chain                  int      // where in blocks the stacks of one failure begin
	before                 bool     // the next stack stands in front of those
	diff                   diff
}

// line reads one line of a text.
func (s *scanner) line(line string) {
	if s.inDiff(line) {
		return
	}
	s.header(line)
	kind, told := Mention, false
	floor := 0 // before it nothing is part of a path any more
	for at := 0; ; {
		k := strings.IndexAny(line[at:], digits)
		if k < 0 {
			return
		}
		k += at
		end := k
		for end < len(line) && isDigit(line[end]) {
			end++
		}
		at = end
		f, ok := formAt(line, floor, k)
		if !ok {
			continue
		}
		p, next := f.read(line, floor, k, end)
		if p.Path != "" || f.kind != 'w' { // no path goes on over a colon or a bracket with a number
			floor = next
		}
		at = max(end, next)
		if p.Path == "" {
			continue
		}
		if !told {
			kind, told = kindOf(line, next), true
		}
		p.Kind = kind
		s.add(p, line)
	}
}

func (s *scanner) add(p Place, line string) {
	switch p.Kind {
	case Frame:
		s.addFrame(p, isPython(line))
	case Note:
		s.notes = append(s.notes, p)
	default:
		s.mentions = append(s.mentions, p)
	}
}

// kindOf is the kind of the places of a line, the first of which ends at end.
func kindOf(line string, end int) Kind {
	t, rest := strings.TrimLeft(line, " \t"), line[end:]
	indented := len(t) < len(line)
	switch {
	case strings.HasPrefix(t, "at "), isPython(line), strings.HasPrefix(t, "from ") && strings.HasPrefix(rest, ":in"),
		len(t) > 1 && t[0] == '#' && isDigit(t[1]), indented && strings.HasPrefix(rest, " +0x"),
		strings.HasPrefix(rest, ": in "), indented && (t[0] == '/' || t[0] == '(' || isDrive(t)), indented &&
			strings.HasPrefix(rest, ": ") && strings.Contains(rest, "/"),
		strings.Contains(t, "{line,"), strings.Contains(t, " called at "), strings.Contains(line[:end], "@") &&
			strings.Contains(line[:end], "://"):
		return Frame
	}
	said := strings.ToLower(rest[:min(len(rest), 40)])
	said = strings.TrimLeft(said, ":)] \t")
	for _, mild := range []string{"warn", "note", "info", "hint", "remark", "deprecat"} {
		if strings.HasPrefix(said, mild) {
			return Note
		}
	}
	if strings.Contains(said, "warning:") || isLog(t) {
		return Note
	}
	return Mention
}

// isLog reports whether a line begins like one of a log, with a date or a time, and tells of no failure.
func isLog(t string) bool {
	t = strings.TrimLeft(t, "[")
	if len(t) < 8 || !isDigit(t[0]) || !isDigit(t[1]) || !strings.ContainsAny(t[2:5], ":-/") {
		return false
	}
	lower := strings.ToLower(t[:min(len(t), 400)])
	for _, word := range []string{"error", "panic", "fatal", "exception", "fail"} {
		if strings.Contains(lower, word) {
			return false
		}
	}
	return true
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// isDrive reports whether a path begins like "C:\" or "C:/".
func isDrive(s string) bool {
	return len(s) > 2 && isLetter(s[0]) && s[1] == ':' && (s[2] == '\\' || s[2] == '/')
}
