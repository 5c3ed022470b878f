package compile

func init() { builtin = append(builtin, architect{}) }

// architect designs: the issue and the design document, if there is one. Without an issue the task stands in for it.
type architect struct{}

func (architect) Kind() string { return "architect" }

func (architect) Takes() Takes { return TakesAll }

func (a architect) Compile(s State) (*Context, error) {
	sections := s.issue()
	if len(sections) == 0 {
		task, err := s.currentTask()
		if err != nil {
			return nil, ErrNoText
		}
		sections = task
	}
	sections = append(sections, s.design()...)
	return &Context{SystemPrompt: system("You are the architect. Design a solution for the issue that fits the code and the decisions that are there, and say what " +
		"has to change and why. Do not write the code."), Sections: append(sections, s.foundParts(a.Takes())...)}, nil
}
