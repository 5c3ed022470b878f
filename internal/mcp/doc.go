// Package mcp is the door for agents: tools of the Model Context Protocol, over standard input and output or over HTTP.
//
// The tools give text alone, no structured content: clients show their model one of the two, and most of them drop the
// text. The first line of an answer names the folder it is about, no answer is empty, and none is over [MaxText] unless
// more results were asked for. What files and notes hold is data: it stands in fences that it cannot close, neutralised
// as package render does it.
//
// A [Server] keeps nothing about its clients: no session, no roots, no sampling. What it asks, an [Engine] answers;
// package mcp/bridge makes one of a session of the store.
package mcp
