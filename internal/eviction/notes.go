package eviction

import (
	"context"
	"strconv"
	"time"
)

// notes keep the use of projects. A note is kept under a name that stands for the project's id.
type notes interface {
	// queried notes a question. It may return before that is written.
	queried(project string, now time.Time)
	// brought notes that a project is indexed, unless that or a question to it was noted before.
	brought(ctx context.Context, project string, now time.Time)
	// all reads all uses, by their names.
	all(ctx context.Context) (map[string]use, error)
	// name is the name under which the use of a project is noted.
	name(project string) string
	// drop removes what is noted under a name.
	drop(ctx context.Context, name string)
	// wait waits for what queried is still writing.
	wait()
}

// millis reads a time in milliseconds since 1970; zero if it is none.
func millis(text string) time.Time {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n <= 0 {
		return time.Time{}
	}
	return time.UnixMilli(n)
}
