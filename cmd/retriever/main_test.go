package main

import (
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/contextd/contextd/internal/cli/clitest"
)

func TestMain(m *testing.M) { testscript.Main(m, map[string]func(){"retriever": main}) }

// TestScripts runs each promise of the command line in testdata/script.
func TestScripts(t *testing.T) {
	t.Parallel()
	clitest.Run(t)
}
