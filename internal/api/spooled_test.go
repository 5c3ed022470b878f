package api

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	client "github.com/contextd/contextd/clients/go"
	"github.com/contextd/contextd/internal/backend"
	"github.com/contextd/contextd/internal/queue/spool"
	"github.com/contextd/contextd/internal/rdb/rdbtest"
)

func TestRefreshesAreKeptWhileRedisIsAwayAndDeliveredOnce(t *testing.T) {
	t.Parallel()
	s := rdbtest.Own(t, rdbtest.Search, "--appendonly", "yes", "--appendfsync", "always")
	kept := spool.Open(filepath.Join(t.TempDir(), "spool"))
	w := start(t, backend.Options{Redis: s.URL, Prefix: s.Prefix, Deadline: 2 * time.Second}, func(o *Options) {
		o.Spool = kept
	})
	w.index("web")
	w.index("listed")
	var all struct{ Projects []client.Project }
	w.get(&all, "GET", "/v1/projects", "")
	var done client.RefreshReply
	if w.get(&done, "POST", "/v1/projects/web/refresh", ""); done.Spooled {
		t.Errorf("with Redis: %+v", done)
	}
	jobs, err := w.app.Backend.Queue()
	if err != nil {
		t.Fatal(err)
	}
	before, err := jobs.Pushed(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s.Kill(t)
	for _, body := range []string{"", `{"changed_files":["src/mail/send.go"]}`, `{"root":` + quote(w.root) + `}`} {
		done = client.RefreshReply{}
		if w.get(&done, "POST", "/v1/projects/web/refresh", body); !done.Spooled || done.ID == "" ||
			done.Root != w.root || done.By != "nobody" {
			t.Errorf("without Redis, %s: %+v", body, done)
		}
	}
	if w.get(&done, "POST", "/v1/projects/listed/refresh", ""); !done.Spooled || done.Root != w.root {
		t.Errorf("a project that was only listed: %+v", done)
	}
	w.refused(unavailable, "POST", "/v1/projects/never-seen/refresh", "")
	w.refused(rootNotAllowed, "POST", "/v1/projects/web/refresh", `{"root":`+quote(t.TempDir())+`}`)
	s.Restart(t)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { kept.Run(ctx, w.srv.deliver, w.srv.log); close(ended) }()
	defer func() { stop(); <-ended }()
	for end := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		left, err := os.ReadDir(kept.Dir())
		if err != nil {
			t.Fatal(err)
		}
		if len(left) == 0 {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("%d files left:\n%s", len(left), w.logs.String())
		}
	}
	if n, err := jobs.Pushed(t.Context()); err != nil || n-before != 4 {
		t.Errorf("%d requests arrived, %v", n-before, err)
	}
}

func TestRefreshThatNeitherStoreNorSpoolTakesIsUnavailable(t *testing.T) {
	t.Parallel()
	s := rdbtest.Own(t, rdbtest.Search)
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	w := start(t, backend.Options{Redis: s.URL, Prefix: s.Prefix, Deadline: 2 * time.Second}, func(o *Options) {
		o.Spool = spool.Open(file)
	})
	s.Kill(t)
	p := w.refused(unavailable, "POST", "/v1/projects/web/refresh", `{"root":`+quote(w.root)+`}`)
	if !strings.Contains(p.Detail, "spool") {
		t.Errorf("problem %+v", p)
	}
}
