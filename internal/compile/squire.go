package compile

func init() { builtin = append(builtin, squire{}) }

// squire plans and reviews for a knight: issue, task, diff and criteria.
type squire struct{}

func (squire) Kind() string { return "squire" }

func (squire) Takes() Takes { return TakesAll }

func (q squire) Compile(s State) (*Context, error) {
	task, err := s.currentTask()
	if err != nil {
		return nil, err
	}
	sections := append(append(s.issue(), s.design()...), task...)
	sections = append(append(append(sections, s.operations()...), s.diff()...), s.acceptance()...)
	return &Context{SystemPrompt: system("You are a squire: you plan and review for those who implement. Weigh the current task against plans, decisions and " +
		"earlier failures, and name risks before they happen."), Sections: append(sections, s.foundParts(q.Takes())...)}, nil
}
