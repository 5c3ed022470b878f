package code

import (
	"crypto/sha256"
	"encoding/hex"
)

// Path names a file relative to its project's root: '/' separated, no leading '/', no "." or ".." element, the
// bytes exactly as on disk. The empty Path is the root itself.
type Path = string

// Span is a range of lines of one file, both ends inclusive, counted from 1.
type Span struct {
	Start, End int
}

// Lines is the number of lines that s covers.
func (s Span) Lines() int { return s.End - s.Start + 1 }

// Contains reports whether line lies in s.
func (s Span) Contains(line int) bool { return s.Start <= line && line <= s.End }

// Hash is the SHA-256 of a file's bytes on disk.
type Hash [sha256.Size]byte

// HashOf is the hash of data.
func HashOf(data []byte) Hash { return sha256.Sum256(data) }

// String is the hash in lower-case hexadecimal.
func (h Hash) String() string { return hex.EncodeToString(h[:]) }

// Kind says what a symbol is. Languages name many more; the ranker needs only these.
type Kind string

// The kinds of a symbol, from the most to the least telling when its name is searched.
const (
	KindType    Kind = "type"    // class, struct, interface, trait, enum, alias
	KindModule  Kind = "module"  // module, namespace, package, object
	KindFunc    Kind = "func"    // function, method, macro, constructor
	KindValue   Kind = "value"   // constant, variable, field with a name of its own
	KindImpl    Kind = "impl"    // implementation, extension, instance
	KindDecl    Kind = "decl"    // a declaration without a body
	KindSection Kind = "section" // a heading of a document, a table of a configuration file, a build target
)

// Symbol is a name that a file defines.
type Symbol struct {
	Name   string // as written, without its qualifier
	Kind   Kind
	Line   int    // the line that holds the name
	End    int    // the last line of the definition; at least Line
	Indent int    // columns of white space before the definition, a tab counts 4
	Parent string // name of the nearest enclosing definition, or the qualifier it is written with; "" at the top
}

// Chunk is a run of whole lines of a file that is searched, scored and shown as one. Each line of a file is in exactly
// one of its chunks.
type Chunk struct {
	Span     Span
	Text     string   // the lines with their line ends, decoded to UTF-8, "\r\n" already turned into "\n"
	Comments [][2]int // byte ranges of Text, in order, disjoint, that are comment or documentation string
	Scope    []string // names of the definitions that enclose the first line, outermost first
	Symbols  []Symbol // what is defined here: those whose Line is in Span, in order
}

// Reason names why a file is left out of the index or an answer. The values are part of the outside contract.
type Reason string

// The reasons for leaving a file out, in the order in which they are tried: the first that matches is given.
const (
	OutsideRoot   Reason = "outside_root"
	Missing       Reason = "missing"
	NotRegular    Reason = "not_regular"
	NameEncoding  Reason = "name_encoding"
	VCS           Reason = "vcs"
	Worktree      Reason = "worktree"
	Ignored       Reason = "ignored"
	SecretName    Reason = "secret_name"
	Vendored      Reason = "vendored"
	BuildOutput   Reason = "build_output"
	Lockfile      Reason = "lockfile"
	TooLarge      Reason = "too_large"
	Unreadable    Reason = "unreadable"
	Binary        Reason = "binary"
	LFSPointer    Reason = "lfs_pointer"
	SecretContent Reason = "secret_content"
	Generated     Reason = "generated"
	Minified      Reason = "minified"
	CapFiles      Reason = "cap_files"
	CapBytes      Reason = "cap_bytes"
	CapMemory     Reason = "cap_memory"
)
