package compile

func init() { builtin = append(builtin, reviewer{}) }

// reviewer judges a change: the diff, what the task was and when it is done.
type reviewer struct{}

func (reviewer) Kind() string { return "reviewer" }

func (reviewer) Takes() Takes { return TakesAll }

func (r reviewer) Compile(s State) (*Context, error) {
	task, err := s.currentTask()
	if err != nil {
		return nil, err
	}
	sections := append(append(s.diff(), task...), s.acceptance()...)
	return &Context{SystemPrompt: system("You are the reviewer. Judge the code diff by the task and its acceptance criteria. Name each fault with its file and line, " +
		"and say whether each criterion is met."), Sections: append(sections, s.foundParts(r.Takes())...)}, nil
}
