package hook

import (
	"encoding/json"
	"path"
	"strings"

	"github.com/contextd/contextd/internal/safetext"
	"github.com/contextd/contextd/internal/secret"
)

// Act is what one use of a tool did to a file, or what was searched for.
type Act struct {
	Kind  string // read, edit, add, find
	File  string // absolute
	Part  bool   // read: not the whole file
	First int    // read: of the lines, where Part; 0: unknown
	Last  int
	Query string // find: without secrets
	Text  string // edit, add: what was written or replaced; never kept
}

// The kinds of acts.
const (
	readFile = "read"
	editFile = "edit"
	addFile  = "add" // made, so nobody could have given it
	findText = "find"
)

// Limits of what one use of a tool may count for.
const (
	maxActs  = 32
	maxQuery = 200 // bytes
)

// toolInput holds the fields of the tools that are known. A field of another type counts as missing.
type toolInput struct {
	File     jsonString      `json:"file_path"`
	Notebook jsonString      `json:"notebook_path"`
	Path     jsonString      `json:"path"`
	Offset   json.Number     `json:"offset"`
	Limit    json.Number     `json:"limit"`
	Old      jsonString      `json:"old_string"`
	New      jsonString      `json:"new_string"`
	Content  jsonString      `json:"content"`
	Source   jsonString      `json:"new_source"`
	Pattern  jsonString      `json:"pattern"`
	Command  json.RawMessage `json:"command"`
	Cmd      json.RawMessage `json:"cmd"`
	Input    jsonString      `json:"input"`
	Patch    jsonString      `json:"patch"`
	Workdir  jsonString      `json:"workdir"`
	Edits    []struct {
		Old jsonString `json:"old_string"`
		New jsonString `json:"new_string"`
	} `json:"edits"`
}

// Acts are what a PostToolUse event tells. A tool that is not known tells nothing.
func Acts(e Event) []Act {
	var in toolInput
	if json.Unmarshal(e.ToolInput, &in) != nil && in.empty() {
		return nil
	}
	file := absolute(string(in.File), e.Dir)
	switch e.Tool {
	case "Read":
		if file == "" {
			return nil
		}
		a := Act{Kind: readFile, File: file}
		a.Part, a.First, a.Last = readSpan(&in, e.ToolReply)
		return []Act{a}
	case "Edit", "MultiEdit", "Write", "NotebookEdit":
		if file == "" {
			file = absolute(string(in.Notebook), e.Dir)
		}
		if file != "" {
			return []Act{{Kind: changeKind(e.ToolReply), File: file, Text: in.writtenText()}}
		}
	case "Grep":
		if p := string(in.Path); path.Ext(p) != "" {
			if p = absolute(p, e.Dir); p != "" {
				return []Act{{Kind: readFile, File: p, Part: true}}
			}
		}
		return searchAct(string(in.Pattern))
	}
	// A patch and a command of a shell, as Codex works; a patch may stand in a command.
	dir := e.Dir
	if w := absolute(string(in.Workdir), e.Dir); w != "" {
		dir = w
	}
	if acts := patchActs(in.patch(), dir); len(acts) > 0 {
		return acts
	}
	if e.Tool == "Bash" || e.Tool == "shell" || e.Tool == "exec_command" || e.Tool == "local_shell" {
		return shellActs(in.command(), dir)
	}
	return nil
}

func (in *toolInput) empty() bool {
	return in.File == "" && in.Pattern == "" && len(in.Command) == 0 && len(in.Cmd) == 0 && in.Input == "" &&
		in.Patch == ""
}

// writtenText is all text of an edit.
func (in *toolInput) writtenText() string {
	parts := []string{string(in.Old), string(in.New), string(in.Content), string(in.Source)}
	for _, e := range in.Edits {
		parts = append(parts, string(e.Old), string(e.New))
	}
	return strings.Join(parts, "\n")
}

// command is the text of a command: a string, or a list of words of which the last is the text for a shell.
func (in *toolInput) command() string {
	for _, raw := range []json.RawMessage{in.Command, in.Cmd} {
		var s string
		var list []string
		switch {
		case json.Unmarshal(raw, &s) == nil && s != "":
			return s
		case json.Unmarshal(raw, &list) == nil && len(list) > 2 && strings.HasPrefix(list[1], "-") &&
			strings.HasSuffix(list[1], "c"):
			return list[2]
		case len(list) > 0:
			return strings.Join(list, " ")
		}
	}
	return ""
}

func (in *toolInput) patch() string {
	for _, s := range []string{string(in.Input), string(in.Patch), in.command()} {
		if strings.Contains(s, patchStart) {
			return s
		}
	}
	return ""
}

// readSpan tells which lines of a file were read: what the tool says that it gave, else what was asked for.
func readSpan(in *toolInput, reply json.RawMessage) (part bool, first, last int) {
	var said struct {
		File struct {
			Start int `json:"startLine"`
			Lines int `json:"numLines"`
			Total int `json:"totalLines"`
		} `json:"file"`
	}
	if f := &said.File; json.Unmarshal(reply, &said) == nil && f.Total > 0 && f.Lines > 0 {
		first = max(f.Start, 1)
		return f.Lines < f.Total, first, first + f.Lines - 1
	}
	offset, _ := in.Offset.Int64()
	limit, _ := in.Limit.Int64()
	if offset <= 1 && limit <= 0 {
		return false, 0, 0
	}
	first = int(min(max(offset, 1), 1<<30))
	if limit <= 0 {
		return true, first, 1 << 30
	}
	return true, first, first + int(min(limit, 1<<30)) - 1
}

// changeKind is the kind of a change: a tool may say that it made the file.
func changeKind(reply json.RawMessage) string {
	var said struct {
		Type jsonString `json:"type"`
	}
	if json.Unmarshal(reply, &said) == nil && said.Type == "create" {
		return addFile
	}
	return editFile
}

// searchAct is a search for a text, without its secrets.
func searchAct(query string) []Act {
	query, _ = secret.Redact(safetext.Cut(strings.TrimSpace(safetext.Line(query)), maxQuery))
	if query == "" {
		return nil
	}
	return []Act{{Kind: findText, Query: query}}
}
