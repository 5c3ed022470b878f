// Package cli is what the two commands share: running a cobra command to an exit status, error and hint lines, output
// that is whole or not there, terminals, progress, the logger, and the way from settings to the parts of contextd.
//
// Its promises are those of the outside contract. Exit status 0: done; 1: nothing found, by [ErrNothing]; 2: an error,
// which is one line "error: …" and, where there is something to do, one line "hint: …". Results go to stdout, all else
// to stderr; a command that fails with 2 leaves nothing on stdout. A reader that goes away ends the command quietly.
package cli
