package render

import (
	"strings"
	"testing"
)

// samples are pieces of code; a peak is the line that holds the word "peak".
var samples = map[string]struct {
	limits Limits
	code   string
	want   string // the first line of the snippet
}{
	"a Go literal is not begun in its middle": {Limits{120, 500, 0}, `
func quays() []Quay {
	log.Print("quays are listed")

	return sorted([]Quay{
		{Name: "north", Depth: 9},
		{Name: "south", Depth: 7},
		{Name: "peak", Depth: 4},
	})
}`, "\treturn sorted([]Quay{"},
	"a Go struct begins with its comment": {Limits{125, 500, 0}, `
// Rate is what a mile costs, in cents.
const Rate = 12

// Berth is a place at the quay,
// where a peak ship may lie.
type Berth struct {
	Name   string // peak, of all
	Length int
}`, "// Berth is a place at the quay,"},
	"no Go statement begins with its second line": {Limits{60, 500, 0}, `
func toll(s Ship) int {
	owed := compute(s.Tons,
		s.Nights, s.Flag)
	owed = min(owed, peak)
	return owed
}`, "\towed = min(owed, peak)"},
	"an argument list is begun with its call": {Limits{60, 500, 0}, `
def moor(ship):
    prepare(ship)
    place = choose(
        ship,
        peak,
        nights=3,
    )
    return place`, "    place = choose("},
	"a Python docstring is not begun in its middle": {Limits{150, 500, 0}, `
import re

@route("/tolls")
@cached
def toll(ship):
    """Compute what a ship owes.

    The peak rate holds in summer.
    """
    return ship.peak * 3`, "@route(\"/tolls\")"},
	"a Python method begins with its decorator": {Limits{90, 500, 0}, `
class Ledger:
    def first(self):
        return self.toll

    # The latest toll.
    @property
    def peak(self):
        return self.tolls[-1]`, "    # The latest toll."},
	"a JavaScript literal is not begun in its middle": {Limits{80, 500, 0}, `
const quays = load();
const tariffs = {
  small: { rate: 3 },
  large: { rate: 9, peak: 2 },
  other: { rate: 1 },
};`, "const tariffs = {"},
	"a function inside of a JavaScript literal is begun": {Limits{70, 500, 0}, `
module.exports = {
  name: 'tide', toll: 5, depth: 4,
  small: { rate: 3 },
  height(rows, peak) {
    return rows[peak];
  },
};`, "  height(rows, peak) {"},
	"a template of several lines is not begun in its middle": {Limits{80, 500, 0}, "\n" +
		"function letter(ship) {\n  check(ship);\n  return `Dear ${ship},\n    the toll is due.\n    The peak is near.`;\n}", "  return `Dear ${ship},"},
	"a C comment belongs to its function": {Limits{115, 500, 0}, `
static int count;

/* Sound the horn, at the
 * peak of the storm. */
int sound(int peak)
{
    return blow(peak);
}`, "/* Sound the horn, at the"},
	"what follows a block does not begin inside of it": {Limits{60, 500, 0}, `
int toll(int tons)
{
    if (tons > 99) {
        log("peak tolls");
        return capped;
    }
    return tons * peak(tons, peak);
}`, "    return tons * peak(tons, peak);"},
	"C's parameters are begun with their function": {Limits{90, 500, 0}, `
int moor(int ship);

static int toll(int tons,
                int nights,
                int peak)
{
    return tons;
}`, "static int toll(int tons,"},
	"an entry of YAML begins with its key": {Limits{60, 500, 0}, `
services:
  web:
    image: harbour
    ports: [80]
  tolls:
    image: peak
    ports: [81]`, "  tolls:"},
	"a text in YAML is not begun in its middle": {Limits{60, 500, 0}, `
steps:
  - name: toll
    run: |
      make tolls
      make peak
  - name: end`, "    run: |"},
	"a Rust attribute belongs to its struct": {Limits{90, 500, 0}, `
use std::fmt;

#[derive(Debug)]
pub struct Rota<'a> {
    names: Vec<&'a str>,
    peak: usize,
}`, "#[derive(Debug)]"},
	"a statement far below its function": {Limits{50, 500, 0}, `
func toll(s Ship) int {
	a := first(s.Tons, s.Nights)
	b := second(s.Tons, s.Nights)
	c := third(s.Tons, peak)
	return a + b + c
}`, "\tc := third(s.Tons, peak)"},
	"as many lines as are wanted": {Limits{900, 900, 2}, `
func toll(s Ship) int {
	a := first(s.Tons)

	c := peak(s.Tons)
	return a + c
}`, "\tc := peak(s.Tons)"},
}

func TestSnippetBeginsWhereAReaderCanBegin(t *testing.T) {
	t.Parallel()
	for name, s := range samples {
		lines := strings.Split(s.code, "\n")
		text, first, _ := Snippet(lines, 1, about("peak"), s.limits)
		shown := strings.Split(text, "\n")
		if shown[0] != s.want || lines[first-1] != s.want {
			t.Errorf("%s: line %d begins\n%s\nwant first %q", name, first, text, s.want)
		}
		if !strings.Contains(text, "peak") || s.limits.Lines > 0 && len(shown) > s.limits.Lines {
			t.Errorf("%s: shown are\n%s", name, text)
		}
	}
}

func TestBracketsThatNeverCloseHealByIndentation(t *testing.T) {
	t.Parallel()
	for _, odd := range []string{
		"call(one, (two", "x = {", "emoji :(", "don't `quote", `say "hello`, "/* never ends", "'''",
	} {
		lines := strings.Split("head\n    "+odd+"\n\nfunc toll() {\n    a()\n    b()\n}", "\n")
		ratings := rate(lines, len(lines)-2)
		if ratings[3] != declaration || ratings[4] != opening || ratings[5] != statement {
			t.Errorf("behind %q: rated %v", odd, ratings)
		}
	}
}
