package notebook

import (
	"strings"
	"testing"
	"unicode/utf8"
)

const sample = `{
 "cells": [
  {
   "cell_type": "markdown",
   "metadata": {},
   "source": [
    "# Orders of a day\n",
    "Those that were \"paid\"."
   ]
  },
  {
   "cell_type": "code",
   "execution_count": 3,
   "metadata": {"tags": ["source"]},
   "outputs": [
    {
     "data": {"image/png": "iVBORw0KGgo", "text/plain": ["secret output\n"]},
     "source": ["def no(): pass"]
    }
   ],
   "source": [
    "def load(day):\r\n",
    "    return f\"{day}\\n\"\n",
    "\n",
    "größe = 1\u0000"
   ]
  },
  {"cell_type": "code", "metadata": {}, "outputs": [], "source": "a = 1\nb = 2\n"}
 ],
 "metadata": {
  "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}
 },
 "nbformat": 4,
 "nbformat_minor": 5
}
`

func TestAScriptHasTheCellsOnTheirLines(t *testing.T) {
	t.Parallel()
	script, ok := Script(sample)
	if !ok || Language(script) != "python" {
		t.Fatalf("%v, %q", ok, Language(script))
	}
	lines := strings.Split(script, "\n")
	want := map[int]string{1: "# %% notebook python", 3: "# %% cell 1 [markdown]", 7: "# # Orders of a day",
		8:  `# Those that were "paid".`,
		11: "# %% cell 2 [code]", 22: "def load(day):", 23: `    return f"{day}\n"`, 25: "größe = 1 ",
		28: "# %% cell 3 [code]↵a = 1↵b = 2"}
	if a, b := len(lines), len(strings.Split(sample, "\n")); a != b {
		t.Fatalf("%d lines of %d", a, b)
	}
	for i, line := range lines {
		if line != want[i+1] {
			t.Errorf("line %d: %q, want %q", i+1, line, want[i+1])
		}
	}
	for line, number := range map[string]int{lines[2]: 1, lines[10]: 2, lines[6]: 0, "x # %% cell 1 [code]": 0} {
		if n, code, ok := CellMark(line); ok != (number > 0) || n != number && ok || code != (number == 2) {
			t.Errorf("mark %q: %d, %v, %v", line, n, code, ok)
		}
	}
}

func TestNotebooksOfOtherKernelsAndFormats(t *testing.T) {
	t.Parallel()
	cells := `"cells":[{"cell_type":"code","source":["x\n"]}]`
	for text, want := range map[string]string{
		`{` + cells +
			`,"metadata":{"kernelspec":{"name":"ir","language":"R"}}}`: "# %% notebook r↵# %% cell 1 [code]↵x",
		`{` + cells +
			`,"metadata":{"language_info":{"name":"C++17"}}}`: "// %% notebook cpp↵// %% cell 1 [code]↵x",
		`{` + cells +
			`,"metadata":{"kernelspec":{"name":".net-csharp","language":"C#"}}}`: "// %% notebook csharp↵// %% cell 1 [code]↵x",
		`{` + cells + `,"metadata":{"kernelspec":{"name":"scala"}}}`: "// %% notebook scala↵// %% cell 1 [code]↵x",
		`{` + cells + `}`: "# %% notebook python↵# %% cell 1 [code]↵x",
		`{"worksheets":[{"cells":[{"cell_type":"code","language":"julia","input":["x\n"]}]}],"metadata":{"name":""}}`: "# %% notebook julia↵# %% cell 1 [code]↵x",
		`{"cells":[]}`: "# %% notebook python",
	} {
		if got, ok := Script(text); !ok || got != want {
			t.Errorf("%s: %q, %v, want %q", text, got, ok, want)
		}
	}
}

func TestWhatIsNoNotebookIsNone(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "x", "[]", "{}", `{"cells":{}}`, `{"cells":[`, `{"a":{"cells":[{"source":"x"}]}}`,
		strings.Repeat("[", 1000), `{"cells":[` + strings.Repeat("[", 1_000_000),
		strings.Repeat(`{"cells":`, 1000), `"cells"`, "version https://git-lfs.github.com/spec/v1\n"} {
		if script, ok := Script(text); ok {
			t.Errorf("%.40q is %.40q", text, script)
		}
	}
}

func FuzzScript(f *testing.F) {
	f.Add(sample)
	f.Add(`{"cells":[{"cell_type":"code","source":["x\n",1,{"source":"y"}]},3,[{"source":"z"}]]}`)
	f.Fuzz(func(t *testing.T, text string) {
		script, ok := Script(text)
		if !ok {
			return
		}
		if a, b := strings.Count(script, "\n"), strings.Count(text, "\n"); a != b || !utf8.ValidString(script) ||
			Language(script) == "" {
			t.Fatalf("%d lines of %d: %q", a, b, script)
		}
		if len(script) > 16*len(text)+40 {
			t.Fatalf("%d bytes became %d", len(text), len(script))
		}
	})
}
