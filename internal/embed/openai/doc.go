// Package openai embeds texts with a server that speaks OpenAI's embeddings API: OpenAI itself, Ollama, Text Embeddings
// Inference, vLLM, llama.cpp and others.
//
// Package cli makes one [Embedder] for a process. Concurrent calls of Documents are gathered into batches, so that a
// caller may hand in one file at a time. The server is not trusted: an answer is bounded in size, and is used only if
// it holds one finite vector that is not zero for each text, all of the length learned from the first answer. What
// became of a request decides what follows:
//
//	no connection, 5xx, 429, nonsense   tried again, up to Tries times in all; then embed.ErrUnavailable
//	429 or 503 with Retry-After         waited for, up to MaxWait at once and 100 s without an answer; uses up no try
//	no answer within Timeout            half as many texts if the server still embeds a short one, else embed.ErrUnavailable
//	401, 403, 404, a redirect           embed.ErrRefused
//	400, 413, 422, a lasting 500        if the server still embeds a short text, the batch is halved until the text that it
//	                                    does not take is alone; that one is halved too and the vectors of its parts averaged
//	zero, NaN or null in a vector       that text is asked for once more, alone
//	another length                      embed.ErrDimensions
//
// A text that stays without a vector while the server embeds others gets a zero vector: it is found by its words. After
// some failures in a row the server is left alone for a while (the breaker), then one request tries it.
//
// The key, the texts and what the server says stand in no error and no log: only the status and the server's error code
// do.
package openai
