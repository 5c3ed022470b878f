package hook

import (
	"path"
	"strconv"
	"strings"
)

// maxCommand bounds how much of a shell command is read, in bytes.
const maxCommand = 8 << 10

// shellActs are what a shell command reads and searches for, as far as its words tell: "cat a.go", "sed -n '10,20p'
// a.go", "rg word". Nothing is looked up and nothing is run. It gives up where a document or a redirection stands in
// the command: what follows is no command.
func shellActs(command, dir string) (acts []Act) {
	for _, words := range commands(command) {
		if len(acts) >= maxActs || len(words) == 0 {
			break
		}
		name, args := path.Base(words[0]), words[1:]
		if name == "git" && len(args) > 0 && args[0] == "grep" {
			name, args = "grep", args[1:]
		}
		switch name {
		case "cd":
			if len(args) == 1 {
				dir = absolute(args[0], dir)
			}
		case "grep", "egrep", "rg", "ag", "ack":
			if plain, _ := operands(args); len(plain) > 0 {
				acts = append(acts, searchAct(plain[0])...)
			}
		case "cat", "bat", "nl", "less", "more", "head", "tail", "sed":
			acts = append(acts, readActs(name, args, dir)...)
		}
	}
	return acts[:min(len(acts), maxActs)]
}

// readActs are the files that a command prints.
func readActs(name string, args []string, dir string) (acts []Act) {
	plain, flags := operands(args)
	a := Act{Kind: readFile}
	switch name {
	case "sed":
		if len(plain) == 0 || strings.Contains(flags, "i") {
			return nil
		}
		a.Part = true
		a.First, a.Last = sedSpan(plain[0])
		plain = plain[1:]
	case "head":
		a.Part, a.First, a.Last = true, 1, 10
		for i := range args {
			if n, err := strconv.Atoi(strings.TrimLeft(args[i], "-n")); err == nil && n > 0 {
				a.Last = n
			}
		}
	case "tail":
		a.Part = true
	}
	for _, p := range plain {
		if !looksLikeFile(p) {
			continue
		}
		if a.File = absolute(p, dir); a.File != "" {
			acts = append(acts, a)
		}
	}
	return acts
}

// operands are the arguments that are no flags, and the letters of the short flags.
func operands(args []string) (plain []string, flags string) {
	for _, a := range args {
		switch {
		case strings.HasPrefix(a, "--"):
		case strings.HasPrefix(a, "-") && len(a) > 1:
			flags += a[1:]
		default:
			plain = append(plain, a)
		}
	}
	return plain, flags
}

// sedSpan are the lines that a script like "10,20p" prints; 0, 0 for another.
func sedSpan(script string) (first, last int) {
	from, to, _ := strings.Cut(strings.TrimSuffix(script, "p"), ",")
	first, err := strconv.Atoi(from)
	if err != nil || first < 1 {
		return 0, 0
	}
	if last, err = strconv.Atoi(to); err != nil {
		last = first
	}
	return first, last
}

// looksLikeFile reports whether a word may be the path of a file: it has a dot or a slash, and nothing that a shell
// replaces.
func looksLikeFile(word string) bool {
	return strings.ContainsAny(word, "./") && !strings.ContainsAny(word, "*?[]{}$`<>") && word != "." && word != ".."
}

// commands are the words of the simple commands of a line, up to the first redirection or document.
func commands(line string) (all [][]string) {
	line = line[:min(len(line), maxCommand)]
	var words []string
	var word strings.Builder
	begun := false
	endWord := func() {
		if begun {
			words = append(words, word.String())
		}
		word.Reset()
		begun = false
	}
	end := func() {
		endWord()
		if len(words) > 0 {
			all = append(all, words)
		}
		words = nil
	}
	quote := byte(0)
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case quote != 0 && c == quote:
			quote = 0
		case quote == '"' && c == '\\' && i+1 < len(line), quote == 0 && c == '\\' && i+1 < len(line):
			i++
			word.WriteByte(line[i])
			begun = true
		case quote != 0:
			word.WriteByte(c)
		case c == '\'' || c == '"':
			quote, begun = c, true
		case c == '>' || c == '<':
			if number := strings.TrimRight(word.String(), "0123456789"); number == "" {
				// 2>/dev/null: the number is no word
				word.Reset()
				begun = false
			}
			end()
			return all
		case c == ';' || c == '|' || c == '&' || c == '\n':
			end()
		case c == ' ' || c == '\t':
			endWord()
		default:
			word.WriteByte(c)
			begun = true
		}
	}
	end()
	return all
}
