// Package textfile reads the bytes of a file as text and tells what kind of text it is.
//
// [Decode] gives the text of a file in any encoding, or says that it is none. [MachineWritten] finds the signs that a
// program wrote it: what its header says of itself, the runtime of a bundler, lines that nobody writes by hand.
// [LFSPointer] knows the stand-ins of git LFS. Package sandbox puts these in the order of code.Reason, between them the
// search for secrets.
//
// The functions are pure, and their time is linear in the length of the text.
package textfile
