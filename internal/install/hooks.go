package install

import (
	"maps"
	"slices"
	"strconv"

	"github.com/contextd/contextd/internal/agents"
	"github.com/contextd/contextd/internal/confedit"
)

// hookSeconds is how long an agent waits for a hook; ours takes 0.2 s at most.
const hookSeconds = 5

// editor makes one edit after another.
type editor struct {
	data  []byte
	edits []confedit.Edit
	err   error
}

func (ed *editor) do(e confedit.Edit, err error) {
	if ed.err == nil {
		ed.err = err
	}
	if ed.err != nil || e == nil {
		return
	}
	ed.data, ed.err = e.Apply(ed.data)
	ed.edits = append(ed.edits, e)
}

// addHooks adds our hook to each event. Hooks of others stay; one of ours that starts another binary is replaced.
func (in *Installer) addHooks(ed *editor, u targetUse) {
	line := agents.HookLine(in.Env.GOOS, u.command, u.agent.ID)
	for _, event := range u.target.Event {
		path := append(u.target.Key[:len(u.target.Key):len(u.target.Key)], event.Name)
		lines, err := hookLines(ed.data, path, u.agent.ID)
		if ed.do(nil, err); ed.err != nil {
			return
		}
		if slices.Contains(lines, line) {
			continue
		}
		if len(lines) > 0 {
			in.removeEventHook(ed, path, u.agent.ID)
		}
		entry := confedit.Object{{Key: "hooks",
			Value: []any{confedit.Object{{Key: "type", Value: "command"}, {Key: "command", Value: line},
				{Key: "timeout", Value: hookSeconds}}}}}
		if event.Matcher != "" {
			entry = append(confedit.Object{{Key: "matcher", Value: event.Matcher}}, entry...)
		}
		if ed.err == nil {
			ed.do(confedit.AppendJSON(ed.data, path, entry))
		}
	}
}

// removeHooks removes our hook from all events, including those to which we no longer add it.
func (in *Installer) removeHooks(ed *editor, u targetUse) {
	all, _, err := confedit.GetJSON(ed.data, u.target.Key...)
	ed.do(nil, err)
	events, _ := all.(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(events)) {
		if ed.err != nil {
			return
		}
		path := append(u.target.Key[:len(u.target.Key):len(u.target.Key)], name)
		if lines, err := hookLines(ed.data, path, u.agent.ID); err != nil || len(lines) == 0 {
			continue // a form that is not ours
		}
		in.removeEventHook(ed, path, u.agent.ID)
		if ed.err == nil && confedit.EmptyJSON(ed.data, path...) {
			ed.do(confedit.RemoveJSON(ed.data, path))
		}
	}
}

// removeEventHook removes our hook from the groups of one event, and removes groups that are empty then.
func (in *Installer) removeEventHook(ed *editor, path []string, agent string) {
	v, _, err := confedit.GetJSON(ed.data, path...)
	ed.do(nil, err)
	groups, _ := v.([]any)
	for i, g := range groups {
		if ours, others := countHooks(g, agent); ed.err == nil && ours > 0 && others > 0 {
			inner := append(path[:len(path):len(path)], strconv.Itoa(i), "hooks")
			ed.do(confedit.RemoveElementsJSON(ed.data, inner, func(h any) bool {
				_, ok := hookOf(h, agent)
				return ok
			}))
		}
	}
	if ed.err == nil {
		ed.do(confedit.RemoveElementsJSON(ed.data, path, func(g any) bool {
			ours, others := countHooks(g, agent)
			return ours > 0 && others == 0
		}))
	}
}

// hookLines are the command lines of our hook in one event, of whatever binary.
func hookLines(data []byte, path []string, agent string) ([]string, error) {
	v, found, err := confedit.GetJSON(data, path...)
	if err != nil || !found {
		return nil, err
	}
	groups, _ := v.([]any)
	var lines []string
	for _, g := range groups {
		for _, h := range hooksOf(g) {
			if line, ok := hookOf(h, agent); ok {
				lines = append(lines, line)
			}
		}
	}
	return lines, nil
}

func hooksOf(group any) []any {
	m, _ := group.(map[string]any)
	list, _ := m["hooks"].([]any)
	return list
}

func hookOf(hook any, agent string) (line string, ours bool) {
	m, _ := hook.(map[string]any)
	line, _ = m["command"].(string)
	_, ours = agents.HookCommand(line, agent)
	return line, ours
}

func countHooks(group any, agent string) (ours, others int) {
	for _, h := range hooksOf(group) {
		if _, ok := hookOf(h, agent); ok {
			ours++
		} else {
			others++
		}
	}
	return ours, others
}
