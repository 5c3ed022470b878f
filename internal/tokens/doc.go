// Package tokens counts what a text costs, divides a budget, and shortens texts.
//
// A Counter counts as the encodings o200k_base and cl100k_base do. Their vocabularies are in the binary and are loaded
// at the first text that is counted, or by Load (20 ms and 6 MB for o200k_base). What was counted once is known by the
// hash of its content, so that of the next prompt only new text is counted.
//
// Fit chooses which pieces go into a budget, and in which of their forms; Compress makes the shorter form. All of it is
// pure in the sense that equal inputs give equal results.
package tokens
