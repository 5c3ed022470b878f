//go:build !race

package e2etest

// Race reports whether this process runs under the race detector.
const Race = false
