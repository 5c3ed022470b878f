package config

import (
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// fill sets the fields from values that were checked.
func (c *Config) fill(found map[string]value, src Source) error {
	text := func(name string) string {
		if v := last(found[name]); v != "" {
			return v
		}
		return byKey(strings.ReplaceAll(name, "-", "_")).Default
	}
	count := func(name string) int64 {
		n, _ := strconv.ParseInt(text(name), 10, 64) // was checked
		return n
	}
	if c.Redis = strings.Join(found["redis"].items, " "); c.Redis == "off" {
		c.Redis = ""
	}
	c.VectorIndex = text("vector-index")
	c.Prefix, c.Embedder, c.EmbedderURL, c.EmbedderModel = text("prefix"), text("embedder"), text("embedder-url"),
		text("embedder-model")
	c.RerankURL, c.RerankModel = text("rerank-url"), text("rerank-model")
	c.NamesOnly, c.LogFormat, c.Listen = text("search") == "names", text("log-format"), text("listen")
	c.Hooks, c.HookTokens = text("hooks") == "on", int(min(count("hook-tokens"), 1<<20))
	c.ContextPolicy, c.Learn = text("context-policy"), text("learn")
	c.HookDeadline, _ = time.ParseDuration(text("hook-deadline"))
	c.MaxFiles, c.Workers = int(min(count("max-files"), 1<<31-1)), int(min(count("workers"), 1024))
	c.MaxFileBytes, c.MaxProjectBytes, c.MaxStateBytes = count("max-file-bytes"), count("max-project-bytes"),
		count("max-state-bytes")
	c.MaxWalkBytes = count("max-walk-bytes")
	c.ReconcileInterval, _ = time.ParseDuration(text("reconcile-interval"))
	c.SlowRetrieval, _ = time.ParseDuration(text("slow-retrieval")) // 0 for "off"
	c.StaleAfter, _ = time.ParseDuration(text("stale-after"))
	c.BacklogProjects, c.BacklogPaths = int(min(count("backlog-projects"), 1<<31-1)),
		int(min(count("backlog-paths"), 1<<31-1))
	_ = c.LogLevel.UnmarshalText([]byte(text("log-level"))) // was checked
	var err error
	for _, f := range []struct {
		name string
		path *string
	}{{"token-file", &c.TokenFile}, {"profiles", &c.Profiles}, {"spool", &c.Spool}} {
		if *f.path = last(found[f.name]); *f.path != "" {
			if *f.path, err = absolute(*f.path, found[f.name], src); err != nil {
				return err
			}
		}
	}
	if !strings.HasPrefix(found["token-file"].where, "flag ") {
		// a flag wins over a variable, whichever of the two it is
		if c.Token = src.Getenv("CONTEXTD_TOKEN"); c.Token != "" {
			c.TokenFile = ""
		}
	}
	for _, dir := range found["allow-root"].items {
		if dir, err = absolute(dir, found["allow-root"], src); err != nil {
			return err
		}
		c.AllowRoots = append(c.AllowRoots, dir)
	}
	if dir := last(found["state-dir"]); dir != "" {
		c.StateDir, err = absolute(dir, found["state-dir"], src)
		return err
	}
	dir := xdg(src, "XDG_STATE_HOME", filepath.Join(".local", "state"))
	if dir == "" {
		return hinted{errors.New("find the state directory: neither HOME nor XDG_STATE_HOME names one"),
			"give --state-dir DIR or set CONTEXTD_STATE_DIR"}
	}
	c.StateDir = filepath.Join(dir, "contextd")
	return nil
}

// absolute is the directory that a setting names. A file and a variable may write "~/" for the home directory.
func absolute(dir string, v value, src Source) (string, error) {
	if rest, ok := strings.CutPrefix(dir, "~/"); ok && src.Home != "" {
		return filepath.Join(src.Home, rest), nil
	}
	switch {
	case filepath.IsAbs(dir):
		return filepath.Clean(dir), nil
	case v.base != "":
		dir = filepath.Join(v.base, dir)
	case src.Wd != "":
		dir = filepath.Join(src.Wd, dir)
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("%s: %s: %w", v.where, show(dir), err)
	}
	return abs, nil
}

// xdg is a directory as the XDG specification finds it: a relative one counts as unset.
func xdg(src Source, variable, below string) string {
	if dir := src.Getenv(variable); filepath.IsAbs(dir) {
		return dir
	}
	if src.Home == "" {
		return ""
	}
	return filepath.Join(src.Home, below)
}

func last(v value) string {
	if len(v.items) == 0 {
		return ""
	}
	return v.items[len(v.items)-1]
}
