package config

import (
	"strings"
	"time"
)

// Kind is the form of a setting's value.
type Kind int

// The kinds of a setting.
const (
	Text     Kind = iota // any text
	Choice               // one of Setting.Choices
	Count                // a whole number from 1
	Duration             // as Go writes it, above 0
	Dir                  // a directory's path
	File                 // a path of a file, or of a directory of files where the help says so
	Dirs                 // directories: a repeatable flag, a list in the file, a list as in PATH in the environment
	Address              // host:port
	Servers              // URLs: a repeatable flag, a list or one in the file, a list with blanks or commas in the environment
)

// Setting describes one setting.
type Setting struct {
	Name    string   // the flag without its dashes
	Env     []string // variables, the first that is not empty counts
	Kind    Kind
	Arg     string                   // what the help calls its value
	Choices []string                 // for Choice
	Default string                   // as it would be written; "" where there is none, or where Shown tells
	Shown   string                   // the default for people where it is no plain value
	Help    string                   // one sentence without a full stop
	rule    func(value string) error // beyond what Kind asks for
	noFile  bool                     // not a key of the file
}

// repeats reports whether the setting takes several values.
func (s *Setting) repeats() bool { return s.Kind == Dirs || s.Kind == Servers }

// Key is the setting's name in the file.
func (s *Setting) Key() string { return strings.ReplaceAll(s.Name, "-", "_") }

// Settings is the table of all settings, in the order of the documentation.
var Settings = []Setting{
	{Name: "config", Env: env("CONFIG"), Arg: "FILE",
		Shown: "`${XDG_CONFIG_HOME:-~/.config}/contextd/config.yaml` if it exists", noFile: true,
		Help: "file of settings; one that is named must exist"},
	{Name: "redis", Env: append(env("REDIS"), "REDIS_URL"), Kind: Servers, Arg: "URL", Shown: "none: embedded", rule: checkRedis,
		Help: "store index and queue in this Redis (redis://, rediss://, redis+sentinel:// or unix://, database 0); given several times: in several, each project on one of them; \"off\": embedded, whatever REDIS_URL says"},
	{Name: "prefix", Env: env("PREFIX"), Arg: "P", Default: "ctx", rule: checkPrefix,
		Help: "first part of every Redis key"},
	{Name: "state-dir", Env: env("STATE_DIR"), Kind: Dir, Arg: "DIR",
		Shown: "`${XDG_STATE_HOME:-~/.local/state}/contextd`",
		Help:  "embedded state, logs and locks; made with mode 0700"},
	{Name: "spool", Env: env("SPOOL"), Kind: Dir, Arg: "DIR",
		Shown: "`spool` in the state directory; enqueue uses one only if it is set",
		Help:  "where refresh requests wait as files while the store takes none; the daemon and the server deliver them"},
	{Name: "allow-root", Env: env("ALLOW_ROOTS"), Kind: Dirs, Arg: "DIR",
		Shown: "none for the daemon; the directory given for a one-shot command",
		Help:  "what may be indexed and read; may be repeated"},
	{Name: "max-files", Env: env("MAX_FILES"), Kind: Count, Arg: "N", Default: "100000",
		Help: "files of a project; what is over is skipped (cap_files)"},
	{Name: "max-file-bytes", Env: env("MAX_FILE_BYTES"), Kind: Count, Arg: "N", Default: "500000",
		Help: "size of a file; a larger one is skipped (too_large)"},
	{Name: "max-project-bytes", Env: env("MAX_PROJECT_BYTES"), Kind: Count, Arg: "N", Default: "1000000000",
		Help: "size of all files of a project; what is over is skipped (cap_bytes)"},
	{Name: "max-walk-bytes", Env: env("MAX_WALK_BYTES"), Kind: Count, Arg: "N", Default: "256000000",
		Help: "memory for paths, ignore rules and git indexes of one walk through a project; what is over is skipped (cap_memory)"},
	{Name: "max-state-bytes", Env: env("MAX_STATE_BYTES"), Kind: Count, Arg: "N", Default: "10000000000",
		Help: "size of all indexes together, on disk or in Redis; over it whole projects go, those that nobody asks for first"},
	{Name: "reconcile-interval", Env: env("RECONCILE_INTERVAL"), Kind: Duration, Arg: "D", Default: "30s",
		Help: "how often the daemon makes sure that nothing was missed"},
	{Name: "stale-after", Env: env("STALE_AFTER"), Kind: Duration, Arg: "D", Default: "1m",
		Help: "how long a change may wait before its project counts as stale (index_stale)"},
	{Name: "backlog-projects", Env: env("BACKLOG_PROJECTS"), Kind: Count, Arg: "N", Default: "100",
		Help: "projects that may wait before the queue counts as backed up (backlog)"},
	{Name: "backlog-paths", Env: env("BACKLOG_PATHS"), Kind: Count, Arg: "N", Default: "10000",
		Help: "changes that may wait before the queue counts as backed up (backlog)"},
	{Name: "workers", Env: env("WORKERS"), Kind: Count, Arg: "N", Default: "2",
		Help: "projects indexed at once"},
	{Name: "embedder", Env: env("EMBEDDER"), Kind: Choice, Arg: "NAME", Choices: []string{"static", "openai", "none"},
		Default: "static", Help: "what makes the vectors of what is indexed from now on; none: lexical search only"},
	{Name: "embedder-url", Env: env("EMBEDDER_URL"), Arg: "U", rule: checkEmbedderURL,
		Shown: "OpenAI's own, if OPENAI_API_KEY is set",
		Help:  "server for the embedder openai; its key comes only from OPENAI_API_KEY"},
	{Name: "embedder-model", Env: env("EMBEDDER_MODEL"), Arg: "M",
		Shown: "`text-embedding-3-small` at OpenAI's own server", Help: "model for the embedder openai"},
	{Name: "rerank-url", Env: env("RERANK_URL"), Arg: "U", rule: checkRerankURL, Shown: "none: no second stage",
		Help: "chat server that orders the first 30 candidates of an answer, with --rerank-model: https, or http on loopback; it gets their lines, and its key only from OPENAI_API_KEY"},
	{Name: "rerank-model", Env: env("RERANK_MODEL"), Arg: "M", Shown: "none: no second stage",
		Help: "model at --rerank-url"},
	{Name: "search", Env: env("SEARCH"), Kind: Choice, Arg: "MODE", Choices: []string{"auto", "names"}, Default: "auto",
		Help: "names: only the file-name index; replies are degraded"},
	{Name: "vector-index", Env: env("VECTOR_INDEX"), Kind: Choice, Arg: "KIND",
		Choices: []string{"auto", "flat", "hnsw"}, Default: "auto",
		Help: "how Redis searches the vectors of what is indexed from now on: flat exactly, hnsw by a graph, auto exactly up to 30,000 chunks of a new index and 60,000 of one that grows"},
	{Name: "log-level", Env: env("LOG_LEVEL"), Kind: Choice, Arg: "LEVEL",
		Choices: []string{"debug", "info", "warn", "error"}, Default: "info",
		Help: "least level that is logged, to stderr"},
	{Name: "log-format", Env: env("LOG_FORMAT"), Kind: Choice, Arg: "FORM", Choices: []string{"text", "json"},
		Shown: "`text` on a terminal, else `json`", Help: "form of the log"},
	{Name: "listen", Env: env("LISTEN"), Kind: Address, Arg: "ADDR",
		Shown: "indexer `127.0.0.1:9464`, retriever `127.0.0.1:9465`",
		Help:  "address for metrics and health, and on the retriever for its API"},
	{Name: "token-file", Env: env("TOKEN_FILE"), Kind: File, Arg: "FILE", Shown: "none",
		Help: "file with the bearer token of \"retriever serve\", wanted where it listens on another address than loopback; the variable CONTEXTD_TOKEN holds the token itself"},
	{Name: "profiles", Env: env("PROFILES"), Kind: File, Arg: "PATH", Shown: "none",
		Help: "file, or directory of files, with profiles of agents beside those built in"},
	{Name: "context-policy", Env: env("CONTEXT_POLICY"), Arg: "RULES",
		Shown: "none: contexts are given, records of tasks stay short", rule: checkPolicy,
		Help: "which tasks are given context and show intent and summary where they do not say so: PROJECT=on or PROJECT/TYPE=off, separated by commas, * for all projects"},
	{Name: "hooks", Env: env("HOOKS"), Kind: Choice, Arg: "STATE", Choices: []string{"on", "off"}, Default: "on",
		Help: "off: \"retriever hook\" does nothing, whatever the settings of agents say"},
	{Name: "hook-tokens", Env: env("HOOK_TOKENS"), Kind: Count, Arg: "N", Default: "600",
		Help: "tokens that \"retriever hook\" adds to a prompt, about"},
	{Name: "slow-retrieval", Env: env("SLOW_RETRIEVAL"), Arg: "D", Default: "500ms", rule: checkSlow,
		Help: "what finding code may cost a context, waits for a new index aside; over it three times in a row code is left out of the project's contexts for a while (retrieval_off); off: whatever it costs"},
	{Name: "learn", Env: env("LEARN"), Arg: "RULES",
		Shown: "none: as each profile says with `learn`, the built-in ones not", rule: checkPolicy,
		Help: "whose numbers the outcomes of tasks may move: PROJECT=on or PROJECT/PROFILE=off, separated by commas, * for all projects"},
	{Name: "hook-deadline", Env: env("HOOK_DEADLINE"), Kind: Duration, Arg: "D", Default: "200ms",
		Help: "how long \"retriever hook\" may keep an agent waiting; what takes longer is left out"},
}

func env(name string) []string { return []string{"CONTEXTD_" + name} }

// wants says in words what the setting takes.
func (s *Setting) wants() string {
	switch s.Kind {
	case Choice:
		n := len(s.Choices)
		return strings.Join(s.Choices[:n-1], ", ") + " or " + s.Choices[n-1]
	case Count:
		return "a whole number from 1"
	case Duration:
		return "a duration above 0 such as 30s or 5m"
	case Dir:
		return "a directory"
	case File:
		return "a path"
	case Dirs:
		return "a list of directories"
	case Address:
		return "host:port"
	case Servers:
		return "URLs of Redis servers"
	}
	return "text"
}

// minDuration keeps a daemon from spinning.
const minDuration = 10 * time.Millisecond
