package main

import (
	"testing"

	"github.com/contextd/contextd/internal/cli/clitest"
)

func TestMain(m *testing.M) { clitest.Main(m, "indexer", command) }

// TestScripts runs each promise of the command line in testdata/script.
func TestScripts(t *testing.T) {
	t.Parallel()
	clitest.Run(t)
}
