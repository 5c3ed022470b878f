package sandbox

import (
	"context"

	"github.com/contextd/contextd/internal/code"
	"github.com/contextd/contextd/internal/notebook"
	"github.com/contextd/contextd/internal/secret"
	"github.com/contextd/contextd/internal/textfile"
)

// Content decodes the bytes of the file and applies the rules on what a file holds, in order: binary, secret_content,
// generated, minified; the last two not where a "!" of a .contextdignore lifts it. Reason is "" where none applies.
// Detail never holds a part of a secret.
func (f File) Content(data []byte) (text string, s Skipped) {
	text, s, _ = f.ContentWithin(context.Background(), data)
	return text, s
}

// ContentWithin is Content until its context is over: then the error says so, and nothing is known of the file.
func (f File) ContentWithin(ctx context.Context, data []byte) (text string, s Skipped, err error) {
	text, ok := textfile.Decode(data)
	if !ok {
		return "", Skipped{Path: f.Path, Reason: code.Binary, Detail: "not text"}, nil
	}
	if isNotebook(f.Path) {
		if script, ok := notebook.Script(text); ok {
			text = script
		}
	}
	if textfile.LFSPointer(text) {
		return "", Skipped{Path: f.Path, Reason: code.LFSPointer, Detail: "git LFS keeps its content elsewhere"}, nil
	}
	rule, found, err := secret.FindWithin(ctx, text)
	if err != nil {
		return "", Skipped{}, err
	}
	if found {
		return text, Skipped{Path: f.Path, Reason: code.SecretContent, Detail: rule}, nil
	}
	if f.Lifted {
		return text, Skipped{}, nil
	}
	if reason, detail := textfile.MachineWritten(f.Path, text); reason != "" {
		return text, Skipped{Path: f.Path, Reason: reason, Detail: detail}, nil
	}
	return text, Skipped{}, nil
}
