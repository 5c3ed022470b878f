package main

import (
	"fmt"
	"strings"
)

// method writes the method of an operation.
func (p *python) method(o operation, b *strings.Builder, async bool) error {
	args := []string{"self"}
	path := fmt.Sprintf("%q", o.path)
	if len(o.inPath) > 0 {
		path = "f" + path
	}
	for _, a := range o.inPath {
		args = append(args, snake(a.name)+": str")
		path = strings.Replace(path, "{"+a.name+"}", "{part("+snake(a.name)+")}", 1)
	}
	body := "None"
	if o.body.there() {
		t, err := p.typeOf(o.body, pascal(o.id)+"Body", "t.")
		if err != nil {
			return err
		}
		body = "body"
		if o.bodyNeeded {
			args = append(args, "body: "+t)
		} else {
			args = append(args, "body: Optional["+t+"] = None")
		}
	}
	args = append(args, "*")
	var query []string
	for _, a := range o.inQuery {
		t, err := p.typeOf(a.schema, pascal(o.id)+pascal(a.name), "t.")
		if err != nil {
			return err
		}
		if a.needed {
			args = append(args, snake(a.name)+": "+t)
		} else {
			args = append(args, snake(a.name)+": Optional["+t+"] = None")
		}
		query = append(query, fmt.Sprintf("%q: %s", a.name, snake(a.name)))
	}
	def, await := "    def ", ""
	if async {
		def, await = "    async def ", "await "
	}
	if o.socket {
		each := "Iterator"
		if async {
			def, each = "    def ", "AsyncIterator"
		}
		fmt.Fprintf(b, "\n%s%s(%s) -> %s[t.Event]:\n        \"\"\"%s\"\"\"\n        return self._listen(%s, {%s})\n",
			def, snake(o.id), strings.Join(trimStar(args), ", "), each, o.summary, path, strings.Join(query, ", "))
		return nil
	}
	args = append(args, "timeout: Optional[float] = None", "request_id: Optional[str] = None")
	reply, form := "None", "none"
	switch {
	case o.text:
		reply, form = "str", "text"
	case o.reply.there():
		t, err := p.typeOf(o.reply, pascal(o.id)+"Reply", "t.")
		if err != nil {
			return err
		}
		reply, form = t, "json"
	}
	call := fmt.Sprintf("%sself._call(%q, %s, {%s}, %s, %q, timeout, request_id)", await, o.method, path,
		strings.Join(query, ", "), body, form)
	if form != "none" {
		call = fmt.Sprintf("return cast(%q, %s)", reply, call)
	}
	fmt.Fprintf(b, "\n%s%s(%s) -> %s:\n        \"\"\"%s\"\"\"\n        %s\n", def, snake(o.id),
		strings.Join(args, ", "), reply, o.summary, call)
	return nil
}

// trimStar removes a star that no argument follows.
func trimStar(args []string) []string {
	if args[len(args)-1] == "*" {
		return args[:len(args)-1]
	}
	return args
}
