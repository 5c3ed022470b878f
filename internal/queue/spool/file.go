package spool

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/contextd/contextd/internal/queue"
)

// errNotRequest marks a file that must be set aside.
var errNotRequest = errors.New("not a refresh request")

// marshal writes the fields of a message as one JSON object, with changed_files as an array.
func marshal(fields map[string]string) ([]byte, error) {
	doc := make(map[string]any, len(fields))
	for k, v := range fields {
		if doc[k] = v; k == queue.FieldFiles {
			doc[k] = json.RawMessage(v)
		}
	}
	data, err := json.Marshal(doc)
	return append(data, '\n'), err
}

// decode reads a file: a JSON object with the fields of a message, where changed_files may be an array or, as in a
// message, a text that holds one. at stands for a requested_at that is missing.
func decode(data []byte, at time.Time) (queue.Request, error) {
	var doc map[string]json.RawMessage
	if err := json.Unmarshal(data, &doc); err != nil || doc == nil {
		return queue.Request{}, fmt.Errorf("%w: want a JSON object", errNotRequest)
	}
	fields := map[string]string{}
	for _, k := range []string{queue.FieldProject, queue.FieldRoot, queue.FieldFiles, queue.FieldRequested} {
		raw := bytes.TrimSpace(doc[k])
		switch {
		case len(raw) == 0 || string(raw) == "null":
		case raw[0] == '[' && k == queue.FieldFiles:
			fields[k] = string(raw)
		default:
			var text string
			if err := json.Unmarshal(raw, &text); err != nil {
				return queue.Request{}, fmt.Errorf("%w: %s: want text", errNotRequest, k)
			}
			fields[k] = text
		}
	}
	r, err := queue.Parse("", fields)
	if err != nil {
		return queue.Request{}, fmt.Errorf("%w: %w", errNotRequest, err)
	}
	if r.At.IsZero() {
		r.At = at
	}
	return r, nil
}

// readRequest opens and reads one request. fs.ErrNotExist: another process has delivered it.
func readRequest(root *os.Root, name string) (queue.Request, fs.FileInfo, error) {
	// Looked at first, for opening may follow a link or disturb a device; what counts is what the handle then says.
	seen, err := root.Lstat(name)
	if err != nil {
		return queue.Request{}, nil, err
	}
	if !seen.Mode().IsRegular() {
		return queue.Request{}, nil, fmt.Errorf("%w: it is no regular file", errNotRequest)
	}
	f, err := root.OpenFile(name, os.O_RDONLY|openNonblock, 0)
	if err != nil {
		return queue.Request{}, nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return queue.Request{}, nil, err
	case !os.SameFile(seen, info):
		return queue.Request{}, nil, fmt.Errorf("it was replaced meanwhile: %w", fs.ErrNotExist)
	case info.Size() > maxRequestBytes:
		return queue.Request{}, nil, fmt.Errorf("%w: longer than %d bytes", errNotRequest, maxRequestBytes)
	}
	data, err := io.ReadAll(io.LimitReader(f, maxRequestBytes+1))
	switch {
	case err != nil:
		return queue.Request{}, nil, err
	case len(data) > maxRequestBytes:
		return queue.Request{}, nil, fmt.Errorf("%w: longer than %d bytes", errNotRequest, maxRequestBytes)
	}
	r, err := decode(data, info.ModTime().UTC())
	return r, info, err
}

// eachName calls f with the names in the directory until f returns false. It reads them in batches to bound memory.
func eachName(root *os.Root, f func(name string) bool) error {
	d, err := root.Open(".")
	if err != nil {
		return err
	}
	defer d.Close()
	for {
		names, err := d.Readdirnames(1000)
		for _, name := range names {
			if !f(name) {
				return nil
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// countUsage counts all entries of the directory and their bytes.
func countUsage(root *os.Root) (files, bytes int64, err error) {
	err = eachName(root, func(name string) bool {
		if info, err := root.Lstat(name); err == nil {
			files++
			bytes += info.Size()
		}
		return files <= maxFiles
	})
	return files, bytes, err
}
