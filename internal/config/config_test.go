package config

import (
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"
)

// load reads settings as a command would, in a home of its own. files: name → text, below the home.
func load(t *testing.T, args []string, env map[string]string, files map[string]string) (Config, string, error) {
	t.Helper()
	home := t.TempDir()
	for name, text := range files {
		path := filepath.Join(home, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	flags := pflag.NewFlagSet("test", pflag.ContinueOnError)
	AddFlags(flags)
	for i := range args {
		args[i] = strings.ReplaceAll(args[i], "$HOME", home)
	}
	if err := flags.Parse(args); err != nil {
		t.Fatal(err)
	}
	c, err := Load(flags, Source{Getenv: func(name string) string {
		return strings.ReplaceAll(env[name], "$HOME", home)
	}, Home: home, Wd: home})
	return c, home, err
}

const userFile = ".config/contextd/config.yaml"

func TestDefaults(t *testing.T) {
	t.Parallel()
	c, home, err := load(t, nil, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := Config{Prefix: "ctx", StateDir: filepath.Join(home, ".local", "state", "contextd"), MaxFiles: 100_000,
		MaxFileBytes: 500_000, MaxProjectBytes: 1_000_000_000, MaxWalkBytes: 256_000_000, MaxStateBytes: 10_000_000_000,
		ReconcileInterval: 30 * time.Second, StaleAfter: time.Minute, BacklogProjects: 100, BacklogPaths: 10_000,
		Workers: 2, VectorIndex: "auto", Embedder: "static", Hooks: true, HookTokens: 600,
		HookDeadline: 200 * time.Millisecond, SlowRetrieval: 500 * time.Millisecond}
	if !reflect.DeepEqual(c, want) {
		t.Errorf("defaults:\n got %+v\nwant %+v", c, want)
	}
}

// The token is never written where others see it: a file holds it, or a variable.
func TestTokenComesFromAFileOrAVariable(t *testing.T) {
	t.Parallel()
	inFile := map[string]string{userFile: "token_file: token\n"}
	for _, tt := range []struct {
		name        string
		args        []string
		env         map[string]string
		token, file string
	}{
		{"file of settings", nil, nil, "", "$HOME/.config/contextd/token"},
		{"variable names a file", nil, map[string]string{"CONTEXTD_TOKEN_FILE": "t"}, "", "$HOME/t"},
		{"variable holds it", nil, map[string]string{"CONTEXTD_TOKEN": "abc", "CONTEXTD_TOKEN_FILE": "t"}, "abc", ""},
		{"flag wins", []string{"--token-file", "~/x"}, map[string]string{"CONTEXTD_TOKEN": "abc"}, "", "$HOME/x"},
		{"empty variable", nil, map[string]string{"CONTEXTD_TOKEN": ""}, "", "$HOME/.config/contextd/token"},
	} {
		c, home, err := load(t, tt.args, tt.env, inFile)
		if want := strings.ReplaceAll(tt.file, "$HOME", home); err != nil || c.Token != tt.token ||
			c.TokenFile != filepath.FromSlash(want) {
			t.Errorf("%s: token %q, file %q, %v; want %q, %q", tt.name, c.Token, c.TokenFile, err, tt.token, want)
		}
	}
}

func TestLaterPlaceWins(t *testing.T) {
	t.Parallel()
	files := map[string]string{userFile: "max_files: 4\n", "named.yaml": "max_files: 3\n"}
	for _, tt := range []struct {
		name string
		args []string
		env  map[string]string
		want int
	}{
		{"the user's file", nil, nil, 4},
		{"empty variables count as unset", nil, map[string]string{"CONTEXTD_CONFIG": "", "CONTEXTD_MAX_FILES": ""}, 4},
		{"a file named by the environment", nil, map[string]string{"CONTEXTD_CONFIG": "$HOME/named.yaml"}, 3},
		{"a file named by a flag", []string{"--config", "$HOME/named.yaml"}, nil, 3},
		{"environment over file", nil,
			map[string]string{"CONTEXTD_CONFIG": "$HOME/named.yaml", "CONTEXTD_MAX_FILES": "2"}, 2},
		{"flag over environment", []string{"--max-files=1"}, map[string]string{"CONTEXTD_MAX_FILES": "2"}, 1},
		{"the last of two flags", []string{"--max-files=1", "--max-files", "7"}, nil, 7},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c, _, err := load(t, tt.args, tt.env, files)
			if err != nil || c.MaxFiles != tt.want {
				t.Errorf("max-files = %d, %v; want %d", c.MaxFiles, err, tt.want)
			}
		})
	}
}

func TestEveryKeyOfAFile(t *testing.T) {
	t.Parallel()
	c, home, err := load(t, nil, map[string]string{"XDG_CONFIG_HOME": "$HOME/xdg"},
		map[string]string{"xdg/contextd/config.yaml": `
redis: redis://:secret@localhost:6379/0
prefix: team
state_dir: state
spool: ~/spool
allow_root: [/srv, ~/code, here]
max_files: 1
max_file_bytes: 2
max_project_bytes: 3
max_walk_bytes: 6
max_state_bytes: 4
reconcile_interval: 1m30s
stale_after: 3m
backlog_projects: 7
backlog_paths: 70
workers: 5
embedder: none
embedder_url: http://127.0.0.1:1
embedder_model: m
search: names
vector_index: hnsw
log_level: debug
log_format: text
listen: "[::1]:0"
hooks: off
hook_tokens: 8
hook_deadline: 2s
slow_retrieval: off
learn: "web=on"
`})
	if err != nil {
		t.Fatal(err)
	}
	base := filepath.Join(home, "xdg", "contextd")
	want := Config{File: filepath.Join(base, "config.yaml"), Redis: "redis://:secret@localhost:6379/0", Prefix: "team",
		StateDir: filepath.Join(base, "state"), Spool: filepath.Join(home, "spool"),
		AllowRoots: []string{"/srv", filepath.Join(home, "code"), filepath.Join(base, "here")}, MaxFiles: 1,
		MaxFileBytes: 2, MaxProjectBytes: 3, MaxWalkBytes: 6, MaxStateBytes: 4,
		ReconcileInterval: 90 * time.Second, StaleAfter: 3 * time.Minute, BacklogProjects: 7, BacklogPaths: 70,
		Workers: 5, Embedder: "none", EmbedderURL: "http://127.0.0.1:1", EmbedderModel: "m", NamesOnly: true,
		VectorIndex: "hnsw", LogLevel: slog.LevelDebug, LogFormat: "text", Listen: "[::1]:0", HookTokens: 8,
		HookDeadline: 2 * time.Second, Learn: "web=on"}
	if !reflect.DeepEqual(c, want) {
		t.Errorf("\n got %+v\nwant %+v", c, want)
	}
}

func TestRedisIsChosen(t *testing.T) {
	t.Parallel()
	dead, named := "redis://127.0.0.1:1", "redis://127.0.0.1:2"
	for _, tt := range []struct {
		args []string
		env  map[string]string
		want string
	}{
		{nil, map[string]string{"REDIS_URL": dead}, dead},
		{nil, map[string]string{"REDIS_URL": dead, "CONTEXTD_REDIS": ""}, dead},
		{nil, map[string]string{"REDIS_URL": dead, "CONTEXTD_REDIS": named}, named},
		{nil, map[string]string{"REDIS_URL": dead, "CONTEXTD_REDIS": "off"}, ""},
		{[]string{"--redis", "off"}, map[string]string{"REDIS_URL": dead, "CONTEXTD_REDIS": named}, ""},
		{nil, map[string]string{"REDIS_URL": ""}, ""},
		{[]string{"--redis", "unix:///run/redis.sock"}, nil, "unix:///run/redis.sock"},
		{[]string{"--redis", dead, "--redis", named}, nil, dead + " " + named},
		{nil, map[string]string{"CONTEXTD_REDIS": dead + "," + named}, dead + " " + named},
		{nil, map[string]string{"REDIS_URL": dead + " " + named}, dead + " " + named},
	} {
		if c, _, err := load(t, tt.args, tt.env, nil); err != nil || c.Redis != tt.want {
			t.Errorf("%v %v: redis %q, %v; want %q", tt.args, tt.env, c.Redis, err, tt.want)
		}
	}
}

func TestSeveralServersStandInAFileAsAList(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"redis: [redis://a, redis://b]\n", "redis: redis://a redis://b\n"} {
		c, _, err := load(t, nil, nil, map[string]string{userFile: text})
		if err != nil || c.Redis != "redis://a redis://b" {
			t.Errorf("%q: redis %q, %v", text, c.Redis, err)
		}
	}
}

func TestListsFromEnvironmentAndFlags(t *testing.T) {
	t.Parallel()
	list := "/srv" + string(filepath.ListSeparator) + string(filepath.ListSeparator) + "/opt/x/../y"
	c, _, err := load(t, nil, map[string]string{"CONTEXTD_ALLOW_ROOTS": list}, nil)
	if want := []string{"/srv", filepath.Clean("/opt/y")}; err != nil || !reflect.DeepEqual(c.AllowRoots, want) {
		t.Errorf("allow-root = %q, %v; want %q", c.AllowRoots, err, want)
	}
	c, home, err := load(t, []string{"--allow-root", "/a", "--allow-root=b"},
		map[string]string{"CONTEXTD_ALLOW_ROOTS": list}, nil)
	if want := []string{"/a", filepath.Join(home, "b")}; err != nil || !reflect.DeepEqual(c.AllowRoots, want) {
		t.Errorf("allow-root = %q, %v; want %q", c.AllowRoots, err, want)
	}
}

func TestBadSettingIsOneErrorThatNamesIt(t *testing.T) {
	t.Parallel()
	file := func(text string) map[string]string { return map[string]string{userFile: text} }
	for _, tt := range []struct {
		name  string
		args  []string
		env   map[string]string
		files map[string]string
		want  []string
	}{
		{"unknown key", nil, nil, file("prefix: ctx\n\nno_such_key: 71\n"),
			[]string{"config.yaml", "line 3", "no_such_key", "71", "max_files"}},
		{"the flag's spelling", nil, nil, file("max-files: 3\n"), []string{"line 1", "max-files", "max_files"}},
		{"wrong type", nil, nil, file("# x\nmax_files: many\n"),
			[]string{"line 2", "max_files", `"many"`, "whole number from 1"}},
		{"a quoted number", nil, nil, file("max_files: '3'\n"), []string{"line 1", "max_files", "whole number"}},
		{"a fraction", nil, nil, file("max_files: 1.5\n"), []string{"line 1", "max_files", "1.5"}},
		{"out of range", nil, nil, file("# x\nworkers: -4\n"), []string{"line 2", "workers", "-4", "from 1"}},
		{"a list for text", nil, nil, file("# x\nprefix: [seven]\n"), []string{"line 2", "prefix", "seven", "text"}},
		{"a number for text", nil, nil, file("prefix: 7\n"), []string{"line 1", "prefix", "7", "text"}},
		{"text for a list", nil, nil, file("allow_root: /srv\n"), []string{"line 1", "allow_root", "/srv", "list"}},
		{"a bad item", nil, nil, file("allow_root:\n  - /srv\n  - {a: b}\n"), []string{"allow_root", "a b", "list"}},
		{"not among the choices", nil, nil, file("# x\nembedder: magic\n"),
			[]string{"line 2", "embedder", "magic", "static"}},
		{"a number for a duration", nil, nil, file("reconcile_interval: 20\n"),
			[]string{"line 1", "reconcile_interval", "20", "30s"}},
		{"no duration", nil, nil, file("reconcile_interval: -1s\n"), []string{"reconcile_interval", "-1s"}},
		{"a key twice", nil, nil, file("workers: 1\nworkers: 2\n"), []string{"line 2", "workers", "2", "once"}},
		{"broken", nil, nil, file("redis: [unclosed\n"), []string{"config.yaml", "line"}},
		{"no mapping", nil, nil, file("just text\n"), []string{"line 1", "just text"}},
		{"two documents", nil, nil, file("workers: 1\n---\nworkers: 2\n"), []string{"one document"}},
		{"overruled by a flag", []string{"--workers", "3"}, nil, file("workers: 0\n"),
			[]string{"line 1", "workers", `"0"`}},
		{"missing by flag", []string{"--config", "missing.yaml"}, nil, nil, []string{"missing.yaml", "no such file"}},
		{"missing by environment", nil, map[string]string{"CONTEXTD_CONFIG": "missing.yaml"}, nil,
			[]string{"missing.yaml"}},
		{"a directory", []string{"--config", "$HOME"}, nil, nil, []string{"config file", "directory"}},
		{"environment", nil, map[string]string{"CONTEXTD_MAX_FILES": "many"}, nil,
			[]string{"CONTEXTD_MAX_FILES", "many", "whole number"}},
		{"level", nil, map[string]string{"CONTEXTD_LOG_LEVEL": "loud"}, nil,
			[]string{"CONTEXTD_LOG_LEVEL", "loud", "debug, info, warn or error"}},
		{"flag", []string{"--max-files", "-1"}, nil, nil, []string{"--max-files", "-1"}},
		{"empty prefix", []string{"--prefix", ""}, nil, nil, []string{"--prefix", "not empty"}},
		{"prefix with a pattern", []string{"--prefix", "a*"}, nil, nil, []string{"--prefix", "a*"}},
		{"address", []string{"--listen", "nowhere"}, nil, nil, []string{"--listen", "nowhere", "host:port"}},
		{"port", []string{"--listen", "localhost:70000"}, nil, nil, []string{"70000"}},
		{"redis scheme", []string{"--redis", "http://127.0.0.1:1"}, nil, nil, []string{"--redis", "http", "scheme"}},
		{"redis twice", []string{"--redis", "redis://h", "--redis", "redis://h:6379"}, nil, nil, []string{"--redis", `"h:6379"`}},
		{"redis and off", []string{"--redis", "redis://h", "--redis", "off"}, nil, nil, []string{"--redis", "off"}},
		{"redis database", []string{"--redis", "redis://127.0.0.1:1/3"}, nil, nil, []string{"--redis", "database 3"}},
		{"redis database of a socket", []string{"--redis", "unix:///s?db=3"}, nil, nil, []string{"database"}},
		{"an embedder's server without a scheme", []string{"--embedder-url", "localhost:11434"}, nil, nil,
			[]string{"--embedder-url", "localhost:11434", "want http://host:port/v1"}},
		{"an embedder's server with a password", []string{"--embedder-url", "http://me:hunter2@host/v1"}, nil, nil,
			[]string{"--embedder-url", "OPENAI_API_KEY"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, _, err := load(t, tt.args, tt.env, tt.files)
			if err == nil {
				t.Fatal("no error")
			}
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("more than one line: %q", err)
			}
			for _, part := range tt.want {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%q does not name %q", err, part)
				}
			}
		})
	}
}

func TestNoPasswordInAMessage(t *testing.T) {
	t.Parallel()
	for _, url := range []string{"redis://:hunter2@127.0.0.1/3", "http://u:hunter2@h", "redis://u:hunter2@h:bad port",
		"u:hunter2@h", "redis+sentinel://u:hunter2@h1,h2/m/3",
		"redis+sentinel://u:x@h1,h2/m/3?sentinel_password=hunter2",
		"redis+sentinel://h1,h2/?sentinel_password=hunter2"} {
		if _, _, err := load(t, []string{"--redis", url}, nil, nil); err == nil ||
			strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", url, err)
		}
	}
}

func TestNoHome(t *testing.T) {
	t.Parallel()
	var c Config
	err := c.fill(map[string]value{}, Source{Getenv: func(string) string { return "" }})
	if h, ok := err.(interface{ Hint() string }); !ok || !strings.Contains(h.Hint(), "--state-dir") {
		t.Errorf("error %v has no hint", err)
	}
}

// TestDocumentation holds docs/CONFIG.md to the table.
func TestDocumentation(t *testing.T) {
	t.Parallel()
	doc, err := os.ReadFile(filepath.Join("..", "..", "docs", "CONFIG.md"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(doc), Markdown()) {
		t.Errorf("docs/CONFIG.md does not hold the table of settings as it is:\n%s", Markdown())
	}
}

func FuzzParseFile(f *testing.F) {
	for _, seed := range []string{
		"", "a", "prefix: ctx\n", "allow_root: [a, b]\n", "? [a]\n: b\n", "<<: *x\n", "redis: [", "a: &a [*a]\n",
		"- - -\n", "workers: 0x10\n",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		found, err := parseFile("f.yaml", []byte(text))
		if err != nil && strings.TrimSpace(err.Error()) == "" {
			t.Error("an error without words")
		}
		for name := range found {
			if byKey(strings.ReplaceAll(name, "-", "_")) == nil {
				t.Errorf("unknown setting %q", name)
			}
		}
	})
}

func TestAHomeThatIsAFileHoldsNoSettings(t *testing.T) {
	t.Parallel()
	home := filepath.Join(t.TempDir(), "home")
	if err := os.WriteFile(home, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	AddFlags(flags)
	if c, err := Load(flags, Source{Getenv: func(string) string { return "" }, Home: home}); err != nil ||
		c.File != "" {
		t.Errorf("file %q, %v", c.File, err)
	}
}
