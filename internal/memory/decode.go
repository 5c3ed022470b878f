package memory

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// decode reads the document of an item: as encode writes it in one pass, whatever else it may be as package json does. The first load
// of 1,000 items in a process is a prompt's to wait for, and json alone took half of it.
func decode(data []byte) (it Item, err error) {
	p := parser{rest: string(data)}
	if it = p.item(); !p.failed && p.rest == "" {
		return it, nil
	}
	it = Item{}
	err = json.Unmarshal(data, &it)
	return it, err
}

// parser reads JSON of one form from the beginning of rest. Whatever differs from the form makes it fail, which says nothing against
// the JSON; what it has read then is not to be used.
type parser struct {
	rest   string
	failed bool
}

func (p *parser) item() (it Item) {
	p.want(`{"id":`)
	it.ID = p.text()
	p.want(`,"agent_id":`)
	it.AgentID = p.text()
	if p.has(`,"project":`) {
		it.Project = p.text()
	}
	p.want(`,"scope":`)
	it.Scope = Scope(p.text())
	p.want(`,"kind":`)
	it.Kind = Kind(p.text())
	p.want(`,"content":`)
	it.Content = p.text()
	p.want(`,"importance":`)
	it.Importance = p.number()
	p.want(`,"tier":`)
	it.Tier = Tier(p.text())
	p.want(`,"access_count":`)
	it.AccessCount = p.count()
	p.want(`,"created_at":`)
	it.CreatedAt = p.time()
	p.want(`,"last_accessed":`)
	it.LastAccessed = p.time()
	if p.has(`,"tags":[`) {
		for more := true; more; more = p.next() {
			it.Tags = append(it.Tags, p.text())
		}
	}
	if p.has(`,"citations":[`) {
		for more := true; more; more = p.next() {
			it.Citations = append(it.Citations, p.citation())
		}
	}
	if p.has(`,"task_id":`) {
		it.TaskID = p.text()
	}
	it.Past = p.has(`,"past":true`)
	if p.has(`,"pinned":`) {
		x := p.number()
		it.Pinned = &x
	}
	p.want(`}`)
	return it
}

func (p *parser) citation() (c Citation) {
	p.want(`{"path":`)
	c.Path = p.text()
	if p.has(`,"span":{"start":`) {
		c.Span = &Span{Start: p.count()}
		p.want(`,"end":`)
		c.Span.End = p.count()
		p.want(`}`)
	}
	if p.has(`,"hash":`) {
		c.Hash = p.text()
	}
	p.want(`}`)
	return c
}

// has takes what the rest begins with, if it does.
func (p *parser) has(what string) bool {
	rest, ok := strings.CutPrefix(p.rest, what)
	p.rest = rest
	return ok && !p.failed
}

func (p *parser) want(what string) {
	if !p.has(what) {
		p.failed = true
	}
}

// next takes the comma before another element of a list, or the end of the list.
func (p *parser) next() (more bool) {
	if p.has(`,`) {
		return true
	}
	p.want(`]`)
	return false
}

// unescaped are the characters after a backslash and what they stand for.
var unescaped = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// text reads a string. Most are a part of the document as they stand; escapes by number are left to package json.
func (p *parser) text() string {
	p.want(`"`)
	plain := 0 // bytes of rest before the first backslash
	for plain < len(p.rest) && p.rest[plain] >= ' ' && p.rest[plain] != '"' && p.rest[plain] != '\\' {
		plain++
	}
	s, i := p.rest[:plain], plain
	if i < len(p.rest) && p.rest[i] == '\\' {
		s, i = p.unescape(plain)
	}
	p.rest = p.rest[i:]
	p.want(`"`)
	if !utf8.ValidString(s) {
		p.failed = true
	}
	return s
}

// unescape reads a string whose first backslash stands after plain bytes, up to its closing quote at i.
func (p *parser) unescape(plain int) (s string, i int) {
	b := make([]byte, 0, 2*plain+256)
	for from := 0; ; {
		i = from
		for i < len(p.rest) && p.rest[i] >= ' ' && p.rest[i] != '"' && p.rest[i] != '\\' {
			i++
		}
		b = append(b, p.rest[from:i]...)
		if i+1 >= len(p.rest) || p.rest[i] != '\\' {
			return string(b), i
		}
		c := unescaped[p.rest[i+1]]
		if c == 0 {
			p.failed = true
			return "", i
		}
		b = append(b, c)
		from = i + 2
	}
}

// digits takes a number in its written form, which is to be of JSON: that has no leading zeros, no hexadecimal ones and no infinity.
func (p *parser) digits() string {
	i := 0
	for i < len(p.rest) && (p.rest[i] >= '0' && p.rest[i] <= '9' || strings.IndexByte("+-.eE", p.rest[i]) >= 0) {
		i++
	}
	n := p.rest[:i]
	p.rest = p.rest[i:]
	if !json.Valid([]byte(n)) {
		p.failed = true
	}
	return n
}

func (p *parser) number() float64 {
	x, err := strconv.ParseFloat(p.digits(), 64)
	p.failed = p.failed || err != nil
	return x
}

func (p *parser) count() int {
	n, err := strconv.Atoi(p.digits())
	p.failed = p.failed || err != nil
	return n
}

func (p *parser) time() (t time.Time) {
	if err := t.UnmarshalText([]byte(p.text())); err != nil {
		p.failed = true
	}
	return t
}
