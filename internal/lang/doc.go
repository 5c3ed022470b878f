// Package lang knows the names of languages: which one a file is written in, what people call it, and what its files
// are for.
//
// [Of] names the language of a file by its path and the start of its text, [Named] understands the names that people
// type, [All] lists them. [ContentOf] sorts them into code, texts for people and configuration. The functions are pure
// tables.
//
// To add a language, begin with docs/DEVELOPMENT.md, "Add a language": it goes through this package and package
// chunker.
package lang
