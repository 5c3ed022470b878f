package sandbox

import (
	"errors"
	"os"
	"strings"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/syserr"
)

// Check gives the verdict on one path without reading the file: the first reason that leaves it out, or the file.
// path may be absolute, or relative to the root with "." and ".." in it.
func (r *Root) Check(path string) (File, Skipped) {
	p := r.newProber()
	return p.check(path)
}

// aFolder is the Detail of a folder that no rule leaves out.
const aFolder = "a folder"

// prober gives verdicts on single paths, with the rules of the folders above them read once.
type prober struct {
	s    *scan
	l    listing
	dirs map[string]*dir // by path

	lstat   func(rel string) (File, form, error) // Root.lstat
	above   []listed                             // the folders above the last path, by depth: see spelled
	entered func(rel string)                     // told of each folder that walkPaths walks; nil: nobody
}

func (r *Root) newProber() *prober {
	return &prober{s: r.newScan(), l: listing{limit: r.listingLimit()}, dirs: map[string]*dir{}, lstat: r.lstat}
}

// check is Root.Check.
func (p *prober) check(path string) (File, Skipped) {
	r := p.s.r
	rel, ok := r.normal(path)
	if !ok {
		return File{}, outside(path)
	}
	f, form, denied, skip := p.look(rel)
	if skip.Reason != "" {
		return File{}, skip
	}
	v := p.verdict(rel, form == formDir)
	switch {
	case v.reason != "":
	case form == formDir && denied == nil:
		v.reason, v.detail = code.NotRegular, aFolder
	case denied == nil && f.Size > r.maxBytes(rel):
		return File{}, r.tooLarge(f)
	case denied != nil:
		v.reason, v.detail = code.Unreadable, syserr.Cause(denied).Error()
	}
	if err := p.s.failure(); err != nil {
		v = verdict{reason: code.Unreadable, detail: syserr.Cause(err).Error()}
	}
	if v.reason != "" {
		return File{}, Skipped{rel, form == formDir, v.reason, v.detail}
	}
	f.Lifted = v.lifted
	return f, Skipped{}
}

// look says what rel is on disk; the first link, gap or special file on the way decides. denied: it could not be seen.
//
//lint:ignore ST1008 denied is one of four findings, not how the call failed
func (p *prober) look(rel string) (f File, kind form, denied error, skip Skipped) {
	r := p.s.r
	for at, depth := 0, 0; ; depth++ {
		end := len(rel)
		if i := strings.IndexByte(rel[at:], '/'); i >= 0 {
			end = at + i
		}
		got, form, err := p.lstat(rel[:end])
		switch {
		case err != nil && isMissing(err) || err == nil && end < len(rel) && form == formFile:
			return f, 0, nil, Skipped{Path: rel, Reason: code.Missing, Detail: "no such file"}
		case err != nil:
			return f, formFile, err, skip
		case !p.spelled(depth, rel[:at], rel[at:end], got):
			return f, 0, nil, Skipped{Path: rel, Reason: code.Missing, Detail: "no such file in these letters"}
		case form == formLink || form == formOther:
			skip = r.notRegular(rel[:end], form)
			skip.Path = rel
			return f, 0, nil, skip
		case end == len(rel):
			return got, form, nil, skip
		}
		at = end + 1
	}
}

// verdict is the first reason of names and rules for rel, those of the folders above it included.
func (p *prober) verdict(rel string, isDir bool) verdict {
	if rel == "" {
		d := p.dir("")
		return verdict{reason: d.pruned.Reason, detail: d.pruned.Detail}
	}
	cut := strings.LastIndexByte(rel, '/')
	d := p.dir(rel[:max(cut, 0)])
	e := entry{full: p.s.prefix + rel, name: rel[cut+1:]}
	v := p.s.judge(d, e, isDir)
	if isDir {
		p.list(rel, e.full+"/", &v)
		_, v = p.s.enter(d, e, v, &p.l)
		p.l.done()
	}
	return v
}

// dir is the folder rel with the rules in force in it, whether a walk enters it or not.
func (p *prober) dir(rel string) *dir {
	if d, ok := p.dirs[rel]; ok {
		return d
	}
	// The nearest folder above that is known, then down again.
	known := rel
	var d *dir
	for d == nil && known != "" {
		known = known[:max(strings.LastIndexByte(known, '/'), 0)]
		d = p.dirs[known]
	}
	if d == nil {
		var v verdict
		p.list("", p.s.prefix, &v)
		d, _ = p.s.top(&p.l)
		p.l.done()
		p.dirs[""] = d
	}
	for known != rel {
		rest := strings.TrimPrefix(rel[len(known):], "/")
		name, _, _ := strings.Cut(rest, "/")
		known = rel[:len(rel)-len(rest)+len(name)]
		e := entry{full: p.s.prefix + known, name: name, form: formDir}
		v := p.s.judge(d, e, true)
		p.list(known, e.full+"/", &v)
		d, _ = p.s.enter(d, e, v, &p.l)
		p.l.done()
		p.dirs[known] = d
	}
	return d
}

// list lists a folder; one that cannot be read adds its reason to v and counts as empty.
func (p *prober) list(rel, full string, v *verdict) {
	if err := p.s.r.list(rel, full, &p.l); err != nil {
		p.l.reset()
		p.s.exhausted(err)
		if !isMissing(err) && !errors.Is(err, os.ErrClosed) {
			v.first(code.Unreadable, syserr.Cause(err).Error())
		}
	} else if p.l.cut || len(rel) > maxTreePath {
		v.first(code.CapMemory, p.s.mem.detail())
		v.sealed = true
	}
}
