//go:build race

// Package race says whether this program was built with the race detector.
package race

// Enabled reports whether the race detector is on.
const Enabled = true
