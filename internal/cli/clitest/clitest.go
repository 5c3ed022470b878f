// Package clitest runs the scripts of a command's tests: testscript with the command itself inside the test's process.
//
// A script has a home folder and a state directory of its own, and these words beside those of testscript:
//
//	onejson KEY ...     the last stdout is one JSON document with exactly these keys
//	field PATH VALUE    the value at a path such as results.0.path of the last stdout's document, as JSON or bare text
//	count PATH N        how many elements the list at a path of that document has
//	mode MODE FILE      a file's mode, as -rwx------
package clitest

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/spf13/cobra"

	"github.com/contextd/contextd/internal/cli"
)

// Main is for a command's TestMain: scripts may call it by name.
func Main(m *testing.M, name string, command func() *cobra.Command) {
	testscript.Main(m, map[string]func(){name: func() { os.Exit(cli.Main(command())) }})
}

// Run runs each script in testdata/script.
func Run(t *testing.T) {
	t.Helper()
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
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"onejson": oneJSON, "field": field,
			"count": count, "mode": mode},
	})
}

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

func field(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: field PATH VALUE")
	}
	v := lookUp(ts, args[0])
	got, err := json.Marshal(v)
	ts.Check(err)
	if s, ok := v.(string); ok {
		got = []byte(s)
	}
	if (string(got) == args[1]) == neg {
		ts.Fatalf("%s is %s", args[0], got)
	}
}

func count(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: count PATH N")
	}
	list, ok := lookUp(ts, args[0]).([]any)
	if !ok {
		ts.Fatalf("%s is not a list", args[0])
	}
	if (fmt.Sprint(len(list)) == args[1]) == neg {
		ts.Fatalf("%s has %d elements", args[0], len(list))
	}
}

// lookUp is the value at a path of the last stdout's document.
func lookUp(ts *testscript.TestScript, path string) (v any) {
	ts.Check(json.Unmarshal([]byte(ts.ReadFile("stdout")), &v))
	for _, key := range strings.Split(path, ".") {
		switch x := v.(type) {
		case map[string]any:
			inner, ok := x[key]
			if !ok {
				ts.Fatalf("%s: no field %q", path, key)
			}
			v = inner
		case []any:
			i, err := strconv.Atoi(key)
			if err != nil || i < 0 || i >= len(x) {
				ts.Fatalf("%s: no element %q among %d", path, key, len(x))
			}
			v = x[i]
		default:
			ts.Fatalf("%s: nothing below %v", path, x)
		}
	}
	return v
}

func mode(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: mode MODE FILE")
	}
	info, err := os.Stat(ts.MkAbs(args[1]))
	ts.Check(err)
	if got := info.Mode().Perm().String(); (got == args[0]) == neg {
		ts.Fatalf("%s has mode %s", args[1], got)
	}
}
