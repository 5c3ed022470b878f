package queue

import "context"

// Fault is a key of the queue that is not as it should be.
type Fault struct {
	Project string // the one that waits because of it; "" for all
	Detail  string // names the key
	Hint    string // the command that mends it
}

// Inspector is a Queue that others write to, too.
type Inspector interface {
	// Inspect looks for faults and changes nothing.
	Inspect(ctx context.Context) ([]Fault, error)
}
