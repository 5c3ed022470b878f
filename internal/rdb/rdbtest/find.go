package rdbtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// Kind is what a test needs of its server.
type Kind string

// The kinds of server.
const (
	Search Kind = "search" // with RediSearch
	Plain  Kind = "plain"  // without: FT commands are unknown
)

// Where tools/redis puts the two files that it fetches, below CacheDir.
const (
	ServerInCache = "server/redis-server"
	ModuleInCache = "search/redisearch.so"
)

// ErrNone is returned by Find when this machine has no such server.
var ErrNone = errors.New(`no Redis server of this kind: run "make redis" once, or set REDIS_URL`)

// Program is a way to run a server.
type Program struct {
	Argv   []string // to which "--port N" and other settings are added; the image's name last for Docker
	Docker bool
}

// CacheDir is where tools/redis keeps what it fetched: contextd/redis in the user's cache folder, or redis in
// CONTEXTD_CACHE_DIR.
func CacheDir() (string, error) {
	if d := os.Getenv("CONTEXTD_CACHE_DIR"); d != "" {
		return filepath.Join(d, "redis"), nil
	}
	d, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("find the cache folder: %w", err)
	}
	return filepath.Join(d, "contextd", "redis"), nil
}

// Find looks for a server of a kind on this machine; ErrNone if there is none.
func Find(kind Kind) (Program, error) {
	if server := os.Getenv("CONTEXTD_TEST_REDIS_SERVER"); server != "" {
		return withModule(kind, server, os.Getenv("CONTEXTD_TEST_REDIS_MODULE")), nil
	}
	name := map[Kind]string{Search: "redis-stack-server", Plain: "redis-server"}[kind]
	if p, err := exec.LookPath(name); err == nil {
		return Program{Argv: []string{p}}, nil
	}
	if p, ok := cached(kind); ok {
		return p, nil
	}
	if dockerWorks() {
		image := map[Kind]string{Search: "redis:8", Plain: "redis:7-alpine"}[kind]
		return Program{Argv: []string{"docker", image}, Docker: true}, nil
	}
	return Program{}, ErrNone
}

// cached is the server that tools/redis unpacked.
func cached(kind Kind) (Program, bool) {
	dir, err := CacheDir()
	if err != nil {
		return Program{}, false
	}
	server, module := filepath.Join(dir, ServerInCache), filepath.Join(dir, ModuleInCache)
	for _, f := range []string{server, module} {
		if _, err := os.Stat(f); err != nil {
			return Program{}, false
		}
	}
	return withModule(kind, server, module), true
}

func withModule(kind Kind, server, module string) Program {
	if kind == Search && module != "" {
		return Program{Argv: []string{server, "--loadmodule", module}}
	}
	return Program{Argv: []string{server}}
}

func dockerWorks() bool {
	if _, err := exec.LookPath("docker"); err != nil {
		return false
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	return exec.CommandContext(ctx, "docker", "version", "--format", "{{.Server.Version}}").Run() == nil
}
