package compile

func init() { builtin = append(builtin, knight{}) }

// knight implements on its own: the task with all that belongs to it, and everything that was found.
type knight struct{}

func (knight) Kind() string { return "knight" }

func (knight) Takes() Takes { return TakesAll }

func (k knight) Compile(s State) (*Context, error) {
	task, err := s.currentTask()
	if err != nil {
		return nil, err
	}
	sections := append(s.issue(), task...)
	sections = append(append(append(sections, s.operations()...), s.steps()...), s.acceptance()...)
	return &Context{SystemPrompt: system("You are a knight: you implement. Solve the current task in the code that is there, keep to its conventions and to what was " +
		"decided, and prove with tests that it works."), Sections: append(sections, s.foundParts(k.Takes())...)}, nil
}
