package hook

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestActsOfToolsAreTold(t *testing.T) {
	t.Parallel()
	read := func(file string) Act { return Act{Kind: readFile, File: file} }
	part := func(file string, first, last int) Act {
		return Act{Kind: readFile, File: file, Part: true, First: first, Last: last}
	}
	for name, tt := range map[string]struct {
		tool, input, reply string
		want               []Act
	}{
		"Read, whole":    {"Read", `{"file_path":"/w/a.go"}`, `{}`, []Act{read("/w/a.go")}},
		"Read, relative": {"Read", `{"file_path":"x/../a.go"}`, `{}`, []Act{read("/w/a.go")}},
		"Read, some lines": {"Read", `{"file_path":"/w/a.go","offset":10,"limit":5}`, `{}`,
			[]Act{part("/w/a.go", 10, 14)}},
		"Read, to the end": {"Read", `{"file_path":"/w/a.go","offset":10}`, `{}`,
			[]Act{part("/w/a.go", 10, 1<<30)}},
		"Read, whole by what came": {"Read", `{"file_path":"/w/a.go","limit":900}`,
			`{"type":"text","file":{"numLines":40,"startLine":1,"totalLines":40}}`,
			[]Act{{Kind: readFile, File: "/w/a.go", First: 1, Last: 40}}},
		"Read, cut by the tool": {"Read", `{"file_path":"/w/a.go"}`,
			`{"type":"text","file":{"numLines":2000,"startLine":1,"totalLines":9000}}`,
			[]Act{part("/w/a.go", 1, 2000)}},
		"Read, no path":         {"Read", `{"file_path":7}`, `{}`, nil},
		"Read, home of a shell": {"Read", `{"file_path":"~/a.go"}`, `{}`, nil},
		"Edit": {"Edit", `{"file_path":"/w/a.go","old_string":"x","new_string":"y"}`, `{}`,
			[]Act{{Kind: editFile, File: "/w/a.go"}}},
		"MultiEdit": {"MultiEdit",
			`{"file_path":"/w/a.go","edits":[{"old_string":"x","new_string":"y"}]}`, `{}`,
			[]Act{{Kind: editFile, File: "/w/a.go"}}},
		"Write over a file": {"Write", `{"file_path":"/w/a.go","content":"x"}`, `{"type":"update"}`,
			[]Act{{Kind: editFile, File: "/w/a.go"}}},
		"Write, a new file": {"Write", `{"file_path":"/w/a.go","content":"x"}`, `{"type":"create"}`,
			[]Act{{Kind: addFile, File: "/w/a.go"}}},
		"NotebookEdit": {"NotebookEdit", `{"notebook_path":"/w/a.ipynb","new_source":"x"}`, `{}`,
			[]Act{{Kind: editFile, File: "/w/a.ipynb"}}},
		"Grep in all files": {"Grep", `{"pattern":"func Drop","path":"src"}`, `{}`,
			[]Act{{Kind: findText, Query: "func Drop"}}},
		"Grep in one file": {"Grep", `{"pattern":"func Drop","path":"src/a.go"}`, `{}`,
			[]Act{part("/w/src/a.go", 0, 0)}},
		"Grep for a secret": {"Grep", `{"pattern":"ghp_16C7e42F292c6912E7710c838347Ae178B4a"}`, `{}`,
			[]Act{{Kind: findText, Query: "[REDACTED]"}}},
		"Codex, patch": {"apply_patch",
			`{"command":"*** Begin Patch\n*** Update File: a.go\n@@\n-x\n+y\n*** Add File: b.go\n+z\n*** End Patch"}`,
			`""`, []Act{{Kind: editFile, File: "/w/a.go"}, {Kind: addFile, File: "/w/b.go"}}},
		"Codex, patch in a command": {"Bash",
			`{"command":"apply_patch <<'EOF'\n*** Begin Patch\n*** Delete File: a.go\n*** End Patch\nEOF"}`, `""`,
			[]Act{{Kind: editFile, File: "/w/a.go"}}},
		"shell, cat": {"Bash", `{"command":"cat a.go src/b.go"}`, `""`,
			[]Act{read("/w/a.go"), read("/w/src/b.go")}},
		"shell, sed": {"Bash", `{"command":"sed -n '10,20p' a.go"}`, `""`,
			[]Act{part("/w/a.go", 10, 20)}},
		"shell, sed in place is no read": {"Bash", `{"command":"sed -i 's/x/y/' a.go"}`, `""`, nil},
		"shell, head": {"Bash", `{"command":"head -n 30 a.go"}`, `""`,
			[]Act{part("/w/a.go", 1, 30)}},
		"shell, cd and a list of words": {"shell", `{"command":["bash","-lc","cd src && nl -ba a.go | head -5"]}`, `""`,
			[]Act{read("/w/src/a.go")}},
		"shell, rg": {"exec_command", `{"cmd":"rg -n 'func Drop' src | head"}`, `""`,
			[]Act{{Kind: findText, Query: "func Drop"}}},
		"shell, git grep": {"Bash", `{"command":"git grep Drop"}`, `""`,
			[]Act{{Kind: findText, Query: "Drop"}}},
		"shell, another folder": {"exec_command", `{"cmd":"cat a.go","workdir":"/w/src"}`, `""`,
			[]Act{read("/w/src/a.go")}},
		"shell, patterns are no files": {"Bash", `{"command":"cat *.go $X/a.go"}`, `""`, nil},
		"shell, written by a document": {"Bash", `{"command":"cat > a.go <<EOF\ncat b.go\nEOF"}`, `""`, nil},
		"shell, errors thrown away":    {"Bash", `{"command":"cat a.go 2>/dev/null"}`, `""`, []Act{read("/w/a.go")}},
		"shell, another command":       {"Bash", `{"command":"go test ./..."}`, `""`, nil},
		"a tool that nobody knows":     {"Telescope", `{"file_path":"/w/a.go"}`, `{}`, nil},
		"no input":                     {"Read", ``, ``, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := Acts(Event{Tool: tt.tool, Dir: "/w", ToolInput: []byte(tt.input), ToolReply: []byte(tt.reply)})
			for i := range got {
				got[i].Text = ""
			}
			if strings.HasPrefix(name, "Grep for a secret") {
				if len(got) != 1 || strings.Contains(got[0].Query, "16C7e42F") {
					t.Errorf("%+v", got)
				}
			} else if !slices.Equal(got, tt.want) {
				t.Errorf("got %+v\nwant %+v", got, tt.want)
			}
		})
	}
}

func TestEditsCiteTheLinesThatTheyRepeat(t *testing.T) {
	t.Parallel()
	const body = "func (s *Store) Drop(user string) error {\n\treturn nil\n}\n"
	pieces := []piece{{ID: "one", Lines: lineHashes(body, maxPieceLines)}}
	for name, tt := range map[string]struct {
		text string
		want int
	}{
		"a line of it, indented otherwise": {"\n    func (s *Store)  Drop(user string) error {\n", 1},
		"a short line says nothing":        {"\treturn nil\n}\n", 0},
		"another line":                     {"func (s *Store) Keep(user string) error {\n", 0},
		"nothing":                          {"", 0},
	} {
		if got := citedPieces(pieces, tt.text); len(got) != tt.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestManyLinesOfAnEditAreBounded(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i := range 2 * maxEditLines {
		fmt.Fprintf(&b, "a telling line that has the number %d in it\n", i)
	}
	if n := len(lineHashes(b.String(), maxEditLines)); n != maxEditLines {
		t.Errorf("%d hashes", n)
	}
}

func TestFilesOfAPatchAreBounded(t *testing.T) {
	t.Parallel()
	patch := patchStart + "\n" + strings.Repeat("*** Update File: a.go\n+x\n", 10*maxActs)
	if n := len(patchActs(patch, "/w")); n != maxActs {
		t.Errorf("%d acts", n)
	}
}
