package profile

// Scope says how far an item reaches.
type Scope string

// The scopes, in the order of a profile's weights.
const (
	Task    Scope = "task"    // of the task at hand
	Project Scope = "project" // of this project
	Global  Scope = "global"  // of all projects
)

// Item is one piece that might go into a prompt, whatever it came from: a chunk of code, a memory, a completed task.
type Item struct {
	ID         string   // stable: the same piece has the same id in the next prompt
	Scope      Scope    //
	Kind       string   // code, test, plan, decision, …: what profiles prefer and exclude; lower case
	Source     string   // "file:src/a.go:10-30", "memory:<id>", "history:<task>"
	Tags       []string //
	Importance float64  // in [0,1]: how much it matters whatever is asked
	Relevance  float64  // in [0,1]: how likely it is what was asked for
	Text       string   // what goes into the prompt
	Line       string   // its one-line form (path, span, signature), when the text is not worth its tokens
	Verify     bool     // what it cites has changed since it was written
	Guess      bool     // it is probably not what was asked for: it counts neither as head nor as tail
}
