// Package obs holds what all parts share to be observed: the metric registry and the keys of log attributes.
//
// A metric is declared at the head of the file that moves it, with [Metric]. Loggers are handed in,
// never global; their attribute keys come from here so that a log can be searched by them.
package obs

// Keys of log attributes.
const (
	KeyProject = "project"
	KeyRoot    = "root"
	KeyPath    = "path"
	KeyReason  = "reason"
	KeyError   = "error"
	KeyTook    = "took"
	KeyCount   = "count"
)
