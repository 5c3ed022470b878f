package analyze

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/lexical"
	"github.com/contextd/contextd/internal/notebook"
)

const notebookSource = `{
 "cells": [
  {
   "cell_type": "markdown",
   "source": [
    "## Loading orders\n",
    "Reads a day."
   ]
  },
  {
   "cell_type": "code",
   "outputs": [{"text": ["def printed(): pass"]}],
   "source": [
    "def load_day(day):\n",
    "    # opens the ledger\n",
    "    return day\n"
   ]
  },
  {"cell_type": "code", "outputs": [], "source": "a = 1\n\ndef close_day(day):\n    return day\n"}
 ],
 "metadata": {"kernelspec": {"language": "python"}}
}
`

func script(t *testing.T, text string) string {
	t.Helper()
	s, ok := notebook.Script(text)
	if !ok {
		t.Fatal("no notebook")
	}
	return s
}

func TestDefinitionsOfANotebookStandOnTheLinesOfTheFile(t *testing.T) {
	t.Parallel()
	f := File("x/orders.ipynb", script(t, notebookSource))
	if f.Language != "python" || f.Lines != strings.Count(notebookSource, "\n") {
		t.Fatalf("%q, %d lines", f.Language, f.Lines)
	}
	var got []string
	for i := range f.Chunks {
		c := &f.Chunks[i]
		for _, s := range c.Symbols {
			got = append(got, fmt.Sprintf("%s %s %d-%d", s.Kind, s.Name, s.Line, s.End))
		}
	}
	want := []string{"section cell 1 3-9", "section Loading orders 6-6", "section cell 2 10-18", "func load_day 14-16",
		"section cell 3 19-22", "value a 19-19", "func close_day 19-19"}
	if !slices.Equal(got, want) {
		t.Errorf("symbols %q, want %q", got, want)
	}
	c := &f.Chunks[0]
	if !slices.Contains(c.Names, lexical.Name("closeday")) || !slices.Contains(c.Names, lexical.Name("loadday")) {
		t.Errorf("names %v", c.Names)
	}
	if tf(c, "ledger")[code.Comment] != 1 || tf(c, "dai")[code.Comment] == 0 ||
		tf(c, "print") != [code.NumFields]uint16{} || tf(c, "cell")[code.Defs] != 0 {
		t.Errorf("ledger %v, day %v, printed %v, cell %v", tf(c, "ledger"), tf(c, "dai"), tf(c, "print"), tf(c, "cell"))
	}
}

// A notebook of one line cannot make an index of any size.
func TestALineOfManyCellsHasBoundedSymbols(t *testing.T) {
	t.Parallel()
	for _, n := range []int{2000, 8000} {
		text := `{"cells":[` + strings.TrimSuffix(strings.Repeat(`{"cell_type":"code","source":"def f():\n  pass\n"},`,
			n), ",") + `]}`
		symbols := 0
		for _, c := range File("a.ipynb", script(t, text)).Chunks {
			symbols += len(c.Symbols)
		}
		if symbols > 2*maxLineSymbols+1 {
			t.Errorf("%d symbols of %d cells", symbols, n)
		}
	}
}
