package local

import (
	"fmt"
	"runtime/debug"

	"github.com/contextd/contextd/internal/search"
)

// DamagedError is returned by Open for a project whose stored state cannot be read: it must be indexed again. It counts
// as search.ErrNoProject; Unwrap gives what is wrong.
type DamagedError struct {
	Project string
	Cause   error
}

func (e *DamagedError) Error() string {
	return fmt.Sprintf("index of project %q is damaged: %v", e.Project, e.Cause)
}

// Is makes the error a search.ErrNoProject.
func (e *DamagedError) Is(target error) bool { return target == search.ErrNoProject }

func (e *DamagedError) Unwrap() error { return e.Cause }

// recoverFault runs f, which reads mapped files, and returns a memory fault as an error: a file that is truncated while
// it is mapped must not end the process.
func recoverFault(f func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			fault, ok := p.(interface {
				error
				Addr() uintptr
			})
			if !ok {
				panic(p)
			}
			err = fmt.Errorf("an index file was cut short while it was read: %v", fault)
		}
	}()
	return f()
}
