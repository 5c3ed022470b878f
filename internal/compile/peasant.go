package compile

func init() { builtin = append(builtin, peasant{}) }

// peasant carries out one small task and sees nothing else but what was handed to it and what is blocked.
type peasant struct{}

func (peasant) Kind() string { return "peasant" }

func (peasant) Takes() Takes { return TakesMemory | TakesBlockers }

func (p peasant) Compile(s State) (*Context, error) {
	sections, err := s.currentTask()
	if err != nil {
		return nil, err
	}
	sections = append(append(sections, s.operations()...), s.steps()...)
	return &Context{SystemPrompt: system("You are a peasant: you do exactly what the current task says, nothing more, and report what you did."),
		Sections: append(sections, s.foundParts(p.Takes())...)}, nil
}
