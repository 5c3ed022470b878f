// Package client talks to "retriever serve" from Go programs: supervisors that want a context for a prompt, and tools that search,
// remember or listen.
//
//	c := client.New("http://127.0.0.1:9465", client.Options{})
//	reply, err := c.Search(ctx, client.SearchRequest{Query: "where are retries scheduled", Project: "web"})
//
// It covers what programs do most; the rest of the API (docs/API.md) is reached with [Client.Call]. An error that the server sent is a
// [*Problem]. A search and a compiled context are answers whatever fails on the way: look at their status and reasons.
package client
