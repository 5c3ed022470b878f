// Package safetext makes foreign text safe: that of files, repositories, messages, requests and stores.
//
// Text that is shown, on a terminal, in a log, in a prompt or as an answer, goes through [Text] or, where it must stay
// on its line, [Line]: whatever a terminal obeys or a reader does not see comes out as an escape. Text that is kept or
// sent goes through [Valid], which makes it UTF-8 and nothing else, and is bounded by [Cut]. [Hidden] tells the
// characters that show nothing.
//
// A byte that is no UTF-8 has one meaning each: shown, it is its escape (\xff); kept, it is U+FFFD. There are no other
// functions for this in contextd. They are pure, and linear in the length of the text.
package safetext
