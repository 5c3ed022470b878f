package intent

import "strings"

// isTrace reports whether a line, which begins at at, is one of a stack trace, a compiler's error or a failed test.
//
//	Go             panic: …, goroutine 1 [running]:
//	Python         Traceback (most recent call last):, File "a.py", line 3, in f, E   AssertionError
//	Java, Kotlin   Exception in thread "main" …, at a.b.C.d(C.java:12), Caused by: …
//	JavaScript     at f (a.js:1:2), at a.js:1:2, Uncaught TypeError: …
//	C#             at A.B() in a.cs:line 12
//	Rust           thread 'main' panicked at …, error[E0382]: …
//	C, C++         #0  0x… in f, #1 f () at a.c:3, ==1==ERROR: AddressSanitizer, Segmentation fault (core dumped)
//	Ruby           a.rb:12:in `f'
//	PHP            PHP Fatal error: …, #0 a.php(12): f()
//	compilers      a.go:12:5: …, a.c:3:1: error: …, a.ts(12,5): error TS2304: …
//	tests          --- FAIL: TestX, FAILED tests/a.py::test_b, not ok 3 - …
//
// and a line that begins with the name of an error or exception and a colon.
func (r *reader) isTrace(line string, at int) bool {
	for _, p := range traceStarts {
		if strings.HasPrefix(line, p) {
			return true
		}
	}
	ref := r.refAt(at)
	switch {
	case strings.HasPrefix(line, "goroutine "):
		return strings.HasSuffix(line, "]:")
	case strings.HasPrefix(line, "thread '"):
		return strings.Contains(line, "' panicked at")
	case strings.HasPrefix(line, `File "`):
		return strings.Contains(line, `", line `)
	case strings.HasPrefix(line, "at "):
		return strings.HasSuffix(line, ")") && digitIn(line) || strings.Contains(line, ":line ") ||
			strings.Count(line, " ") == 1 && strings.Count(line, ":") > 1
	case strings.HasPrefix(line, "=="):
		return strings.Contains(line, "==ERROR: ")
	case line[0] == '#' && len(line) > 3 && line[1] >= '0' && line[1] <= '9':
		return strings.Contains(line, " 0x") || strings.Contains(line, "(") &&
			strings.ContainsAny(line[len(line)-1:], "0123456789)")
	case ref != nil && ref.col > 0:
		return strings.HasPrefix(r.text[ref.end:], ": ")
	case ref != nil && ref.First > 0:
		return strings.HasSuffix(r.text[:ref.end], ":in") || strings.HasPrefix(r.text[ref.end:], ": error") ||
			strings.HasPrefix(r.text[ref.end:], ": fatal")
	}
	name, rest, ok := strings.Cut(line, ": ")
	if dot := strings.LastIndexByte(name, '.'); dot >= 0 {
		name = name[dot+1:]
	}
	return ok && rest != "" && len(name) > 5 && name[0] >= 'A' && name[0] <= 'Z' && !strings.Contains(name, " ") &&
		(strings.HasSuffix(name, "Error") || strings.HasSuffix(name, "Exception"))
}

var traceStarts = []string{"panic: ", "fatal error: ", "Traceback (most recent call last)", `Exception in thread "`,
	"Caused by: ", "Uncaught ",
	"error[E", "Segmentation fault", "PHP Fatal error:", "PHP Parse error:", "--- FAIL: ", "FAIL: ", "FAILED ",
	"not ok ", "E   ", "npm ERR!"}

// refAt is the path that begins at an offset, or nil. Lines are read in order, so it is the next one.
func (r *reader) refAt(at int) *Ref {
	for i := r.next; i < len(r.paths) && r.paths[i].at <= at; i++ {
		if r.paths[i].at == at {
			return &r.paths[i]
		}
	}
	return nil
}

func digitIn(s string) bool { return strings.ContainsAny(s, "0123456789") }
