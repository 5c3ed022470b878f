package retrieve

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/contextd/contextd/internal/access"
	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/lexical"
	"github.com/contextd/contextd/internal/sandbox"
	"github.com/contextd/contextd/internal/search"
)

// Bounds of one look for usages.
const (
	maxUsageFiles  = 500   // files that are read
	maxUsageLines  = 1000  // lines that a request may ask for
	maxFoundLines  = 20000 // lines of one file that are counted
	maxDefinitions = 20
)

// UsagesRequest asks for the lines that name an identifier.
type UsagesRequest struct {
	Name     string
	Target   access.Target
	Deadline time.Duration // for the whole; 0 means 200 ms
	Lines    int           // greatest number of lines besides the definitions; 0 means 50
}

// Validate says what is wrong with the request.
func (r UsagesRequest) Validate() error {
	name := r.Name
	start, end := lexical.NextIdent(name, 0)
	switch {
	case start == end:
		return fmt.Errorf("name %.40q: want an identifier such as \"openGate\"", name)
	case start > 0 || end < len(name):
		last := name[start:end]
		for from := end; ; from = end {
			if start, end = lexical.NextIdent(name, from); start == len(name) {
				break
			}
			last = name[start:end]
		}
		return fmt.Errorf("name %.40q: want one identifier such as %.40q", name, last)
	case len(name) > lexical.MaxIdent:
		return fmt.Errorf("name %.40q…: want at most %d bytes, as the index has them", name, lexical.MaxIdent)
	case usageTerm(name) == "":
		return fmt.Errorf("name %q: want two letters or more, as the index has them", name)
	case r.Lines < 0 || r.Lines > maxUsageLines:
		return fmt.Errorf("want 1 to %d lines (got %d)", maxUsageLines, r.Lines)
	case r.Deadline < 0:
		return fmt.Errorf("deadline must be positive (got %s)", r.Deadline)
	}
	return nil
}

// usageTerm is the word by which the index finds the files that hold an identifier: all of it where it has several
// parts, else its stem. "" where the index has none.
func usageTerm(name string) (term string) {
	lexical.Words(name, func(w string) { term = w })
	return term
}

// Class says what a file that names an identifier is for.
type Class string

// The classes, in the order in which files are told.
const (
	ClassCode      Class = "code"
	ClassTest      Class = "test"
	ClassGenerated Class = "generated" // a program wrote it, and a "!" in .contextdignore keeps it in the index
)

var classes = []Class{ClassCode, ClassTest, ClassGenerated}

// Usages is where an identifier is defined and named.
type Usages struct {
	Name        string       `json:"name"`
	Project     string       `json:"project"`
	Root        string       `json:"root"`
	Status      Status       `json:"status"`
	Reasons     []Reason     `json:"reasons"`
	Generation  int64        `json:"generation"`
	IndexedAt   string       `json:"indexed_at"`
	TookMS      float64      `json:"took_ms"`
	Definitions []Definition `json:"definitions"`
	Files       []UsageFile  `json:"files"`
	// FoundLines and FoundFiles count what was found, also what is not told.
	FoundLines int `json:"found_lines"`
	FoundFiles int `json:"found_files"`
	// Cut names the bounds that left something out: lines, files, deadline. Of files, there may be more than was found.
	Cut          []string `json:"cut"`
	NearestNames []string `json:"nearest_names,omitempty"` // only where nothing was found
	LargerRoot   string   `json:"larger_root,omitempty"`   // as of a Reply
}

// Definition is a place that defines the identifier.
type Definition struct {
	Path      code.Path `json:"path"`
	Line      int       `json:"line"`
	EndLine   int       `json:"end_line"`
	Kind      code.Kind `json:"kind"`
	Parent    string    `json:"parent"` // name of the definition around it; "" at the top
	Language  string    `json:"language"`
	Class     Class     `json:"class"`
	Freshness Freshness `json:"freshness"`
	Text      string    `json:"text"` // of the line, cut, with control characters escaped
}

// UsageFile is a file that names the identifier.
type UsageFile struct {
	Path      code.Path   `json:"path"`
	Language  string      `json:"language"`
	Class     Class       `json:"class"`
	Freshness Freshness   `json:"freshness"`
	Lines     []UsageLine `json:"lines"`
}

// UsageLine is a line that names the identifier and does not define it.
type UsageLine struct {
	Line int    `json:"line"`
	Text string `json:"text"` // as of a Definition
}

// Usages finds the lines that name an identifier, of files that the index says hold it, as they stand on the disk.
// reasons are as of Query.
func (rt *Retriever) Usages(ctx context.Context, req UsagesRequest, reasons ...Reason) *Usages {
	began := time.Now()
	q := Request{Text: req.Name, Target: req.Target, Deadline: req.Deadline}.WithDefaults()
	ctx, cancel := context.WithTimeout(ctx, q.Deadline)
	defer cancel()
	reply := NewReply(q)
	for _, r := range reasons {
		reply.add(r)
	}
	f := &finding{rt: rt, name: req.Name, limit: cmp.Or(req.Lines, 50),
		out: &Usages{Name: req.Name, Definitions: []Definition{}, Files: []UsageFile{}, Cut: []string{}}}
	if snap := rt.enter(ctx, q, reply); snap != nil {
		defer snap.Close()
		if err := f.find(ctx, snap, reply); err != nil {
			rt.missing(ctx, q, reply, err)
		}
		if rt.opts.Asker != nil && len(f.changed) > 0 {
			rt.opts.Asker.Ask(ctx, req.Target.Project, req.Target.Root, f.changed)
		}
	}
	return f.out.finish(reply, began)
}

// FailedUsages is the reply to a request that could not even be put to the store.
func (rt *Retriever) FailedUsages(req UsagesRequest, err error) *Usages {
	reply := NewReply(Request{Text: req.Name, Target: req.Target})
	rt.note(reply, err)
	u := &Usages{Name: req.Name, Definitions: []Definition{}, Files: []UsageFile{}, Cut: []string{}}
	return u.finish(reply, time.Now())
}

// None reports whether nothing was found.
func (u *Usages) None() bool { return len(u.Definitions) == 0 && len(u.Files) == 0 }

// finish takes over what reply says of the index.
func (u *Usages) finish(reply *Reply, began time.Time) *Usages {
	if !u.None() { // what is told stands on the disk
		reply.Without(ChangesWaiting)
	}
	reply.finish(began)
	u.Project, u.Root, u.Reasons, u.Generation, u.IndexedAt, u.TookMS, u.LargerRoot = reply.Project, reply.Root,
		reply.Reasons, reply.Generation, reply.IndexedAt, reply.TookMS, reply.LargerRoot
	if u.Status = reply.Status; u.Status == Empty && !u.None() {
		u.Status = OK
	}
	return u
}

// find nominates the files that hold the name and reads them.
func (f *finding) find(ctx context.Context, snap search.Snapshot, reply *Reply) error {
	mode, err := search.ModeOf(ctx, f.rt.opts.Index, snap.Project().ID)
	if err != nil {
		return err
	}
	if mode == search.Names {
		reply.add(SearchUnsupported)
	}
	term := lexical.Word(usageTerm(f.name))
	found, err := snap.Nominate(ctx,
		search.Query{Words: []code.Term{term}, Names: []code.Term{lexical.Name(lexical.Key(f.name))},
			Files: maxUsageFiles})
	if err != nil {
		return err
	}
	if reply.addOf(found); found.Partial {
		f.cut("deadline")
	}
	root, err := sandbox.Open(snap.Project().Root, f.rt.opts.Sandbox)
	if err != nil { // the root went away under its index
		reply.add(IndexStale)
		return nil
	}
	defer root.Close()
	f.root, f.rules = root, root.NewChecker()
	holders := f.holders(found, term.ID, mode)
	for i := range holders {
		if ctx.Err() != nil || !f.read(ctx, &holders[i]) {
			reply.add(Deadline)
			f.cut("deadline")
			break
		}
	}
	if f.sort(); f.out.None() && ctx.Err() == nil {
		f.out.NearestNames = f.nearest(ctx, snap)
	}
	return nil
}

// cut notes a bound that left something out, once.
func (f *finding) cut(bound string) {
	if !slices.Contains(f.out.Cut, bound) {
		f.out.Cut = append(f.out.Cut, bound)
	}
}
