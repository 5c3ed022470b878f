// Package stage reads a Dockerfile as far as ours goes: what its stages say of the images that they make.
//
// tools/dist makes images of it without Docker, and the tests of deploy run its commands as processes. RUN is not read:
// what it makes is made by whoever asks.
package stage

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Stage is one stage, with what it has from the one that it begins from.
type Stage struct {
	From       string   // the image or stage that it begins from
	Env        []string // NAME=value, in order
	User       string
	Ports      []string // such as "9464/tcp"
	Volumes    []string
	Entrypoint []string
	Cmd        []string
	Health     []string // the health check's command, and its options before it: --interval=30s
	Copies     []Copy
}

// Copy is one COPY from another stage.
type Copy struct {
	From    string // that stage; "": the folder of the build
	Owner   string // uid:gid; "": root
	Sources []string
	To      string // a folder if it ends with a slash
}

// Parse reads the stages by their names. What it does not know in a stage that begins from scratch, or from such a
// stage, is an error.
func Parse(dockerfile string) (map[string]Stage, error) {
	all := map[string]Stage{}
	name := ""
	for line := range strings.Lines(strings.ReplaceAll(dockerfile, "\\\n", " ")) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		word, rest, _ := strings.Cut(line, " ")
		if word == "FROM" {
			_, words := options(rest)
			if len(words) != 3 || words[1] != "AS" {
				return nil, fmt.Errorf("%q: want FROM image AS name", line)
			}
			s := all[words[0]].clone()
			name, s.From = words[2], words[0]
			all[name] = s
			continue
		}
		s, ok := all[name]
		if !ok || !bare(all, name) { // before the first stage, or in one that is run
			continue
		}
		if err := s.read(word, strings.TrimSpace(rest)); err != nil {
			return nil, fmt.Errorf("%q: %w", line, err)
		}
		all[name] = s
	}
	return all, nil
}

// bare reports whether a stage begins from nothing, so that its files are those that it copies.
func bare(all map[string]Stage, name string) bool {
	for range len(all) {
		from := all[name].From
		if from == "scratch" {
			return true
		}
		name = from
	}
	return false
}

func (s Stage) clone() Stage {
	s.Env, s.Ports, s.Volumes, s.Copies = slices.Clone(s.Env), slices.Clone(s.Ports), slices.Clone(s.Volumes), slices.Clone(s.Copies)
	return s
}

// read takes one instruction.
func (s *Stage) read(word, rest string) (err error) {
	opts, words := options(rest)
	switch word {
	case "ENV":
		s.Env = append(s.Env, words...)
	case "USER":
		s.User = rest
	case "EXPOSE":
		for _, w := range words {
			s.Ports = append(s.Ports, w+"/tcp")
		}
	case "VOLUME":
		s.Volumes = append(s.Volumes, words...)
	case "ENTRYPOINT":
		s.Entrypoint, err = list(rest)
	case "CMD":
		s.Cmd, err = list(rest)
	case "HEALTHCHECK":
		_, command, ok := strings.Cut(rest, "CMD ")
		if !ok {
			return fmt.Errorf("want CMD")
		}
		var argv []string
		argv, err = list(command)
		s.Health = nil
		for name, value := range opts {
			s.Health = append(s.Health, "--"+name+"="+value)
		}
		slices.Sort(s.Health)
		s.Health = append(s.Health, argv...)
	case "COPY":
		if len(words) < 2 {
			return fmt.Errorf("want what to copy and where to")
		}
		last := len(words) - 1
		s.Copies = append(s.Copies, Copy{From: opts["from"], Owner: opts["chown"], Sources: words[:last], To: words[last]})
	default:
		return fmt.Errorf("instruction not known")
	}
	return err
}

// options cuts a text into its options, --name=value, and the other words.
func options(text string) (opts map[string]string, words []string) {
	opts = map[string]string{}
	for _, w := range strings.Fields(text) {
		if option, ok := strings.CutPrefix(w, "--"); ok && len(words) == 0 {
			name, value, _ := strings.Cut(option, "=")
			opts[name] = value
			continue
		}
		words = append(words, w)
	}
	return opts, words
}

// list reads a list in brackets.
func list(text string) (words []string, err error) {
	if err = json.Unmarshal([]byte(text), &words); err != nil || len(words) == 0 {
		return nil, fmt.Errorf("want a list in brackets (%v)", err)
	}
	return words, nil
}
