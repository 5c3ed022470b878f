package history

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/contextd/contextd/internal/safetext"
	"github.com/contextd/contextd/internal/secret"
	"github.com/contextd/contextd/internal/store"
)

// redacted is the task without the secrets in any of its strings, those that this version does not know included.
func redacted(ctx context.Context, t Task) (Task, error) {
	whole, err := t.MarshalJSON()
	if err != nil {
		return t, err
	}
	clean, err := secret.RedactJSONWithin(ctx, whole)
	if err != nil {
		return t, err
	}
	if string(clean) == string(whole) {
		return t, nil
	}
	err = t.UnmarshalJSON(clean)
	t.Type = safetext.Cut(t.Type, MaxID) // what stands for a secret may be longer
	return t, err
}

func redact(ctx context.Context, text string) (string, error) {
	clean, _, err := secret.RedactWithin(ctx, text)
	return clean, err
}

// shown is an id as errors show it: without a secret, and not longer than an id may be.
func shown(ctx context.Context, id string) string {
	clean, _ := redact(ctx, safetext.Cut(id, MaxID)) // nothing is shown where the context is over
	return clean
}

// checkSecret refuses an id that is a secret: by what stood in its place the record would not be found again.
func checkSecret(ctx context.Context, what, id string) error {
	if clean, rules, err := secret.RedactWithin(ctx, id); err != nil {
		return err
	} else if clean != id {
		return fmt.Errorf("%s %q: want an id that holds no secret (%v)", what, clean, rules)
	}
	return nil
}

// redactWrites takes the secrets out of all that is about to be stored.
func redactWrites(ctx context.Context, writes []store.Write) (err error) {
	for i, w := range writes {
		if len(w.Data) > 0 && json.Valid(w.Data) {
			if writes[i].Data, err = secret.RedactJSONWithin(ctx, w.Data); err != nil {
				return err
			}
		}
	}
	return nil
}
