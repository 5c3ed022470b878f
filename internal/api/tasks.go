package api

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	client "github.com/contextd/contextd/clients/go"
	"github.com/contextd/contextd/internal/history"
	"github.com/contextd/contextd/internal/memory"
	"github.com/contextd/contextd/internal/secret"
)

// limitOf reads the parameter "limit" that bounds a list, from 1; absent it is otherwise.
func limitOf(q map[string]string, otherwise, most int) (int, error) {
	text, ok := q["limit"]
	if !ok {
		return otherwise, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > most {
		return 0, wrong("limit", "want a whole number from 1 to %d (got %.40q)", most, text)
	}
	return n, nil
}

// taskID is an id of a task as history takes it.
func taskID(field, id string) error {
	if id == "" || len(id) > history.MaxID || !utf8.ValidString(id) || strings.ContainsFunc(id, unicode.IsControl) {
		return wrong(field, "want 1 to %d bytes, no control characters (got %.40q)", history.MaxID, id)
	}
	if field == "task_type" { // its secrets are replaced
		return nil
	}
	return noSecret(field, id)
}

// noSecret refuses an id that is a secret: it would have to be stored as it is to be found again.
func noSecret(field, id string) error {
	if rule, found := secret.Find(id); found {
		return wrong(field, "want an id that holds no secret (%s)", rule)
	}
	return nil
}

func (s *Server) listTasks(_ http.ResponseWriter, r *http.Request) (reply, error) {
	q := queryOf(r)
	n, err := limitOf(q, history.MaxTasks, history.MaxTasks)
	if err != nil {
		return reply{}, err
	}
	state, err := s.state(r)
	if err != nil {
		return reply{}, err
	}
	tasks := slices.Clone(state.OfType(q["type"]).Window(n).Tasks)
	slices.Reverse(tasks)
	return ok(map[string]any{"tasks": append([]history.Task{}, tasks...)})
}

// state is the working memory of the project in a request's path.
func (s *Server) state(r *http.Request) (history.State, error) {
	h, id, err := s.historyFor(r)
	if err != nil {
		return history.State{}, err
	}
	return h.Load(r.Context(), id)
}

// historyFor is the history, and the project in a request's path.
func (s *Server) historyFor(r *http.Request) (h *history.History, project string, err error) {
	if project, err = projectID(r); err != nil {
		return nil, "", err
	}
	h, err = s.opts.App.History()
	return h, project, err
}

// completed is a task as a client sends it: fields that are not known are kept, so none is refused.
type completed struct {
	history.Task
	agent string // whose memory is to be re-tiered
	said  bool   // the toggle is given
}

func (c *completed) UnmarshalJSON(data []byte) error {
	if err := (&lenient{&c.Task}).UnmarshalJSON(data); err != nil {
		return err
	}
	var extra struct {
		Agent any   `json:"agent_id"`
		On    *bool `json:"requires_context"`
	}
	_ = json.Unmarshal(data, &extra) // it was an object
	c.agent, _ = extra.Agent.(string)
	c.said = extra.On != nil
	return nil
}

func (s *Server) completeTask(w http.ResponseWriter, r *http.Request) (reply, error) {
	id, err := projectID(r)
	if err != nil {
		return reply{}, err
	}
	q := queryOf(r)
	var c completed
	if err := decode(w, r, maxBody, false, &c); err != nil {
		return reply{}, err
	}
	if err := taskID("task_id", c.ID); err != nil {
		return reply{}, err
	}
	if c.Type != "" {
		if err := taskID("task_type", c.Type); err != nil {
			return reply{}, err
		}
	}
	if q["agent"] != "" {
		c.agent = q["agent"]
	}
	if !c.said {
		c.RequiresContext, _ = s.opts.App.Policy.For(id, c.Type)
	}
	by := memory.Who{Agent: c.agent, Project: id}
	if c.agent != "" { // before anything is recorded
		if err := by.Check(q["next_task"]); err != nil {
			if bad := (*memory.Invalid)(nil); errors.As(err, &bad) && bad.Field == "task_id" {
				// that is another one here
				return reply{}, wrong("next_task", "%q: want %s", bad.Value, bad.Want)
			}
			return reply{}, err
		}
	}
	h, err := s.opts.App.History()
	if err != nil {
		return reply{}, err
	}
	task, err := h.Complete(r.Context(), id, c.Task)
	if err != nil {
		return reply{}, err
	}
	s.hub.publish(eventTask, id, c.agent, task)
	if c.agent != "" {
		if err := s.retier(r, by, q["next_task"]); err != nil {
			return reply{}, err
		}
	}
	return reply{code: http.StatusCreated, body: task}, nil
}

// retier re-tiers an agent's memory, as is due after each task. next is the task that comes.
func (s *Server) retier(r *http.Request, who memory.Who, next string) error {
	m, err := s.opts.App.Memory()
	if err != nil {
		return err
	}
	n, err := m.Retier(r.Context(), who, next)
	if err != nil {
		return fmt.Errorf("the task is recorded, but the memory of agent %q is not re-tiered: %w", who.Agent, err)
	}
	if n > 0 {
		s.remembered(who, "retier", n)
	}
	return nil
}

func (s *Server) patchTask(w http.ResponseWriter, r *http.Request) (reply, error) {
	h, id, err := s.historyFor(r)
	if err != nil {
		return reply{}, err
	}
	task, err := pathText(r, "task")
	if err != nil {
		return reply{}, err
	}
	var q client.TaskPatch
	if err := decode(w, r, maxBody, false, &q); err != nil {
		return reply{}, err
	}
	if q.RequiresContext == nil {
		return reply{}, wrong("requires_context", "want true or false")
	}
	return result(h.SetRequiresContext(r.Context(), id, task, *q.RequiresContext))
}
