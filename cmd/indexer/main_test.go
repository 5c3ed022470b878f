package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/contextd/contextd/internal/cli"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"indexer": func() { os.Exit(cli.Main(command())) }})
}

// TestScripts runs each promise of the command line in testdata/script, in a home and a state directory of its own.
func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("testdata", "script"),
		Setup: func(env *testscript.Env) error {
			home := filepath.Join(env.WorkDir, "home")
			env.Setenv("HOME", home)
			env.Setenv("USERPROFILE", home)
			env.Setenv("CONTEXTD_STATE_DIR", filepath.Join(env.WorkDir, "state"))
			env.Setenv("GIT_CONFIG_NOSYSTEM", "1")
			return os.MkdirAll(home, 0o700)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"onejson": oneJSON, "mode": mode},
	})
}

// oneJSON: "onejson KEY ..." checks that the last stdout is one JSON document with exactly these keys.
func oneJSON(ts *testscript.TestScript, neg bool, keys []string) {
	var doc map[string]any
	if err := json.Unmarshal([]byte(ts.ReadFile("stdout")), &doc); err != nil || neg {
		ts.Fatalf("want one JSON document on stdout: %v", err)
	}
	for _, k := range keys {
		if _, ok := doc[k]; !ok {
			ts.Fatalf("no field %q", k)
		}
		delete(doc, k)
	}
	for k := range doc {
		ts.Fatalf("unexpected field %q", k)
	}
}

// mode: "mode 0700 PATH" checks a file's mode.
func mode(ts *testscript.TestScript, neg bool, args []string) {
	info, err := os.Stat(ts.MkAbs(args[1]))
	ts.Check(err)
	if got := "0" + info.Mode().Perm().String(); (info.Mode().Perm().String() == args[0]) == neg {
		ts.Fatalf("%s has mode %s", args[1], got)
	}
}
