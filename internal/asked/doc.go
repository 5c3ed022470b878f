// Package asked finds the lines of files that a text names.
//
// retrieve calls [Places] with a question or a task: whoever writes "web/app.go:12", or pastes a stack trace, wants to
// see these lines, whatever else answers. The package is pure and knows no tree: that a place exists, and which file of
// a project a path means, its caller finds out. What it gives may therefore be wrong, and never costs more than a look.
//
// Known are
//
//	mentions      a.go:12  a.go:12:5  a.go:12-20  a.go#L12-L20  a.go, line 12  a.go line 12  lines 3-9 of a.go  a.ts(12,5)  "a b.go":12
//	compilers     a.c:12:5: error: …  --> src/a.rs:3:5  A.hs:(12,1)-(14,20)  a.sh: line 3: …
//	Python        File "a.py", line 3, in f
//	JavaScript    at f (a.js:10:5)  at file:///x/a.js:10:5  f@http://host:3000/a.js:10:5  webpack:///./src/a.js:10:5
//	Java, Kotlin  at com.acme.Foo.bar(Foo.java:12), the package of which tells the folder
//	Go            /x/a.go:12 +0x1d
//	C#            in /x/A.cs:line 12
//	Ruby, Lua     a.rb:12:in 'f'  a.lua:12: in function
//	PHP, Perl     in /x/a.php on line 3  #0 /x/a.php(12): f()  at a.pl line 3.
//	Erlang        (app 1.0) lib/a.ex:12: A.f/2  {file,"src/a.erl"},{line,12}
//	C, Swift      #0 f () at a.c:12  file A.swift, line 12
//	diffs         --- a/x.go, +++ b/x.go and @@ -1,2 +3,4 @@: what changed, on the new side
//
// Most of a text is no place: words are looked at where a number follows them in one of these forms, a path is looked
// for in the 512 bytes before the number at most, and a text without a digit is not read at all.
package asked

// Kind says how a text names a place.
type Kind string

// The kinds, the most important first.
const (
	Mention Kind = "mention" // prose, a compiler's error, what a panic says of itself
	Frame   Kind = "frame"   // a frame of a stack trace
	Note    Kind = "note"    // a warning, a note, a line of a log
	Hunk    Kind = "hunk"    // of a diff
)

// Limits of what is read and found.
const (
	MaxText   = 64 << 10  // bytes of a text; the rest is not read
	MaxPlaces = 32        // the most important ones
	maxPath   = 512       // bytes of a path
	maxLine   = 9_999_999 // greatest line number
)

// Place is some lines of a file.
type Place struct {
	Path        string // as written, without quotes; see [Segments]
	First, Last int    // lines, from 1, inclusive
	Kind        Kind
	Folder      string // where the file lies by the package that a frame names, such as "com/acme"; "" if it names none
}
