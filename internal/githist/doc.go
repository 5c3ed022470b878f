// Package githist tells which files were changed for what, from the messages of past commits and from tasks that were
// done.
//
// [Read] runs git and returns commits as [Note]s: a text, the files that were changed, a time. [Update] keeps a [Part],
// an immutable blob, in step with a repository; retrieve asks it through [Search]: the notes that read like the
// question point at the files that they changed, and [Companions] tells what usually changed along with a file.
// [FindRevision] resolves the name of a commit, and [Revision.Export] writes its files out. Nothing else here does I/O.
//
// # git
//
// This is the only package that starts git: "git log" for history, "git diff-tree" and "git cat-file" for a replay,
// "git ls-tree" and "git cat-file" for a [Revision], with arguments and an environment of its own. Each runs in an
// empty git directory made for it, of which nothing but the objects is the repository's, handed over as open handles
// where allowed folders are set: no configuration, hook, attribute, monitor, filter, pager, signature check or external
// diff of it is even looked at, nothing is fetched, a history reads no file's content, and time and output are bounded.
// A folder that belongs to no repository, and a machine without git, have no history.
//
// # Blob
//
// All numbers little-endian. Header: magic, version (4 bytes), notes, terms, paths (4 each), sum of the notes' lengths
// (8), offset of each of the six sections and of the end (4 each), sum of all that follows the header and of the header
// before it (4). Sections:
//
//	head      the commit that the history was last read to, hexadecimal; empty for notes of other kinds
//	notes     for each note, newest first: time (8), length in words (4), offset of its files (4)
//	files     for each note: number of files, then their paths' numbers, varints
//	paths     for each path and one more: offset of its bytes in the section (4); then the bytes
//	terms     for each term, ascending: id (8), offset of its postings (4)
//	postings  for each term: number of notes, then for each: step from the note before and count, varints
package githist
