// Command supervisor is a supervisor's loop: for each task a context, the model's answer, what became of it.
//
//	go run ./clients/go/examples/supervisor ROOT [TASK…]
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	client "github.com/contextd/contextd/clients/go"
)

// askModel stands for your call of a model: messages are as its API wants them.
func askModel(messages []client.Message) string {
	return fmt.Sprintf("Looked at %d messages.", len(messages))
}

func work(ctx context.Context, c *client.Client, project, id, title string) error {
	r, err := c.Context(ctx, client.ContextRequest{Project: project, Agent: "worker-1", AgentKind: "knight",
		Task: &client.Work{ID: id, Title: title}})
	if err != nil {
		return err
	}
	fmt.Printf("%s: %s, %d of %d tokens\n", id, r.Status, r.Tokens, r.BudgetTokens)
	if _, err := c.Feedback(ctx, r.ID, client.Feedback{Response: askModel(r.Messages)}); err != nil {
		return err
	}
	_, err = c.CompleteTask(ctx, project, client.Task{ID: id, Intent: title, Success: new(true)}, "worker-1", "")
	return err
}

func main() {
	ctx, c := context.Background(),
		client.New(os.Getenv("CONTEXTD_URL"), client.Options{Token: os.Getenv("CONTEXTD_TOKEN")})
	root, err := filepath.Abs(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	found, err := c.Search(ctx, client.SearchRequest{Query: "main", Root: root, DeadlineMS: 10000})
	if err != nil {
		log.Fatal(err)
	}
	for i, title := range os.Args[2:] {
		if err := work(ctx, c, found.Project, fmt.Sprintf("task-%d", i+1), title); err != nil {
			log.Print(err)
		}
	}
}
