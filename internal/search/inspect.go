package search

import "context"

// Inspector is an Index that can say what is wrong with what it stores. Both backings are one.
type Inspector interface {
	// Inspect looks at every project and returns what a query would stumble over, one Fault each; none when all is well.
	// It changes nothing. An error means that it could not look.
	Inspect(ctx context.Context) ([]Fault, error)
}

// Fault is what is wrong with the stored index of a project.
type Fault struct {
	Project string // its id, or the name of its folder where the id cannot be read
	What    string // for people
}
