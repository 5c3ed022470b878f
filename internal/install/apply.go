package install

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/contextd/contextd/internal/agents"
	"github.com/contextd/contextd/internal/confedit"
	"github.com/contextd/contextd/internal/syserr"
)

// Apply carries out a plan: all of it, or nothing and an error. At the end the command lines that stand in the files
// are read back, started and spoken to.
func (in *Installer) Apply(ctx context.Context, p *Plan) error {
	unlock, err := in.lock()
	if err != nil {
		return err
	}
	defer unlock()
	now, err := in.readRecords()
	if err != nil {
		return err
	}
	if !reflect.DeepEqual(now, p.read) {
		return errors.New("another installation has run meanwhile: try again")
	}
	same := reflect.DeepEqual(p.read, p.book)
	if !same {
		// before the files: a record of what did not happen does no harm, a file without its record is not given back
		// exactly
		if err := in.writeRecords(p.book); err != nil {
			return err
		}
	}
	var undo []func() error
	for i := range p.Changes {
		var back func() error
		if back, err = in.applyChange(ctx, &p.Changes[i]); back != nil {
			undo = append(undo, back)
		}
		if err != nil {
			break
		}
	}
	if err == nil {
		if err = in.verifyInstalled(ctx, p); err == nil {
			for _, c := range p.Changes {
				pruneDirs(c.dirs)
			}
			return nil
		}
	}
	var failed []error
	for _, back := range slices.Backward(undo) {
		failed = append(failed, back())
	}
	if !same {
		failed = append(failed, in.writeRecords(p.read))
	}
	if bad := errors.Join(failed...); bad != nil {
		return fmt.Errorf("%w; and not everything could be taken back: %w", err, bad)
	}
	if len(p.Changes) > 0 {
		return fmt.Errorf("%w; everything is as it was", err)
	}
	return err
}

// applyChange makes one change and returns a function that undoes it.
func (in *Installer) applyChange(ctx context.Context, c *Change) (back func() error, err error) {
	wrap := func(verb string, err error) error {
		if err == nil {
			return nil
		}
		return fmt.Errorf("%s %q: %w", verb, c.Path, syserr.Cause(err))
	}
	switch {
	case len(c.Run) > 0:
		back = func() error { return in.runAll(context.WithoutCancel(ctx), c.undone) }
		return back, in.runAll(ctx, c.Run)
	case c.After == nil:
		if err = c.file.remove(nil); err == nil {
			back = func() error { _, err := c.file.write(c.Before, c.mode); return wrap("restore", err) }
		}
		return back, wrap("remove", err)
	}
	made, err := c.file.write(c.After, c.mode)
	switch {
	case err != nil:
		c.file.prune(made)
	case c.Before == nil:
		back = func() error { return wrap("remove", c.file.remove(made)) }
	default:
		back = func() error { _, err := c.file.write(c.Before, c.mode); return wrap("restore", err) }
	}
	return back, wrap("write", err)
}

func (in *Installer) runAll(ctx context.Context, calls []Call) error {
	for _, argv := range calls {
		if err := in.Run(ctx, argv); err != nil {
			return fmt.Errorf("run %q: %w", strings.Join(argv, " "), err)
		}
	}
	return nil
}

// verifyInstalled reads the command lines of the servers back from their files and starts each once.
func (in *Installer) verifyInstalled(ctx context.Context, p *Plan) error {
	var started [][]string
	for _, u := range p.verify {
		entry, err := in.entry(u)
		if err != nil {
			return err
		}
		argv := agents.Command(entry)
		if !slices.Equal(argv, []string{u.command, "mcp"}) {
			return fmt.Errorf("read %q again: the server is not there", u.path)
		}
		if in.Check == nil || slices.ContainsFunc(started, func(other []string) bool {
			return slices.Equal(other, argv)
		}) {
			continue
		}
		started = append(started, argv)
		if err := in.Check(ctx, argv); err != nil {
			return fmt.Errorf("start %q: %w", strings.Join(argv, " "), err)
		}
	}
	return nil
}

// entry reads the entry of our server from a file; nil if there is none.
func (in *Installer) entry(u targetUse) (any, error) {
	f, err := open(u.path, in.within(u.target))
	if err != nil {
		return nil, err
	}
	defer f.close()
	var v any
	if u.target.Form == agents.TOML {
		t, found, failed := confedit.GetTOML(f.data, u.target.Key...)
		if err = failed; found {
			v = t
		}
	} else {
		v, _, err = confedit.GetJSON(f.data, u.target.Key...)
	}
	if err != nil {
		return nil, fmt.Errorf("read %q: %w", u.path, err)
	}
	return v, nil
}
