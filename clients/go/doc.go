// Package client talks to "retriever serve" from Go programs: supervisors that want a context for a prompt, and tools
// that search, remember or listen.
//
//	c := client.New("http://127.0.0.1:9465", client.Options{})
//	reply, err := c.Search(ctx, client.SearchRequest{Query: "where are retries scheduled", Project: "web"})
//
// Each operation of the API (docs/API.md) has a method, but for the metrics and the description itself; [Client.Call]
// reaches parameters that are rarely wanted. An error that the server sent is a [*Problem]. A search and a compiled
// context are answers whatever fails on the way: look at their status and reasons.
package client
