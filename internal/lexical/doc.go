// Package lexical turns text into words: one set of rules for documents and queries.
//
// An identifier is a run of letters, digits and underscores, letters of any script among them. It is split into parts
// at case changes, acronym ends, underscores and digits ("parseHTTPResponse2xx" → parse, http, response, 2, xx); parts
// of one letter are dropped and each part is stemmed (Porter 1980). An identifier of several parts also gives one
// unstemmed compound of all of them ("flat_hash_map" and "FlatHashMap" → flathashmap), which finds whole names however
// they are written.
//
// Scripts without spaces between words have no words to split at: of a run of their letters each two adjacent ones are
// a word ("缓存失效" → 缓存, 存失, 失效), the letter of a run of one too. Names in such scripts are looked up whole, as all names
// are.
//
// A term is a word with a letter in front, made of a-z and 0-9 only, so that it has no meaning in any query syntax:
//
//	x…  a word of the text
//	y…  a name defined in a chunk, whole
//	z…  the stem of a file's name, whole
//	u…, v…, w…  the same three for what is not ASCII: the word's bytes in hexadecimal
//
// Everything here is pure; an [Interner] caches what identifiers become, for one goroutine.
package lexical
