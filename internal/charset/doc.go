// Package charset turns text in an encoding of before Unicode into UTF-8: Cyrillic, Chinese, Japanese, Korean, Greek,
// Thai and others beside Western European.
//
// Source files name their encoding seldom, and most of their bytes are ASCII. So only the lines with other bytes are
// looked at: each encoding reads them, and a model of its languages says how many bits such a text costs, a common
// letter few and one that hardly occurs, or no character at all, many. The cheapest reading wins; where nothing is
// clearly cheaper than Western European, that is taken, so that every file can be read.
//
// Everything here is pure, and takes time and memory in proportion to the text.
package charset
