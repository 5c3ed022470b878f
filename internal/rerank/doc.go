// Package rerank asks a language model for the order of an answer's first candidates: an optional second stage, off by
// default.
//
// A [Client] sends one request of OpenAI's chat API: the question and, of each [Candidate], its number, path, lines,
// symbol and the lines that matched, all bounded. The reply is an order of numbers and nothing else; [Parse] takes it
// apart. What files say may talk a model into any order, and into nothing more: no text of the reply is shown, stored
// or logged.
//
// The caller redacts what it hands in and bounds the time by its context. Orders are kept in memory by the sum of all
// that was sent, so the same question over the same lines is asked once. A server that fails three times in a row is
// left alone for 30 s.
//
// The server gets the key of OPENAI_API_KEY over https or on loopback only, and a redirect is not followed.
package rerank
