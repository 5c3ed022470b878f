// Package wire turns what is known of projects and the queue into the types of the wire, which the server sends and the
// commands print with --json. The types are those of the Go client, generated from the description of the API.
package wire

import (
	"slices"
	"strings"
	"time"

	client "github.com/contextd/contextd/clients/go"
	"github.com/contextd/contextd/internal/backend"
	"github.com/contextd/contextd/internal/queue"
	"github.com/contextd/contextd/internal/safetext"
	"github.com/contextd/contextd/internal/servers"
)

// Time is a time in JSON: RFC 3339 in UTC, "" for none.
func Time(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339Nano)
}

// Project is one root of a project.
func Project(p backend.State) client.Project {
	return client.Project{ID: p.ProjectID(), Root: p.Root, Files: p.Files, Chunks: p.Chunks, Generation: p.Generation,
		IndexedAt: Time(p.IndexedAt), Stale: p.Stale, Pending: p.Pending, Model: p.Model.Embedder,
		RetrievalOffUntil: Time(p.Off)}
}

// Servers are the several servers of a store, fault being what came of asking all of them; none where there is one.
// states, where they were asked for, are the projects that came.
func Servers(b *backend.Backend, fault error, states []backend.State) (all []client.Server) {
	for _, one := range b.Servers() {
		if one.Server() == "" {
			return nil
		}
		s := client.Server{Name: one.Server(), Address: one.Address()}
		for _, p := range states {
			if one.Owns(p.ID) {
				s.Projects++
			}
		}
		if err := one.Mine(fault); err != nil {
			s.Error, s.DownSince = safetext.Line(err.Error()), one.DownSince()
			s.Projects = one.Seen().Projects
		}
		all = append(all, s)
	}
	return all
}

// Missing are all of several servers, where err is of some that did not answer; what those hold is not in a list.
func Missing(err error) (all []client.ServerAnswer) {
	for _, s := range servers.Missing(err) {
		all = append(all, client.ServerAnswer{Name: s.Name, Error: s.Error})
	}
	return all
}

// QueueCounts are the counts of the queue.
func QueueCounts(s queue.Stats) client.QueueCounts {
	return client.QueueCounts{Depth: s.Depth, Delayed: s.Delayed, Inflight: s.Inflight, Dead: s.Dead,
		OldestAgeMS: s.Oldest.Milliseconds()}
}

// DeadLetters are the requests that failed for good.
func DeadLetters(letters []queue.Letter) client.DeadLetters {
	all := make([]client.DeadLetter, 0, len(letters))
	for _, l := range letters {
		all = append(all, client.DeadLetter{ID: l.ID, Project: l.Project, Root: l.Root, Reason: l.Reason,
			Attempts: l.Attempts, At: Time(l.At), Paths: append([]string{}, l.Paths...)})
	}
	return client.DeadLetters{Dead: all}
}

// FieldName is the path of a field as it was written in JSON, of one that package json tells: that has the Go names of
// embedded structs between, which begin with a capital, as no field on the wire does.
func FieldName(path string) string {
	parts := slices.DeleteFunc(strings.Split(path, "."), func(part string) bool {
		return part != "" && part[0] >= 'A' && part[0] <= 'Z'
	})
	return strings.Join(parts, ".")
}
