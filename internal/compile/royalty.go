package compile

func init() { builtin = append(builtin, royalty{}) }

// royalty decides: what the work is for and what was decided; no code.
type royalty struct{}

func (royalty) Kind() string { return "royalty" }

func (royalty) Takes() Takes { return TakesMemory | TakesHistory | TakesBlockers }

func (r royalty) Compile(s State) (*Context, error) {
	sections := append(s.issue(), s.design()...)
	if task, err := s.currentTask(); err == nil {
		sections = append(sections, task...)
	}
	if len(sections) == 0 {
		return nil, ErrNoText
	}
	return &Context{SystemPrompt: system("You are royalty: you decide and do not implement. Set the direction from what was decided, what is conventional here and " +
		"what is blocked, and say what others shall do."), Sections: append(sections, s.foundParts(r.Takes())...)}, nil
}
