package rank

import "github.com/contextd/contextd/internal/code"

// IsTest reports whether a file is a test, or data or help of tests, by the usual names of folders and files in its language.
func IsTest(p code.Path) bool { return isTest(partsOf(p)) }
