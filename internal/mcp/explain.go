package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"

	"github.com/contextd/contextd/internal/safetext"
)

func why(ctx context.Context, e Engine, args json.RawMessage) (string, error) {
	var a struct {
		Path string `json:"path"`
		Root string `json:"root"`
	}
	if err := decode(args, &a); err != nil {
		return "", err
	}
	if err := cmp.Or(text("path", a.Path, maxPath), line("path", a.Path, maxPath),
		line("root", a.Root, maxPath)); err != nil {
		return "", err
	}
	v, err := e.Why(ctx, a.Root, a.Path)
	if err != nil {
		return "", err
	}
	return safetext.Cut(v.Sentence(), MaxText-1) + "\n", nil
}

func compiled(ctx context.Context, e Engine, args json.RawMessage) (string, error) {
	var a struct {
		Task   string `json:"task"`
		Budget *int   `json:"budget"`
		Root   string `json:"root"`
	}
	if err := decode(args, &a); err != nil {
		return "", err
	}
	budget, err := number("budget", a.Budget, 1000, 200, 8000)
	if err := cmp.Or(text("task", a.Task, maxQuery), line("root", a.Root, maxPath), err); err != nil {
		return "", err
	}
	c, err := e.Context(ctx, a.Root, a.Task, budget)
	if err != nil {
		return "", err
	}
	head := "Root: " + place(c.Root)
	if c.ID != "" {
		head += "; receipt " + safetext.Line(c.ID)
	}
	return fmt.Sprintf("%s\n\n%s\n", head, safetext.Cut(safetext.Text(c.Text), 8*budget)), nil
}
