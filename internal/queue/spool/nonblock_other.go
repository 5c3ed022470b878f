//go:build !unix

package spool

// openNonblock is no flag: this system does not need it.
const openNonblock = 0
