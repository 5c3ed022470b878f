// Package chunker cuts source text into chunks along its definitions. Package analyze calls it for every file.
//
// [Split] is pure and runs in four passes, each linear in the text:
//
//   - lex walks the bytes once with a small state machine per language. It finds comments and strings, matches
//     brackets and leaves a masked copy of the text in which only code is visible, so that no later pass can take a
//     word in a comment for a definition.
//   - layout turns the masked copy into lines with their indent.
//   - defs goes through the lines with the language's table of words and finds what each one defines, how far that
//     reaches (by brackets, or by indent) and what encloses it.
//   - cut chooses the best line in reach to start the next chunk at.
//
// There is no grammar: a file that does not parse, mixes languages or stops in the middle of a string still gives
// chunks that cover it exactly. What a language needs is data, a value of type language (languages.go), and, where
// words are not enough, one function that looks at a line.
//
// # Add a language
//
// Package lang knows the names and extensions of languages. Here a language is one file with its table, named for it,
// an entry in table.go, and a golden in testdata. docs/DEVELOPMENT.md, "Add a language", has the steps. A language
// without a table is indexed all the same: its text is cut at blank lines and no symbol is known.
package chunker
