package search

import "context"

// Inspector is an Index that can check what it stores. Both backings implement it.
type Inspector interface {
	// Inspect checks every project and returns a Fault for each one that a query could not read. It changes nothing. An
	// error means that the check itself failed.
	Inspect(ctx context.Context) ([]Fault, error)
}

// Fault describes damage in the stored index of a project.
type Fault struct {
	Project string // its id, or the name of its folder where the id cannot be read
	Detail  string // for people
}
