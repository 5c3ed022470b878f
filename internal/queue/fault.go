package queue

import "context"

// Fault is a damaged key of the queue.
type Fault struct {
	Project string // the project that is blocked by it; "" for all
	Detail  string // names the key
	Hint    string // the command that repairs it
}

// Inspector is a Queue whose keys other programs can damage.
type Inspector interface {
	// Inspect looks for faults and changes nothing.
	Inspect(ctx context.Context) ([]Fault, error)
}
