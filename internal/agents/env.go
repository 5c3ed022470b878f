package agents

import "strings"

// Env is what paths depend on.
type Env struct {
	GOOS    string
	Home    string
	Project string              // the project's folder, for Project
	Getenv  func(string) string // may be nil
}

// Expand makes a path of a pattern: {home}, {project}, {config} (XDG_CONFIG_HOME), {appdata} (Windows), {code} (VS
// Code's user folder), and the folders of {claude}, {codex} and {copilot}, which variables move.
func (e Env) Expand(pattern string) string {
	for range 3 { // patterns stand for patterns; what variables hold is not read for ever
		if !strings.HasPrefix(pattern, "{") {
			break
		}
		name, rest, _ := strings.Cut(pattern[1:], "}")
		pattern = e.folder(name) + rest
	}
	if e.GOOS == "windows" {
		return strings.ReplaceAll(pattern, "/", `\`)
	}
	return pattern
}

func (e Env) folder(name string) string {
	moved := func(variable, pattern string) string {
		if e.Getenv != nil {
			if v := e.Getenv(variable); v != "" {
				return v
			}
		}
		return pattern
	}
	switch name {
	case "home":
		return e.Home
	case "project":
		return e.Project
	case "config":
		return moved("XDG_CONFIG_HOME", "{home}/.config")
	case "appdata":
		return moved("APPDATA", "{home}/AppData/Roaming")
	case "claude":
		return moved("CLAUDE_CONFIG_DIR", "{home}/.claude")
	case "claudestate":
		return moved("CLAUDE_CONFIG_DIR", "{home}")
	case "codex":
		return moved("CODEX_HOME", "{home}/.codex")
	case "copilot":
		return moved("COPILOT_HOME", "{home}/.copilot")
	case "code":
		return e.code()
	case "zed":
		if e.GOOS == "windows" {
			return "{appdata}/Zed"
		}
		if e.GOOS == "darwin" {
			return "{home}/.config/zed"
		}
		return "{config}/zed"
	}
	return name
}

func (e Env) code() string {
	switch e.GOOS {
	case "windows":
		return "{appdata}/Code/User"
	case "darwin":
		return "{home}/Library/Application Support/Code/User"
	}
	return "{config}/Code/User"
}
