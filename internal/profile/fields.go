package profile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// maxFile is the size in bytes over which a file is refused.
const maxFile = 1 << 20

// draft is a profile as written: what it sets, over what it inherits.
type draft struct {
	id, file   string
	line       int
	parent     string
	parentLine int
	sets       []func(*Profile)
}

// read adds the profiles of a file to drafts and returns them.
func (l *loader) read(f File, drafts map[string]*draft) map[string]*draft {
	bad := func(line int, field, value, want string) { l.fail(&FieldError{f.Name, line, "", field, value, want}) }
	if len(f.Data) > maxFile {
		bad(0, "the file", fmt.Sprintf("%d bytes", len(f.Data)), fmt.Sprintf("must have at most %d bytes", maxFile))
		return drafts
	}
	d := yaml.NewDecoder(bytes.NewReader(f.Data))
	var doc, more yaml.Node
	switch err := d.Decode(&doc); {
	case errors.Is(err, io.EOF):
		return drafts // nothing in it
	case err != nil:
		bad(0, "", "", strings.TrimPrefix(err.Error(), "yaml: "))
		return drafts
	}
	if err := d.Decode(&more); !errors.Is(err, io.EOF) {
		bad(0, "the file", "", "must be one YAML document")
		return drafts
	}
	l.eachPair(doc.Content[0], f.Name, "", "the file", func(key, value *yaml.Node) {
		if key.Value != "profiles" {
			bad(key.Line, strconv.Quote(key.Value), "", "is no field of the file: want profiles")
			return
		}
		l.eachPair(value, f.Name, "", "profiles", func(key, value *yaml.Node) {
			id := key.Value
			if !isName(id, "-_") {
				bad(key.Line, "the id of a profile", strconv.Quote(id), "must be of a-z, 0-9, - and _, at most 64")
				return
			}
			if other, ok := drafts[id]; ok {
				l.fail(&FieldError{f.Name, key.Line, id, "", "",
					fmt.Sprintf("stands at %s:%d already", other.file, other.line)})
				return
			}
			p := &draft{id: id, file: f.Name, line: key.Line, parentLine: key.Line}
			drafts[id] = p
			if value.Tag == "!!null" {
				return // all of it inherited
			}
			l.eachPair(value, f.Name, id, "the profile", func(key, value *yaml.Node) { l.field(p, "", key, value) })
		})
	})
	return drafts
}

// eachPair calls yield with each key and value of a map, and tells what is no map and keys that come twice.
func (l *loader) eachPair(n *yaml.Node, file, id, what string, yield func(key, value *yaml.Node)) {
	if n.Kind != yaml.MappingNode {
		l.fail(&FieldError{file, n.Line, id, what, sourceText(n), "must be a map"})
		return
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		if seen[key.Value] {
			l.fail(&FieldError{file, key.Line, id, strconv.Quote(key.Value), "", "stands twice in " + what})
			continue
		}
		seen[key.Value] = true
		yield(key, n.Content[i+1])
	}
}

// sourceText is a value for an error, as it stands in the file.
func sourceText(n *yaml.Node) string {
	switch n.Kind {
	case yaml.ScalarNode:
		if v := []rune(n.Value); len(v) > 60 {
			return strconv.Quote(string(v[:60]) + "…")
		}
		if n.Tag == "!!str" {
			return strconv.Quote(n.Value)
		}
		return n.Value
	case yaml.SequenceNode:
		return "a list"
	case yaml.MappingNode:
		return "a map"
	}
	return "an alias"
}

// fields are the fields of a profile by name, those of a map with its name and a dot before. Each reads a value and
// gives what to set, or says what it wants instead.
var fields = map[string]func(n *yaml.Node) (set func(*Profile), want string){
	"description": text(func(p *Profile, s string) { p.Description = s }),
	"strategy":    name(func(p *Profile, s string) { p.Strategy = s }),
	"tags":        names(func(p *Profile, s []string) { p.Tags = s }),
	"agents":      names(func(p *Profile, s []string) { p.Agents = s }),

	"system_prompt": prompt(func(p *Profile, s string) { p.SystemPrompt = s }),
	"sections":      sections(func(p *Profile, s []Section) { p.Sections = s }),

	"weights.task":    number(func(p *Profile, x float64) { p.Weights.Task = x }),
	"weights.project": number(func(p *Profile, x float64) { p.Weights.Project = x }),
	"weights.global":  number(func(p *Profile, x float64) { p.Weights.Global = x }),

	"preferred_kinds": names(func(p *Profile, s []string) { p.Preferred = s }),
	"excluded_kinds":  names(func(p *Profile, s []string) { p.Excluded = s }),
	"only_preferred":  boolean(func(p *Profile, b bool) { p.OnlyPreferred = b }),
	"min_importance":  number(func(p *Profile, x float64) { p.MinImportance = x }),

	"allow_compression":          boolean(func(p *Profile, b bool) { p.Compress = b }),
	"compression_aggressiveness": number(func(p *Profile, x float64) { p.Aggressiveness = x }),
	"preserve_head":              integer(0, 100, func(p *Profile, n int) { p.Head = n }),
	"preserve_tail":              integer(0, 100, func(p *Profile, n int) { p.Tail = n }),

	"code.results":  integer(1, 100, func(p *Profile, n int) { p.Code.Results = n }),
	"code.chars":    integer(1, 20_000, func(p *Profile, n int) { p.Code.Chars = n }),
	"code.bytes":    integer(1, 1<<20, func(p *Profile, n int) { p.Code.Bytes = n }),
	"inject_at":     number(func(p *Profile, x float64) { p.InjectAt = x }),
	"min_relevance": number(func(p *Profile, x float64) { p.MinRelevance = x }),
	"likely_text":   boolean(func(p *Profile, b bool) { p.LikelyText = b }),
	"learn":         boolean(func(p *Profile, b bool) { p.Learn = b }),
}

// field reads one field of a profile, or of the map that prefix names.
func (l *loader) field(d *draft, prefix string, key, value *yaml.Node) {
	full := prefix + key.Value
	switch {
	case full == "weights", full == "code":
		l.eachPair(value, d.file, d.id, full, func(key, value *yaml.Node) { l.field(d, full+".", key, value) })
		return
	case full == "inherits":
		if value.Kind != yaml.ScalarNode || !isName(value.Value, "-_") {
			l.fail(&FieldError{d.file, value.Line, d.id, full, sourceText(value), "must be the id of a profile"})
			return
		}
		d.parent, d.parentLine = value.Value, value.Line
		return
	}
	read, ok := fields[full]
	if !ok {
		var known []string
		for f := range fields {
			if rest, ok := strings.CutPrefix(f, prefix); ok {
				rest, _, _ = strings.Cut(rest, ".")
				known = append(known, rest)
			}
		}
		if prefix == "" {
			known = append(known, "inherits")
		}
		slices.Sort(known)
		l.fail(&FieldError{d.file, key.Line, d.id, strconv.Quote(full), "",
			"is no field: want one of " + strings.Join(slices.Compact(known), ", ")})
		return
	}
	set, want := read(value)
	if want != "" {
		l.fail(&FieldError{d.file, value.Line, d.id, full, sourceText(value), want})
		return
	}
	d.sets = append(d.sets, set)
}
