package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/contextd/contextd/internal/compile"
	"github.com/contextd/contextd/internal/profile"
	"github.com/contextd/contextd/internal/prompt"
	"github.com/contextd/contextd/internal/receipt"
)

// sum is what the contexts of one budget hold and take.
type sum struct {
	needs, text, pointer, guess int     // right files, and how they stand
	spans, touched              int     // right files whose lines are known, and those of which a text shows one
	lines                       float64 // sum of the shares of their lines that texts show
	// contexts of tasks with needs; tokens of their code, in all and the most of one
	tasks, tokens, most int
	absent, waste       int // contexts of tasks without, and tokens of their code
}

func (s *sum) add(t *task, reply *prompt.Reply, r *receipt.Receipt, shown map[string][2]int) {
	code := 0
	for _, x := range reply.Sections {
		if x.Name == compile.SectionCode {
			code = x.Tokens
		}
	}
	if len(t.Relevant) == 0 {
		s.absent++
		s.waste += code
		return
	}
	s.tasks++
	s.tokens += code
	s.most = max(s.most, code)
	for i := range t.Relevant {
		s.meet(&t.Relevant[i], r, shown)
	}
}

// meet counts how a need is met, in the best way.
func (s *sum) meet(n *need, r *receipt.Receipt, shown map[string][2]int) {
	text, pointer, guess := false, false, false
	seen := map[int]bool{}
	for _, l := range r.Items {
		if !strings.HasPrefix(l.Source, "file:"+n.Path+":") {
			continue
		}
		switch {
		case l.Decision == receipt.Full, l.Decision == receipt.Compressed:
			text = true
			if at, ok := shown[l.Hash]; ok {
				for i := at[0]; i <= at[1]; i++ {
					seen[i] = true
				}
			}
		case l.Decision == receipt.Pointer && l.Reason == "possible":
			guess = true
		case l.Decision == receipt.Pointer:
			pointer = true
		}
	}
	s.needs++
	switch {
	case text:
		s.text++
	case pointer:
		s.pointer++
	case guess:
		s.guess++
	}
	s.meetLines(n.spans(), seen)
}

// meetLines counts how much of the lines that are needed was seen.
func (s *sum) meetLines(spans [][2]int, seen map[int]bool) {
	all, there := 0, 0
	for _, span := range spans {
		for i := span[0]; i <= span[1]; i++ {
			all++
			if seen[i] {
				there++
			}
		}
	}
	if all == 0 {
		return
	}
	s.spans++
	s.lines += float64(there) / float64(all)
	if there > 0 {
		s.touched++
	}
}

// print writes a table for each profile, as Markdown.
func (w *sweep) print(out io.Writer, tasks []task, sums map[string]*sum) error {
	fmt.Fprintf(out, "%d tasks; shares are of right files, tokens are the mean of the code of a context\n", len(tasks))
	for _, p := range w.profiles {
		fmt.Fprintf(out, "\n## %s\n\n", p)
		t := tabwriter.NewWriter(out, 0, 0, 1, ' ', tabwriter.AlignRight)
		fmt.Fprint(t,
			"|results\t| chars\t| bytes\t| text\t| pointer\t| guess\t| any\t| touched\t| lines\t| tokens\t| most\t| absent\t|\n|---:\t|---:\t|---:\t|---:\t|---:\t|---:\t|---:\t|---:\t|---:\t|---:\t|---:\t|---:\t|\n")
		w.each(func(c profile.Caps) {
			s := sums[key(p, c)]
			if s == nil {
				return
			}
			fmt.Fprintf(t, "|%d\t| %d\t| %d\t| %.3f\t| %.3f\t| %.3f\t| %.3f\t| %.3f\t| %.3f\t| %d\t| %d\t| %d\t|\n",
				c.Results, c.Chars, c.Bytes, share(s.text, s.needs), share(s.pointer, s.needs), share(s.guess, s.needs),
				share(s.text+s.pointer+s.guess, s.needs), share(s.touched, s.spans), s.lines/float64(max(s.spans, 1)),
				s.tokens/max(s.tasks, 1), s.most, s.waste/max(s.absent, 1))
		})
		if err := t.Flush(); err != nil {
			return err
		}
	}
	return nil
}

func share(n, of int) float64 { return float64(n) / float64(max(of, 1)) }
