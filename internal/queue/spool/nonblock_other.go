//go:build !unix

package spool

// openNonblock is a flag that this system has no need of.
const openNonblock = 0
