package main

import (
	"errors"
	"fmt"
	"strings"

	yaml "go.yaml.in/yaml/v3"
)

// node is a part of the document, its keys in the order of the document.
type node struct{ *yaml.Node }

// at is the value at a path of keys; a nil node where there is none.
func (n node) at(keys ...string) node {
	for _, k := range keys {
		next := node{}
		n.each(func(key string, v node) {
			if key == k {
				next = v
			}
		})
		n = next
	}
	return n
}

// each calls f with each key and value of a mapping.
func (n node) each(f func(key string, v node)) {
	if n.Node == nil || n.Kind != yaml.MappingNode {
		return
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		f(n.Content[i].Value, node{n.Content[i+1]})
	}
}

// list is the elements of a sequence.
func (n node) list() (all []node) {
	if n.Node != nil && n.Kind == yaml.SequenceNode {
		for _, c := range n.Content {
			all = append(all, node{c})
		}
	}
	return all
}

// text is a scalar; "" where there is none.
func (n node) text() string {
	if n.Node == nil {
		return ""
	}
	return n.Value
}

func (n node) there() bool { return n.Node != nil }

// strings are the texts of a sequence.
func (n node) strings() (all []string) {
	for _, x := range n.list() {
		all = append(all, x.text())
	}
	return all
}

// document is what is generated from.
type document struct {
	root node
	ops  []operation
}

// operation is one method of the client.
type operation struct {
	id, method, path string
	summary          string
	inPath, inQuery  []parameter
	body             node // schema; nil: none
	bodyNeeded       bool
	reply            node // schema; nil: none
	text             bool // the reply is text and no JSON
	socket           bool // its messages are events
}

type parameter struct {
	name, about string
	schema      node
	needed      bool
}

// parse reads YAML.
func parse(text string) (node, error) {
	var y yaml.Node
	if err := yaml.Unmarshal([]byte(text), &y); err != nil {
		return node{}, err
	}
	if len(y.Content) != 1 {
		return node{}, errors.New("want one document")
	}
	return node{y.Content[0]}, nil
}

func read(data []byte) (*document, error) {
	root, err := parse(string(data))
	if err != nil {
		return nil, err
	}
	d := &document{root: root}
	d.root.at("paths").each(func(path string, item node) {
		item.each(func(method string, op node) {
			if err == nil && op.at("x-other-clients").text() != "true" {
				var o operation
				if o, err = d.operation(strings.ToUpper(method), path, op); err == nil {
					d.ops = append(d.ops, o)
				}
			}
		})
	})
	if err == nil && len(d.ops) == 0 {
		err = errors.New("no operations")
	}
	return d, err
}

// resolve follows a reference.
func (d *document) resolve(n node) node {
	if ref := n.at("$ref").text(); ref != "" {
		return d.root.at(strings.Split(strings.TrimPrefix(ref, "#/"), "/")...)
	}
	return n
}

func (d *document) operation(method, path string, op node) (operation, error) {
	o := operation{id: op.at("operationId").text(), method: method, path: path, summary: op.at("summary").text(),
		socket: op.at("x-websocket").text() == "true"}
	if o.id == "" {
		return o, fmt.Errorf("%s %s has no operationId", method, path)
	}
	for _, p := range op.at("parameters").list() {
		p = d.resolve(p)
		if !p.at("schema").there() {
			return o, fmt.Errorf("%s: parameter %q has no schema", o.id, p.at("name").text())
		}
		par := parameter{p.at("name").text(), p.at("description").text(), p.at("schema"),
			p.at("required").text() == "true"}
		switch in := p.at("in").text(); in {
		case "path":
			o.inPath = append(o.inPath, par)
		case "query":
			o.inQuery = append(o.inQuery, par)
		default:
			return o, fmt.Errorf("%s: parameter %q is in %q: want path or query", o.id, par.name, in)
		}
	}
	if body := op.at("requestBody"); body.there() {
		o.body, o.bodyNeeded = body.at("content", "application/json", "schema"), body.at("required").text() == "true"
		if !o.body.there() {
			return o, fmt.Errorf("%s: the body is no JSON", o.id)
		}
	}
	var err error
	op.at("responses").each(func(code string, r node) {
		if code == "default" || o.reply.there() || o.text || code >= "300" {
			return
		}
		d.resolve(r).at("content").each(func(kind string, media node) {
			switch kind {
			case "application/json":
				o.reply = media.at("schema")
			case "text/plain", "application/yaml":
				o.text = true
			default:
				err = fmt.Errorf("%s: replies with %q", o.id, kind)
			}
		})
	})
	return o, err
}
