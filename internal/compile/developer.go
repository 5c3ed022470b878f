package compile

func init() { builtin = append(builtin, developer{}) }

// developer builds: the current task, its file operations and its steps.
type developer struct{}

func (developer) Kind() string { return "developer" }

func (developer) Takes() Takes { return TakesAll }

func (d developer) Compile(s State) (*Context, error) {
	sections, err := s.currentTask()
	if err != nil {
		return nil, err
	}
	sections = append(append(sections, s.operations()...), s.steps()...)
	return &Context{SystemPrompt: system("You are the developer. Carry out the current task: make the file operations, follow the steps in their order, and run " +
		"each step's command before you go on."), Sections: append(sections, s.foundParts(d.Takes())...)}, nil
}
