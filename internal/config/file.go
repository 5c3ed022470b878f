package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	yaml "go.yaml.in/yaml/v3"

	"github.com/contextd/contextd/internal/syserr"
)

// maxFile is the greatest size of a file of settings.
const maxFile = 1 << 20

// readFile reads a file of settings.
func readFile(path string) (map[string]value, error) {
	f, err := os.Open(path)
	if err == nil {
		defer f.Close()
		var data []byte
		if data, err = io.ReadAll(io.LimitReader(f, maxFile+1)); err == nil {
			if len(data) > maxFile {
				return nil, fmt.Errorf("config file %q: want at most %d bytes", path, maxFile)
			}
			return parseFile(path, data)
		}
	}
	return nil, fmt.Errorf("read config file %q: %w", path, syserr.Cause(err))
}

// parseFile reads the text of a file of settings: a mapping of keys to values, nothing nested.
func parseFile(path string, data []byte) (map[string]value, error) {
	where := func(n *yaml.Node) string { return fmt.Sprintf("config file %q line %d", path, n.Line) }
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var doc yaml.Node
	switch err := dec.Decode(&doc); {
	case errors.Is(err, io.EOF):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("config file %q: %s", path, strings.TrimPrefix(err.Error(), "yaml: "))
	}
	top := doc.Content[0]
	if top.Kind == yaml.ScalarNode && top.Tag == "!!null" {
		return nil, nil
	}
	if top.Kind != yaml.MappingNode {
		return nil, fmt.Errorf(`%s: %s: want lines such as "prefix: ctx"`, where(top), show(plain(top)))
	}
	if err := dec.Decode(&yaml.Node{}); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("config file %q: want one document only", path)
	}
	found := map[string]value{}
	for i := 0; i+1 < len(top.Content); i += 2 {
		key, node := top.Content[i], top.Content[i+1]
		s := byKey(key.Value)
		if s == nil || key.Kind != yaml.ScalarNode {
			return nil, fmt.Errorf("%s: unknown key %s with value %s: want one of %s", where(key), show(plain(key)),
				show(plain(node)), keys())
		}
		v := value{where: where(node) + ", key " + s.Key(), base: filepath.Dir(path)}
		if _, twice := found[s.Name]; twice {
			return nil, fmt.Errorf("%s: %s: the key stands twice: want it once", where(key)+", key "+s.Key(),
				show(plain(node)))
		}
		if node.Kind == yaml.ScalarNode && node.Tag == "!!null" {
			continue // "key:" with nothing behind it, like an empty variable
		}
		items := []*yaml.Node{node}
		if s.Kind == Dirs {
			if node.Kind != yaml.SequenceNode {
				return nil, fmt.Errorf("%s: %s: want %s", v.where, show(plain(node)), s.wants())
			}
			items = node.Content
		}
		if s.Kind == Servers && node.Kind == yaml.SequenceNode {
			items = node.Content
		}
		want := "!!str"
		if s.Kind == Count {
			want = "!!int"
		}
		for _, item := range items {
			if item.Kind != yaml.ScalarNode || item.Tag != want {
				return nil, fmt.Errorf("%s: %s: want %s", v.where, show(plain(item)), s.wants())
			}
			v.items = append(v.items, apart(s, []string{item.Value})...)
		}
		found[s.Name] = v
	}
	return found, nil
}

// plain is a node as it might be written on one line, what is nested deep or is long left out.
func plain(n *yaml.Node) string { return plainTo(n, 2) }

func plainTo(n *yaml.Node, depth int) string {
	switch {
	case n.Kind == yaml.ScalarNode:
		return n.Value
	case n.Kind == yaml.AliasNode:
		return "*" + n.Value
	case depth == 0:
		return "…"
	}
	var parts []string
	for _, c := range n.Content {
		if parts = append(parts, plainTo(c, depth-1)); len(parts) > 8 {
			break
		}
	}
	if n.Kind == yaml.MappingNode {
		return "{" + strings.Join(parts, " ") + "}"
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

func byKey(key string) *Setting {
	for i := range Settings {
		if s := &Settings[i]; s.Key() == key && !s.noFile {
			return s
		}
	}
	return nil
}

func keys() string {
	var all []string
	for i := range Settings {
		if !Settings[i].noFile {
			all = append(all, Settings[i].Key())
		}
	}
	return strings.Join(all, ", ")
}
