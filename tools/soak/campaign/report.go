package campaign

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Report is the state as Markdown.
func (s *State) Report() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Seed %d, %d slices, %.0f s: %d faults, %d findings.\n\n", s.Seed, s.Slices, s.Seconds, s.Faults(),
		len(s.Findings))
	backings := slices.Sorted(maps.Keys(s.Counts))
	head := func(title string) {
		fmt.Fprintf(&b, "| %s | %s |\n|---|%s\n", title, strings.Join(backings, " | "),
			strings.Repeat("---:|", len(backings)))
	}
	row := func(title string, of func(Counts) any) {
		cells := []string{title}
		for _, name := range backings {
			cells = append(cells, fmt.Sprint(of(s.Counts[name])))
		}
		fmt.Fprintf(&b, "| %s |\n", strings.Join(cells, " | "))
	}
	head("fault")
	for _, name := range Faults() {
		row(name, func(c Counts) any { return c.Steps[name] })
	}
	row("all", func(c Counts) any { return c.Faults() })
	b.WriteString("\n")
	head("checked")
	row("answers", func(c Counts) any { return c.Answers })
	row("degraded ones among them", func(c Counts) any { return c.Degraded })
	row("results in them", func(c Counts) any { return c.Results })
	row("changes confirmed", func(c Counts) any { return c.Changes })
	row("changes found at rest", func(c Counts) any { return c.Found })
	row("memories confirmed", func(c Counts) any { return c.Saved })
	row("memories flushed with Redis", func(c Counts) any { return c.Flushed })
	row("memories there at the end", func(c Counts) any { return c.Kept })
	row("answers timed", func(c Counts) any { return c.Timed })
	row("over the deadline by more than 50 ms", func(c Counts) any { return c.Over })
	row("of these beyond the noise", func(c Counts) any { return c.Beyond })
	row("greatest excess in ms", func(c Counts) any { return fmt.Sprintf("%.0f", c.Worst) })
	row("times at rest", func(c Counts) any { return c.Settled })
	row("times equal to a fresh index", func(c Counts) any { return c.Compared })
	s.reportNoise(&b)
	for _, name := range slices.Sorted(maps.Keys(s.Skipped)) {
		fmt.Fprintf(&b, "\nNot done: %s (%s).\n", name, s.Skipped[name])
	}
	s.reportFindings(&b)
	return b.String()
}

func (s *State) reportNoise(b *strings.Builder) {
	var p50, p99, worst float64
	n := 0
	for _, l := range s.Noise {
		n += l.Samples
		p50, p99, worst = max(p50, l.P50), max(p99, l.P99), max(worst, l.Worst)
	}
	fmt.Fprintf(b,
		"\nNoise of children that do nothing: %d samples, p50 %.0f ms, p99 %.0f ms (both of the noisiest slice), at most %.0f ms.\n", n, p50, p99, worst)
}

func (s *State) reportFindings(b *strings.Builder) {
	if len(s.Findings) == 0 {
		return
	}
	b.WriteString("\n| finding | place | seed | step | what |\n|---|---|---:|---:|---|\n")
	for _, f := range s.Findings {
		fmt.Fprintf(b, "| %s | %s | %d | %d | %s |\n", f.Kind, f.Place, f.Seed, f.Step, cell(f.Text))
	}
}

// cell is a text that keeps to its cell of a table.
func cell(text string) string {
	text = strings.ReplaceAll(strings.Join(strings.Fields(text), " "), "|", `\|`)
	if r := []rune(text); len(r) > 300 {
		text = string(r[:300]) + "…"
	}
	return text
}
