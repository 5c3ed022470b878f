package profile

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

type fieldReader = func(n *yaml.Node) (func(*Profile), string)

func number(set func(*Profile, float64)) fieldReader {
	return func(n *yaml.Node) (func(*Profile), string) {
		x, err := strconv.ParseFloat(n.Value, 64)
		if n.Kind != yaml.ScalarNode || n.Tag != "!!float" && n.Tag != "!!int" || err != nil || math.IsNaN(x) ||
			x < 0 || x > 1 {
			return nil, "must be between 0 and 1"
		}
		return func(p *Profile) { set(p, x) }, ""
	}
}

func integer(low, high int, set func(*Profile, int)) fieldReader {
	return func(n *yaml.Node) (func(*Profile), string) {
		x, err := strconv.Atoi(n.Value)
		if n.Kind != yaml.ScalarNode || n.Tag != "!!int" || err != nil || x < low || x > high {
			return nil, fmt.Sprintf("must be a whole number from %d to %d", low, high)
		}
		return func(p *Profile) { set(p, x) }, ""
	}
}

func boolean(set func(*Profile, bool)) fieldReader {
	return func(n *yaml.Node) (func(*Profile), string) {
		if n.Kind != yaml.ScalarNode || n.Tag != "!!bool" {
			return nil, "must be true or false"
		}
		yes := strings.EqualFold(n.Value, "true")
		return func(p *Profile) { set(p, yes) }, ""
	}
}

func text(set func(*Profile, string)) fieldReader {
	return func(n *yaml.Node) (func(*Profile), string) {
		if n.Kind != yaml.ScalarNode || len(n.Value) > 1000 {
			return nil, "must be a text of at most 1000 bytes"
		}
		return func(p *Profile) { set(p, n.Value) }, ""
	}
}

func name(set func(*Profile, string)) fieldReader {
	return func(n *yaml.Node) (func(*Profile), string) {
		if n.Kind != yaml.ScalarNode || !isName(n.Value, "-_") {
			return nil, "must be of a-z, 0-9, - and _"
		}
		return func(p *Profile) { set(p, n.Value) }, ""
	}
}

func names(set func(*Profile, []string)) fieldReader {
	const want = "must be a list of names of a-z, 0-9, -, _, . and /, each once, at most 100"
	return func(n *yaml.Node) (func(*Profile), string) {
		if n.Kind != yaml.SequenceNode || len(n.Content) > 100 {
			return nil, want
		}
		var list []string
		for _, item := range n.Content {
			if item.Kind != yaml.ScalarNode || !isName(item.Value, "-_./") || slices.Contains(list, item.Value) {
				return nil, want + ", but for " + sourceText(item)
			}
			list = append(list, item.Value)
		}
		return func(p *Profile) { set(p, list) }, ""
	}
}

// isName reports whether s is of small letters, digits and the marks, from 1 to 64.
func isName(s, marks string) bool {
	return s != "" && len(s) <= 64 && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789"+marks) == ""
}
