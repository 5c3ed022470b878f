package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/contextd/contextd/internal/app"
	"github.com/contextd/contextd/internal/cli"
	"github.com/contextd/contextd/internal/history"
	"github.com/contextd/contextd/internal/memory"
	"github.com/contextd/contextd/internal/store"
)

func historyCommand() *cobra.Command {
	return cli.Group(&cobra.Command{Use: "history", Short: "completed tasks and blockers of a project"},
		historyListCommand(), historyCompleteCommand(), historyBlockCommand(), historyUnblockCommand(),
		historyToggleCommand(), historyImportCommand())
}

// historyFlags are the flags of commands about a project's history.
type historyFlags struct{ projectFlags }

func (m *historyFlags) with(
	work func(cmd *cobra.Command, args []string, s *app.App, h *history.History, project string) error,
) func(*cobra.Command, []string) error {
	return m.projectFlags.with(func(cmd *cobra.Command, args []string, s *app.App) error {
		project, err := m.id(cmd.Context(), s, true)
		if err != nil {
			return err
		}
		h, err := s.History()
		if err != nil {
			return err
		}
		return work(cmd, args, s, h, project)
	})
}

func historyListCommand() *cobra.Command {
	var m historyFlags
	var limit int
	var kind string
	cmd := &cobra.Command{Use: "list", Short: "list the last completed tasks and all blockers",
		Args: cli.Args("", 0, 0),
		Long: "list prints them as prompts show them. Exit status: 0, or 1 where there is nothing."}
	m.flags(cmd)
	cmd.Flags().IntVar(&limit, "limit", history.DefaultWindow, "how many tasks at most")
	cmd.Flags().StringVar(&kind, "type", "", "only tasks of this type")
	cmd.RunE = m.with(func(cmd *cobra.Command, _ []string, _ *app.App, h *history.History, project string) error {
		if err := atLeast("limit", limit, 1); err != nil {
			return err
		}
		state, err := h.Load(cmd.Context(), project)
		if err != nil {
			return err
		}
		state = state.OfType(kind).Window(limit)
		tasks := append([]history.Task{}, state.Tasks...)
		slices.Reverse(tasks)
		doc := map[string]any{"project": project, "tasks": tasks,
			"blockers": append([]history.Blocker{}, state.Blockers...)}
		if len(state.Tasks)+len(state.Blockers) == 0 {
			return cli.Answer(cmd, m.json, doc, false, cli.Line("no task is recorded"))
		}
		return cli.Answer(cmd, m.json, doc, true, func(w io.Writer) { fmt.Fprint(w, state.Render()) })
	})
	return cmd
}

func historyCompleteCommand() *cobra.Command {
	var m historyFlags
	var t history.Task
	var failed bool
	var report, agent, next string
	cmd := &cobra.Command{Use: "complete TASK", Short: "record a completed task", Args: cli.Args("TASK", 1, 1),
		Long: `complete records the task with the id TASK. Its blocker ends. With --agent the memory of that agent is re-tiered.`}
	m.flags(cmd)
	fl := cmd.Flags()
	fl.StringVar(&t.Intent, "intent", "", "what was to be done")
	fl.StringVar(&t.Summary, "summary", "", "what was done (default: made from the rest)")
	fl.StringVar(&t.Type, "type", "", "what kind of task it was")
	fl.BoolVar(&failed, "failed", false,
		"it did not succeed (default: what --report says; without a verdict there, it succeeded)")
	fl.BoolVar(&t.RequiresContext, "requires-context", false, "show intent and summary")
	fl.StringArrayVar(&t.ChangedFiles, "changed", nil, "a file that it changed; may be repeated")
	fl.StringVar(&report, "report", "", "a file with what checks said, in JSON")
	fl.StringVar(&agent, "agent", "", "the agent that did it")
	fl.StringVar(&next, "next", "", "the task that the agent goes on with")
	cmd.RunE = m.with(func(cmd *cobra.Command, args []string, s *app.App, h *history.History, project string) error {
		t.ID = args[0]
		if !cmd.Flags().Changed("requires-context") {
			t.RequiresContext, _ = s.Policy.For(project, t.Type)
		}
		if report != "" {
			data, err := readFile(report, history.MaxTask)
			if err != nil {
				return err
			}
			if t.ValidationReport = data; !json.Valid(data) {
				return fmt.Errorf("report %q: want JSON", report)
			}
		}
		t.Success = new(!failed && history.OutcomeOf(t.ValidationReport) != history.Failed)
		by := memory.Who{Agent: agent, Project: project}
		if agent != "" { // before anything is recorded
			if err := by.Check(next); err != nil {
				return err
			}
		}
		done, err := h.Complete(cmd.Context(), project, t)
		if err != nil {
			return err
		}
		if agent != "" {
			mem, err := s.Memory()
			if err != nil {
				return err
			}
			if _, err := mem.Retier(cmd.Context(), by, next); err != nil {
				return fmt.Errorf("the task is recorded, but the memory of agent %q is not re-tiered: %w", agent, err)
			}
		}
		return cli.Answer(cmd, m.json, map[string]any{"task": done}, true, cli.Line("%s", done.Line()))
	})
	return cmd
}

func historyBlockCommand() *cobra.Command {
	var m historyFlags
	cmd := &cobra.Command{Use: "block TASK REASON", Short: "say that a task cannot go on",
		Args: cli.Args("TASK REASON", 2, 2)}
	m.flags(cmd)
	cmd.RunE = m.with(func(cmd *cobra.Command, args []string, _ *app.App, h *history.History, project string) error {
		b, err := h.Block(cmd.Context(), project, history.Blocker{ID: args[0], Reason: args[1]})
		if err != nil {
			return err
		}
		return cli.Answer(cmd, m.json, map[string]any{"blocker": b}, true, cli.Line("%s", b.Line()))
	})
	return cmd
}

func historyUnblockCommand() *cobra.Command {
	var m historyFlags
	cmd := &cobra.Command{Use: "unblock TASK", Short: "say that a task can go on", Args: cli.Args("TASK", 1, 1)}
	m.flags(cmd)
	cmd.RunE = m.with(func(cmd *cobra.Command, args []string, _ *app.App, h *history.History, project string) error {
		err := h.Unblock(cmd.Context(), project, args[0])
		switch {
		case errors.Is(err, store.ErrNotFound):
			return cli.Answer(cmd, m.json, map[string]int{"unblocked": 0}, false,
				cli.Line("task %q is not blocked", args[0]))
		case err != nil:
			return err
		}
		return cli.Answer(cmd, m.json, map[string]int{"unblocked": 1}, true, cli.Line("task %q can go on", args[0]))
	})
	return cmd
}

func historyToggleCommand() *cobra.Command {
	var m historyFlags
	cmd := &cobra.Command{Use: "toggle TASK on|off", Short: "show, or hide, intent and summary of a completed task",
		Args: cli.Args("TASK on|off", 2, 2)}
	m.flags(cmd)
	cmd.RunE = m.with(func(cmd *cobra.Command, args []string, _ *app.App, h *history.History, project string) error {
		if args[1] != "on" && args[1] != "off" {
			return fmt.Errorf("toggle: want on or off (got %q)", args[1])
		}
		t, err := h.SetRequiresContext(cmd.Context(), project, args[0], args[1] == "on")
		switch {
		case errors.Is(err, store.ErrNotFound):
			return cli.Answer(cmd, m.json, map[string]any{"task": nil}, false,
				cli.Line("no task %q is recorded", args[0]))
		case err != nil:
			return err
		}
		return cli.Answer(cmd, m.json, map[string]any{"task": t}, true, cli.Line("%s", t.Line()))
	})
	return cmd
}
