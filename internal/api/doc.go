// Package api serves contextd over HTTP: JSON under /v1, the agent-context endpoints under /api, events over WebSocket,
// and the OpenAPI document that describes them all.
//
// It holds no knowledge of its own. A handler reads a request strictly, calls the package whose work it is, and writes
// what that returns; what goes wrong becomes a problem (RFC 9457) by one table. Every request passes the same gates in
// this order:
//
//	observe   request id, access log, metrics; a panic becomes a problem and costs one request
//	host      on a loopback address only the machine's own names (DNS rebinding)
//	origin    a page in a browser may only talk to the server that it came from
//	token     bearer, compared in constant time; wanted on any address but loopback, and wherever one is set
//	route     404 and 405 as problems
//	body      its size, its type, UTF-8, unknown fields by name
//
// The dashboard (package web) is mounted at / behind the same gates, but for the token: its files hold no data.
//
// docs/API.md and openapi.yaml are its description; a test holds the latter against the routes and against real
// replies.
package api
