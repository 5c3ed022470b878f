package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/contextd/contextd/internal/app"
	"github.com/contextd/contextd/internal/cli"
	"github.com/contextd/contextd/internal/memory"
	"github.com/contextd/contextd/internal/servers"
	"github.com/contextd/contextd/internal/tokens"
)

func memoryCommand() *cobra.Command {
	return cli.Group(&cobra.Command{Use: "memory", Short: "list, save and forget what agents remember"},
		memoryListCommand(), memorySaveCommand(), memoryRecallCommand(), memoryForgetCommand(), memoryStatsCommand(),
		memoryFlashCommand(), memoryRestoreCommand(), memoryCheckpointsCommand())
}

// agentFlags are the flags of commands about an agent's memory.
type agentFlags struct {
	projectFlags
	agent string
}

func (m *agentFlags) flags(cmd *cobra.Command) {
	m.projectFlags.flags(cmd)
	cmd.Flags().StringVar(&m.agent, "agent", "", "the agent's id (wanted)")
}

// wantAgent is an error where no agent is named.
func (m *agentFlags) wantAgent() error {
	if m.agent == "" {
		return cli.Hint(errors.New("flag --agent: want the id of an agent"), "for example: --agent knight-1")
	}
	return nil
}

// with runs work on the memory of the agent.
func (m *agentFlags) with(
	work func(cmd *cobra.Command, args []string, mem *memory.Memory, who memory.Who) error,
) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		if err := m.wantAgent(); err != nil {
			return err
		}
		return m.projectFlags.with(func(cmd *cobra.Command, args []string, s *app.App) error {
			project, err := m.id(cmd.Context(), s, false)
			if err != nil {
				return err
			}
			mem, err := s.Memory()
			if err != nil {
				return err
			}
			return work(cmd, args, mem, memory.Who{Agent: m.agent, Project: project})
		})(cmd, args)
	}
}

func memoryListCommand() *cobra.Command {
	var m agentFlags
	var f memory.Filter
	var tiers, scopes []string
	cmd := &cobra.Command{Use: "list", Short: "list what an agent remembers, the most important first",
		Args: cli.Args("", 0, 0),
		Long: `list prints what the agent may see: its own, that of its project, and that of all. Exit status: 0 with items, 1 with none. Where
one of several servers does not answer, what the others hold is listed, and the last line (servers with --json) says so.`}
	m.flags(cmd)
	fl := cmd.Flags()
	fl.StringArrayVar(&tiers, "tier", nil, "only this tier: HOT, WARM or COLD (with what is put away); may be repeated")
	fl.StringArrayVar(&f.Kinds, "kind", nil, "only this kind, such as decision or fact; may be repeated")
	fl.StringArrayVar(&scopes, "scope", nil, "only this scope: task, project or global; may be repeated")
	fl.StringArrayVar(&f.Tags, "tag", nil, "only items with this tag; may be repeated")
	fl.StringVar(&f.Text, "text", "", "only items whose text holds this, in any case")
	fl.StringVar(&f.TaskID, "task", "", "only items written for this task")
	fl.IntVar(&f.Limit, "limit", 0, "how many at most; 0: all")
	cmd.RunE = m.with(func(cmd *cobra.Command, _ []string, mem *memory.Memory, who memory.Who) error {
		for _, name := range tiers {
			t, err := memory.ParseTier(name)
			if err != nil {
				return err
			}
			f.Tiers = append(f.Tiers, t)
		}
		for _, name := range scopes {
			s, err := memory.ParseScope(name)
			if err != nil {
				return err
			}
			f.Scopes = append(f.Scopes, s)
		}
		items, err := mem.List(cmd.Context(), who, f)
		if !servers.Enough(err, len(items)) {
			return err
		}
		doc := struct {
			Items   []memory.Item   `json:"items"`
			Servers []servers.State `json:"servers,omitempty"`
		}{append([]memory.Item{}, items...), servers.Missing(err)}
		return cli.Answer(cmd, m.json, doc, len(items) > 0, func(w io.Writer) {
			printItems(w, items)
			printMissing(w, doc.Servers)
		})
	})
	return cmd
}

// printMissing says which of several servers did not answer.
func printMissing(w io.Writer, all []servers.State) {
	for _, s := range all {
		if s.Error != "" {
			fmt.Fprintf(w, "server %s did not answer, what it holds is missing: %s\n", s.Name, s.Error)
		}
	}
}

// maxShown is how much of an item's text a line shows, in characters.
const maxShown = 80

func printItems(w io.Writer, items []memory.Item) {
	if len(items) == 0 {
		fmt.Fprintln(w, "nothing is remembered")
		return
	}
	t := cli.NewTable([]string{"ID", "TIER", "IMPORTANCE", "KIND", "SCOPE", "AGE", "TEXT"}, 2)
	for _, it := range items {
		line := []rune(strings.Join(strings.Fields(it.Content), " "))
		if len(line) > maxShown {
			line = append(line[:maxShown-1], '…')
		}
		state := string(it.Tier)
		switch {
		case it.Archived:
			state += ", put away"
		case it.Verify:
			state += ", verify"
		}
		t.Row(it.ID, state, fmt.Sprintf("%.2f", it.Importance), it.Kind, it.Scope,
			cli.Age(max(0, time.Since(it.CreatedAt))), string(line))
	}
	t.Print(w)
}

func memoryForgetCommand() *cobra.Command {
	var m agentFlags
	cmd := &cobra.Command{Use: "forget ID ...", Short: "forget items for good", Args: cli.Args("ID ...", 1, -1),
		Long: "forget removes items. Exit status: 0, or 1 where some are unknown; the others are forgotten all the same."}
	m.flags(cmd)
	cmd.RunE = m.with(func(cmd *cobra.Command, args []string, mem *memory.Memory, who memory.Who) error {
		slices.Sort(args)
		args = slices.Compact(args)
		n, err := mem.Forget(cmd.Context(), who, args...)
		if err != nil && !errors.Is(err, memory.ErrNotFound) {
			return err
		}
		return cli.AnswerCount(cmd, m.json, "forgotten", n, len(args))
	})
	return cmd
}

func memoryStatsCommand() *cobra.Command {
	var m agentFlags
	var encoding string
	cmd := &cobra.Command{Use: "stats", Short: "count what an agent remembers, and its tokens",
		Args: cli.Args("", 0, 0)}
	m.flags(cmd)
	cmd.Flags().StringVar(&encoding, "encoding", tokens.Default,
		"of the tokens: "+strings.Join(tokens.Encodings(), " or "))
	cmd.RunE = m.with(func(cmd *cobra.Command, _ []string, mem *memory.Memory, who memory.Who) error {
		counter, err := tokens.For(encoding)
		if err != nil {
			return err
		}
		st, err := mem.Stats(cmd.Context(), who, counter.Count)
		if !servers.Enough(err, st.Total) {
			return err
		}
		t := cli.NewTable([]string{"TIER", "ITEMS", "TOKENS"}, 1, 2)
		for _, tier := range memory.Tiers() {
			t.Row(tier, st.Tiers[tier].Items, st.Tiers[tier].Tokens)
		}
		t.Row("all", st.Total, st.Tokens)
		return cli.Answer(cmd, m.json, st, true, func(w io.Writer) {
			t.Print(w)
			printMissing(w, st.Servers)
		})
	})
	return cmd
}
