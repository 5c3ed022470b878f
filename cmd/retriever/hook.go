package main

import (
	"cmp"
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/contextd/contextd/internal/access"
	"github.com/contextd/contextd/internal/app"
	"github.com/contextd/contextd/internal/cli"
	"github.com/contextd/contextd/internal/config"
	"github.com/contextd/contextd/internal/hook"
	"github.com/contextd/contextd/internal/memory"
	"github.com/contextd/contextd/internal/prompt"
)

// hookName is the command whose failures are nobody's business but the log's.
const hookName = "hook"

// began is about when the process started: what hooks may take counts from here.
var began = time.Now()

func hookCommand() *cobra.Command {
	return &cobra.Command{Use: hookName + " claude-code|codex", Short: "answer a hook of a coding agent",
		Args: cli.Args("claude-code or codex", 1, 1),
		Long: `hook reads one event of a coding agent from standard input and answers within 200 ms (--hook-deadline) or not at all. It adds code to prompts, learns from what the
agent then opens and edits, and never stands in its way: whatever fails is a line in hook/hook.log of the state directory, and the exit status is 0.
"retriever install" writes it into an agent's settings; docs/HOOKS.md tells what each event does.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			agent, err := hook.ParseAgent(args[0])
			if err != nil {
				return err
			}
			cfg, _, err := cli.Load(cmd)
			if err != nil || !cfg.Hooks {
				return err
			}
			if err := cli.GuardState(cfg.StateDir); err != nil {
				return err
			}
			return answerHook(cfg, agent, cmd.InOrStdin(), flushingWriter{cmd})
		}}
}

// answerHook answers one event.
func answerHook(cfg config.Config, agent hook.Agent, in io.Reader, out io.Writer) error {
	dir := filepath.Join(cfg.StateDir, hookName)
	log := hookLog(dir, cfg.LogLevel)
	home, _ := os.UserHomeDir()
	wd, _ := os.Getwd()
	h := &hook.Hook{WorkDir: wd, Agent: agent, Store: &hookStore{cfg: cfg, log: log}, Dir: dir, Home: home,
		Tokens: cfg.HookTokens, Limit: cfg.HookDeadline, Log: log, Now: time.Now}
	if agent == hook.ClaudeCode {
		h.ProjectDir = os.Getenv("CLAUDE_PROJECT_DIR")
	}
	h.Run(in, out, began)
	return nil // the process ends here, whatever is still at work
}

// isHook reports whether arguments are those of a hook, flags before the command or behind it, and no person typed
// them: it ends with status 0 and without a word.
func isHook(args []string, stderr *os.File) bool {
	i := slices.Index(args, hookName)
	if i < 1 || cli.IsTerminal(stderr) {
		return false
	}
	return i == 1 || i+1 < len(args) && slices.Contains(hook.Agents, hook.Agent(args[i+1]))
}

// runHook runs the command line of a hook. What is wrong with the command line or the settings is logged where the
// state is by default.
func runHook() {
	signal.Ignore(syscall.SIGPIPE)
	var complaint strings.Builder
	if cli.Run(context.Background(), command(), os.Args[1:], os.Stdout, &complaint) == 0 {
		return
	}
	dir := cmp.Or(os.Getenv("CONTEXTD_STATE_DIR"), os.Getenv("XDG_STATE_HOME"))
	if home, err := os.UserHomeDir(); dir == "" && err == nil {
		dir = filepath.Join(home, ".local", "state")
	}
	if dir != "" && os.Getenv("CONTEXTD_STATE_DIR") == "" {
		dir = filepath.Join(dir, "contextd")
	}
	if filepath.IsAbs(dir) && cli.GuardState(dir) == nil {
		hookLog(filepath.Join(dir, hookName), slog.LevelWarn).Warn("hook did not answer", "error", complaint.String())
	}
}

// hookLog is the log of hooks in a folder.
func hookLog(dir string, level slog.Level) *slog.Logger {
	return slog.New(slog.NewJSONHandler(hook.LogFile{Dir: dir},
		&slog.HandlerOptions{Level: max(level, slog.LevelInfo), ReplaceAttr: cli.CleanAttr}))
}

// flushingWriter passes on at once what a command prints.
type flushingWriter struct{ cmd *cobra.Command }

// Write implements [io.Writer].
func (f flushingWriter) Write(p []byte) (int, error) {
	n, err := f.cmd.OutOrStdout().Write(p)
	cli.Flush(f.cmd)
	return n, err
}

// hookStore is the store behind hooks, opened by the first call.
type hookStore struct {
	cfg  config.Config
	log  *slog.Logger
	once sync.Once
	s    *app.App
	a    *prompt.Assembler
	err  error
}

var errNotOpen = errors.New("what is remembered cannot be opened")

func (h *hookStore) open() (*prompt.Assembler, error) {
	h.once.Do(func() {
		warn := slog.New(warningsOnly{h.log.Handler()})
		h.s, h.err = openApp(h.cfg, warn, h.cfg.HookDeadline, false)
		if h.err != nil {
			return
		}
		if h.a = h.s.Prompts(); h.a.Store == nil {
			h.err = errNotOpen
		}
	})
	return h.a, h.err
}

// Context implements hook.Store. It never indexes; where a daemon covers the root, the search itself asks that one for
// a refresh.
func (h *hookStore) Context(ctx context.Context, req prompt.Request) (*prompt.Reply, string, error) {
	a, err := h.open()
	if err != nil {
		return nil, "", err
	}
	t, _, err := h.s.Access.Resolve(ctx, access.Where{Dir: req.Dir, Home: req.Home}, h.cfg.HookDeadline)
	if err != nil {
		return nil, "", err
	}
	reply, err := a.Build(ctx, req)
	return reply, t.Root, err
}

// Feedback implements hook.Store.
func (h *hookStore) Feedback(ctx context.Context, id string, f prompt.Feedback) error {
	a, err := h.open()
	if err == nil {
		_, err = a.Feedback(ctx, id, f)
	}
	return err
}

// Compacted implements hook.Store.
func (h *hookStore) Compacted(ctx context.Context, agent hook.Agent) error {
	a, err := h.open()
	if err == nil {
		err = a.Compacted(ctx, string(agent))
	}
	return err
}

// Opening implements hook.Store.
func (h *hookStore) Opening(ctx context.Context, agent hook.Agent, dir, home string) (o hook.Opening, err error) {
	a, err := h.open()
	if err != nil {
		return o, err
	}
	t, fault, err := h.s.Access.Resolve(ctx, access.Where{Dir: dir, Home: home}, h.cfg.HookDeadline)
	if err := errors.Join(err, fault); err != nil {
		return o, err
	}
	o.Project, o.Root = t.Project, t.Root
	state, err := a.History.Load(ctx, t.Project)
	if err != nil {
		return o, err
	}
	for _, b := range state.Blockers {
		o.Blockers = append(o.Blockers, b.Line())
	}
	hot, err := a.Memory.Load(ctx, memory.Who{Agent: string(agent), Project: t.Project})
	for _, m := range hot {
		o.Memory = append(o.Memory, hook.Memory{ID: m.ID, Kind: string(m.Kind), Text: m.Content, Verify: m.Verify})
	}
	return o, err
}

// Given implements hook.Store.
func (h *hookStore) Given(ctx context.Context, agent hook.Agent, project string, list []hook.Memory) error {
	a, err := h.open()
	if err != nil || len(list) == 0 {
		return err
	}
	texts := make([]string, len(list))
	for i, m := range list {
		texts[i] = m.Text
	}
	return a.Memory.NoteInjected(ctx, memory.Who{Agent: string(agent), Project: project}, texts...)
}
