package config

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/pflag"

	"github.com/contextd/contextd/internal/rdb"
)

// Config is all settings, read and checked.
type Config struct {
	File              string // the file that was read; "" if none
	Redis             string // URL, or several with blanks between; "" for the embedded backing
	Prefix            string
	StateDir          string   // absolute
	Spool             string   // absolute; "": none was named, see SpoolDir
	AllowRoots        []string // absolute; nil: none given
	MaxFiles          int
	MaxFileBytes      int64
	MaxProjectBytes   int64
	MaxWalkBytes      int64
	MaxStateBytes     int64
	ReconcileInterval time.Duration
	StaleAfter        time.Duration
	BacklogProjects   int
	BacklogPaths      int
	Workers           int
	Embedder          string
	EmbedderURL       string
	EmbedderModel     string
	RerankURL         string // "" if none
	RerankModel       string // "" if none
	NamesOnly         bool   // --search names
	VectorIndex       string // "auto", "flat" or "hnsw": on Redis
	LogLevel          slog.Level
	LogFormat         string // "text", "json"; "": text on a terminal, else json
	Listen            string // "" where none was given: the binary's own default
	TokenFile         string // absolute; "" if none
	Token             string // the token itself, from CONTEXTD_TOKEN; only where no flag names a file
	Profiles          string // absolute; "" if none
	ContextPolicy     string // rules; "" if none
	Hooks             bool   // "retriever hook" answers
	HookTokens        int    // that it adds to a prompt, about
	Learn             string // rules; "" if none
	HookDeadline      time.Duration
	SlowRetrieval     time.Duration // 0: off
}

// Source is where settings come from beside the flags.
type Source struct {
	Getenv func(string) string // nil: os.Getenv
	Home   string              // "": the user's home directory
	Wd     string              // "": the working directory; relative paths of flags and environment start here
}

// value is a setting as it was found in one place.
type value struct {
	items []string
	where string // for messages
	base  string // where its relative paths start; "": the working directory
}

// Load reads all settings. flags has been filled by [AddFlags] and parsed.
func Load(flags *pflag.FlagSet, src Source) (Config, error) {
	if src.Getenv == nil {
		src.Getenv = os.Getenv
	}
	if src.Home == "" {
		src.Home, _ = os.UserHomeDir()
	}
	found := map[string]value{}
	for i := range Settings {
		s := &Settings[i]
		if v, ok := given(s, flags, src.Getenv); ok {
			found[s.Name] = v
		}
	}
	c := Config{File: last(found["config"])}
	if c.File == "" {
		if dir := xdg(src, "XDG_CONFIG_HOME", ".config"); dir != "" {
			c.File = filepath.Join(dir, "contextd", "config.yaml")
		}
	}
	if c.File != "" {
		inFile, err := readFile(c.File)
		switch _, named := found["config"]; {
		case (errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)) && !named:
			c.File = ""
		case err != nil:
			return Config{}, err
		}
		for name, v := range inFile {
			if _, ok := found[name]; !ok {
				found[name] = v
			} else if err := byKey(strings.ReplaceAll(name, "-", "_")).checkAll(v); err != nil {
				return Config{}, err // overruled, and wrong all the same
			}
		}
	}
	for i := range Settings {
		if err := Settings[i].checkAll(found[Settings[i].Name]); err != nil {
			return Config{}, err
		}
	}
	return c, c.fill(found, src)
}

// given is a setting's value in the flags or, if not there, in the environment.
func given(s *Setting, flags *pflag.FlagSet, getenv func(string) string) (value, bool) {
	if f := flags.Lookup(s.Name); f != nil && f.Changed {
		if raw, ok := f.Value.(*flagValue); ok {
			return value{items: apart(s, raw.items), where: "flag --" + s.Name}, true
		}
	}
	for _, name := range s.Env {
		text := getenv(name)
		if text == "" {
			continue
		}
		items := apart(s, []string{text})
		if s.Kind == Dirs {
			items = items[:0]
			for _, dir := range filepath.SplitList(text) {
				if dir != "" {
					items = append(items, dir)
				}
			}
			if len(items) == 0 {
				continue
			}
		}
		return value{items: items, where: "environment variable " + name}, true
	}
	return value{}, false
}

// apart takes lists of servers apart, if s is one.
func apart(s *Setting, lists []string) []string {
	if s.Kind != Servers {
		return lists
	}
	var all []string
	for _, list := range lists {
		urls := rdb.Split(list)
		if len(urls) == 0 {
			urls = []string{list} // empty: an error that names it
		}
		all = append(all, urls...)
	}
	return all
}

func (s *Setting) checkAll(v value) error {
	for _, item := range v.items {
		if err := s.check(item); err != nil {
			return fmt.Errorf("%s: %s: %w", v.where, show(item), err)
		}
	}
	if s.Kind == Servers {
		if err := checkServers(v.items); err != nil {
			return fmt.Errorf("%s: %w", v.where, err)
		}
	}
	return nil
}

// SpoolDir is where requests wait while the store takes none.
func (c *Config) SpoolDir() string { return cmp.Or(c.Spool, filepath.Join(c.StateDir, "spool")) }

type hinted struct {
	error
	hint string
}

// Hint says what to do about the error.
func (h hinted) Hint() string { return h.hint }
