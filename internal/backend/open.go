package backend

import (
	"path/filepath"

	"github.com/contextd/contextd/internal/queue"
	redisqueue "github.com/contextd/contextd/internal/queue/redis"
	"github.com/contextd/contextd/internal/queue/sqlite"
	"github.com/contextd/contextd/internal/search"
	"github.com/contextd/contextd/internal/search/local"
	"github.com/contextd/contextd/internal/search/redisearch"
	"github.com/contextd/contextd/internal/store"
	redisstore "github.com/contextd/contextd/internal/store/redis"
	sqlitestore "github.com/contextd/contextd/internal/store/sqlite"
)

const (
	queueFile     = "queue.db"
	documentsFile = "documents.db"
	projectsDir   = "projects"
)

func openLocal(o Options) (search.Index, error) {
	mode := search.Full
	if o.NamesOnly {
		mode = search.Names
	}
	return local.Open(local.Options{Dir: filepath.Join(o.StateDir, projectsDir), Log: o.Log, Mode: mode})
}

func openRedisearch(o Options) (search.Index, error) {
	mode := "auto"
	if o.NamesOnly {
		mode = "names"
	}
	return redisearch.Open(redisearch.Options{URL: o.Redis, Prefix: o.Prefix, Mode: mode, Vectors: o.VectorIndex,
		Deadline: o.Deadline, Log: o.Log})
}

func openQueue(o Options) (queue.Queue, error) {
	if o.Redis != "" {
		return redisqueue.Open(redisqueue.Options{URL: o.Redis, Prefix: o.Prefix, Deadline: o.Deadline, Log: o.Log})
	}
	return sqlite.Open(filepath.Join(o.StateDir, queueFile), o.Log)
}

// openExistingQueue is the embedded queue if its file exists, else nil.
func openExistingQueue(o Options) (queue.Queue, error) {
	q, ok, err := sqlite.OpenExisting(filepath.Join(o.StateDir, queueFile), o.Log)
	if !ok {
		return nil, err
	}
	return q, nil
}

func openDocuments(o Options) (store.Store, error) {
	if o.Redis != "" {
		return redisstore.Open(redisstore.Options{URL: o.Redis, Prefix: o.Prefix, Deadline: o.Deadline})
	}
	return sqlitestore.Open(filepath.Join(o.StateDir, documentsFile), o.Log)
}
