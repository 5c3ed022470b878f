package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/contextd/contextd/internal/app"
	"github.com/contextd/contextd/internal/cli"
	"github.com/contextd/contextd/internal/prompt"
	"github.com/contextd/contextd/internal/retrieve"
	"github.com/contextd/contextd/internal/safetext"
	"github.com/contextd/contextd/internal/tokens"
)

// contextFlags are the flags of context, as given.
type contextFlags struct {
	projectFlags
	req                    prompt.Request
	taskFile, conversation string
	profileFile            string
	injectAt, minRelevance float64
	deadline               time.Duration
	noIndex                bool
}

func contextCommand() *cobra.Command {
	var f contextFlags
	cmd := &cobra.Command{Use: "context", Short: "compile the context of one call of an agent",
		Args: cli.Args("", 0, 0),
		Long: `context compiles a task, a question or a conversation into the messages of a prompt, as POST /v1/context does, on the same
store and without a server. The task file holds the object "task" of docs/API.md, "-" is standard input. What stood in the
context is told by "retriever explain". Exit status: 0, or 2 on an error.`}
	f.flags(cmd)
	fl := cmd.Flags()
	fl.StringVar(&f.req.AgentKind, "agent", "",
		"the kind of agent: knight, squire, royalty, peasant, architect, developer, reviewer … (default default)")
	fl.StringVar(&f.req.Agent, "agent-id", "", "whose memory and live window it is (default: the kind)")
	fl.StringVar(&f.taskFile, "task-file", "", "a file with the task, in JSON")
	fl.StringVar(&f.req.Query, "query", "", "what to search for (default: what the task says)")
	fl.StringVar(&f.conversation, "conversation-file", "",
		`a file with the agent's live window, in JSON: [{"role": …, "content": …}]`)
	fl.StringVar(&f.req.Profile.Name, "profile", "", "the profile (default: that of the kind)")
	fl.StringVar(&f.profileFile, "profile-file", "",
		"a file with a whole profile, in JSON as profiles show --json prints it, in place of --profile")
	fl.StringVar(&f.req.Frame, "frame", "",
		"conversation, question, task, decision, creative or debug (default: what the text says)")
	fl.IntVar(&f.req.BudgetTokens, "budget", 0, "tokens of the whole context; 0: that of the frame")
	fl.StringVar(&f.req.Encoding, "encoding", "", "of the tokens (default o200k_base)")
	fl.Float64Var(&f.injectAt, "inject-at", 0,
		"relevance from which code stands with its text, and below which none does (default: that of the profile)")
	fl.Float64Var(&f.minRelevance, "min-relevance", 0,
		"relevance below which code does not stand at all (default: that of the profile, and up to three guesses below it)")
	fl.DurationVar(&f.deadline, "deadline", 200*time.Millisecond, "how long finding may take")
	fl.Int64Var(&f.req.MinGeneration, "min-generation", 0, generationHelp)
	fl.StringVar(&f.req.Stale, "stale", "verify",
		"verify: check each piece of code against the disk; skip: show none where anything is stale")
	fl.BoolVar(&f.noIndex, "no-index", false, "never index, only read")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return f.run(cmd) }
	return cmd
}

func (f *contextFlags) run(cmd *cobra.Command) error {
	if err := f.read(cmd); err != nil {
		return err
	}
	if counter, err := tokens.For(f.req.Encoding); err == nil {
		go counter.Load() // while the code is looked up
	}
	cfg, log, err := cli.Load(cmd)
	if err != nil {
		return err
	}
	profiles, err := readProfiles(cfg.Profiles)
	if err != nil {
		return err
	}
	s, err := openApp(cfg, log, f.deadline, false, func(o *app.Options) {
		if o.Profiles = profiles; cfg.LogLevel == slog.LevelInfo {
			o.Log = slog.New(warningsOnly{log.Handler()}) // what a server logs of each context is the answer here
		}
	})
	if err != nil {
		return err
	}
	defer closeApp(s, log)
	var also []retrieve.Reason
	if !f.noIndex {
		bar := cli.NewBar(cmd.ErrOrStderr(), "indexing")
		also, err = s.Answers.Prepare(cmd.Context(), where(f.project, f.root), f.deadline, bar.Set)
		bar.Clear()
		if err != nil {
			return err
		}
	}
	reply, err := s.Prompts().Build(cmd.Context(), f.req)
	if err != nil {
		return err
	}
	if slices.Contains(also, retrieve.IndexBuilding) { // what is being made is not missing
		reply.Reasons = slices.DeleteFunc(reply.Reasons, func(r string) bool {
			return r == string(retrieve.IndexMissing)
		})
	}
	for _, r := range also {
		if !slices.Contains(reply.Reasons, string(r)) {
			reply.Reasons = append(reply.Reasons, string(r))
		}
		if r != retrieve.StateRebuilt && (r != retrieve.ChangesWaiting || reply.Status == prompt.Empty) {
			reply.Status = prompt.Degraded
		}
	}
	err = cli.Answer(cmd, f.json, reply, true, func(w io.Writer) { printContext(w, reply) })
	if err == nil {
		cli.Flush(cmd)
		if t, _, failed := s.Access.Resolve(cmd.Context(), where(f.project, f.root), f.deadline); failed == nil &&
			!f.json {
			hintAtLargerRoot(cmd.ErrOrStderr(), t.Root, t.Larger)
		}
		s.Fresh.Afterwards(cmd.Context())
	}
	return err
}

// warningsOnly passes on what is a warning at least.
type warningsOnly struct{ slog.Handler }

// Enabled implements slog.Handler.
func (w warningsOnly) Enabled(ctx context.Context, l slog.Level) bool {
	return l >= slog.LevelWarn && w.Handler.Enabled(ctx, l)
}

// printContext writes a context for people: its messages, then what it took.
func printContext(w io.Writer, r *prompt.Reply) {
	printMessages(w, r.Messages)
	state := string(r.Status)
	if len(r.Reasons) > 0 {
		state += " (" + strings.Join(r.Reasons, ", ") + ")"
	}
	why := "; retriever explain " + r.ID
	if slices.Contains(r.Reasons, prompt.ReceiptNotStored) {
		why = ""
	}
	fmt.Fprintf(w, "%s: %s, %d of %d tokens%s\n", r.ID, state, r.Tokens, r.BudgetTokens, why)
}

// printMessages writes the messages of a prompt for people.
func printMessages(w io.Writer, messages []prompt.Message) {
	for _, m := range messages {
		fmt.Fprintf(w, "=== %s ===\n%s\n\n", safetext.Line(m.Role), strings.TrimRight(safetext.Text(m.Content), "\n"))
	}
}

// assembler runs a command on what was compiled before.
func (m *projectFlags) assembler(
	work func(cmd *cobra.Command, args []string, s *app.App, a *prompt.Assembler) error,
) func(*cobra.Command, []string) error {
	return m.with(func(cmd *cobra.Command, args []string, s *app.App) error {
		a := s.Prompts()
		if a.Store == nil {
			return errors.New("what is remembered cannot be opened: the log tells why")
		}
		return work(cmd, args, s, a)
	})
}
