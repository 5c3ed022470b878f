package main

import (
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/contextd/contextd/internal/cli"
	"github.com/contextd/contextd/internal/memory"
)

// remembered is what "memory save --json" prints.
type remembered struct {
	ID         string      `json:"id"`
	Kind       memory.Kind `json:"kind"`
	Importance float64     `json:"importance"`
	Tier       memory.Tier `json:"tier"`
	Merged     bool        `json:"merged"`
	Redacted   []string    `json:"redacted"`
}

func memorySaveCommand() *cobra.Command {
	var m agentFlags
	var d memory.Draft
	var importance float64
	var cites []string
	cmd := &cobra.Command{Use: "save TEXT", Short: "remember a text", Args: cli.Args("TEXT", 1, 1),
		Long: `save remembers TEXT ("-": standard input). The same text again makes the item stronger. Secrets are replaced. A text that contextd
itself put into the agent's prompt is refused.`}
	m.flags(cmd)
	fl := cmd.Flags()
	fl.StringVar(&d.Kind, "kind", "fact", "what it is: decision, fact, procedure, convention, error, code …")
	fl.StringVar(&d.Scope, "scope", "", "who sees it: task (the agent), project or global (default task)")
	fl.Float64Var(&importance, "importance", 0, "0 to 1, which does not fade (default: by kind and age)")
	fl.StringVar(&d.TaskID, "task", "", "the task it is written for")
	fl.StringArrayVar(&d.Tags, "tag", nil, "a tag; may be repeated")
	fl.StringArrayVar(&cites, "cite", nil,
		"a file that it speaks of, as PATH, PATH:LINE or PATH:FIRST-LAST; may be repeated")
	cmd.RunE = m.with(func(cmd *cobra.Command, args []string, mem *memory.Memory, who memory.Who) (err error) {
		if d.Content, err = text(cmd, args[0]); err != nil {
			return err
		}
		if cmd.Flags().Changed("importance") {
			d.Importance = &importance
		}
		for _, c := range cites {
			d.Citations = append(d.Citations, citation(c))
		}
		saved, err := mem.Save(cmd.Context(), who, d)
		if err != nil {
			return err
		}
		r := remembered{saved.Item.ID, saved.Item.Kind, saved.Item.Importance, saved.Item.Tier, saved.Merged,
			append([]string{}, saved.Redacted...)}
		what := "saved"
		if r.Merged {
			what = "known already, stronger now"
		}
		if len(r.Redacted) > 0 {
			what += "; replaced: " + strings.Join(r.Redacted, ", ")
		}
		return cli.Answer(cmd, m.json, r, true, cli.Line("%s (%s %s): %s", r.ID, r.Tier, r.Kind, what))
	})
	return cmd
}

var lineOf = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(.+):(\d{1,9})(?:-(\d{1,9}))?$`) })

// citation reads PATH, PATH:LINE or PATH:FIRST-LAST.
func citation(text string) memory.Citation {
	m := lineOf().FindStringSubmatch(text)
	if m == nil {
		return memory.Citation{Path: text}
	}
	first, _ := strconv.Atoi(m[2])
	last := first
	if m[3] != "" {
		last, _ = strconv.Atoi(m[3])
	}
	return memory.Citation{Path: m[1], Span: &memory.Span{Start: first, End: last}}
}
