package compile

// State is all that a context is made of: every call's context is a fresh projection of it.
type State struct {
	Issue    *Issue // what the work is for; nil if nobody said
	Design   string // the design document; "" for none
	Task     *Task  // the current task
	Code     []Piece
	Memory   []Piece
	History  string // the last tasks, without a heading; "" for none
	Blockers string // what is blocked, without a heading; "" for none
}

// Issue is what a project works on.
type Issue struct {
	Title       string `json:"title"`
	Description string `json:"description"`
}

// Task is the work at hand.
type Task struct {
	ID             string          `json:"id"`
	Title          string          `json:"title"`
	Description    string          `json:"description"`
	FileOperations []FileOperation `json:"file_operations,omitempty"`
	Steps          []Step          `json:"steps,omitempty"`
	Diff           string          `json:"diff,omitempty"`
	Acceptance     []string        `json:"acceptance_criteria,omitempty"`
}

// FileOperation is a change of a file that a task asks for.
type FileOperation struct {
	Op   string `json:"op"` // create, modify, delete, …
	Path string `json:"path"`
}

// Step is one step of a task.
type Step struct {
	Description string `json:"description"`
	Code        string `json:"code"` // what to write; "" for none
	Run         string `json:"run"`  // the command that proves it; "" for none
}

// Piece is a text that was found for the task, with where it is from.
type Piece struct {
	ID       string
	Source   string // "src/a.go:10-30", "memory:m_1"
	Kind     string // code, decision, …
	Language string // of code, for its fence
	Text     string
	Pointer  bool   // Text is one line that tells what is at Source
	Guess    bool   // of a pointer: it is probably not what was asked for, and says so
	Verify   bool   // what it cites has changed since it was written
	Missing  string // says why the text cannot be shown, in place of all that the piece would say; "" where it can
	Date     string // when it was written, as it is shown; "": not shown
}
