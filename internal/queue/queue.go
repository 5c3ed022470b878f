package queue

import (
	"context"
	"errors"
	"time"

	"github.com/contextd/contextd/internal/code"
)

const (
	// Debounce is the time from a project's last message until the project is due.
	Debounce = 200 * time.Millisecond
	// MaxDelay is the longest time from a project's first message until it is due, however many messages follow.
	MaxDelay = 2 * time.Second
	// MaxPaths is the maximum number of pending paths of a project; more collapse into one rescan.
	MaxPaths = 5000
	// MaxFilesBytes is the maximum length of a message's changed_files; a longer one asks for a rescan and is not
	// decoded.
	MaxFilesBytes = 1 << 20
	// MaxDueAhead is longer than anything is put off. What is due later than that was put off by a clock that has been
	// set back since, and is due.
	MaxDueAhead = 10 * time.Minute
	// MaxAttempts is the number of failed runs after which a project's request becomes a dead letter.
	MaxAttempts = 6
	// LeaseTime is the time after which a claim expires unless Renew extends it.
	LeaseTime = 30 * time.Second
	// MaxDead is the maximum number of dead letters; older ones are dropped and counted.
	MaxDead = 10_000
)

// Rescan is the Item.Path that stands for the whole root.
const Rescan = "*"

// ErrLost is returned when a claim has passed to another worker.
var ErrLost = errors.New("the claim was lost to another worker")

// Request asks for a refresh of a project.
type Request struct {
	ID      string // given by the intake; unique, increasing
	Project string
	Root    string      // absolute path as sent
	Paths   []code.Path // what changed; nil: rescan the root
	At      time.Time   // when the refresh was requested, as sent or as received
}

// Item is one waiting change of a project.
type Item struct {
	Path code.Path // or Rescan
	ID   string    // of the newest request that named it
}

// Claim is one root of a project handed to one worker.
type Claim struct {
	Project  string // id of its index
	Root     string
	Items    []Item    // all that waited when it was claimed
	Attempts int       // runs before this one that failed, or of which nobody told how they ended
	Since    time.Time // when the oldest item began to wait
	Token    string    // proves the lease

	Abandoned bool // the run before this one is one of which nobody told how it ended: its process was killed, say
}

// Letter is a dead request.
type Letter struct {
	ID       string // the intake id of the message; RetryDead and DropDead take it
	Project  string // as far as it is known
	Root     string
	Reason   string
	Attempts int
	At       time.Time   // when it died
	Paths    []code.Path // at most 50
}

// Stats are the counts of the whole queue.
type Stats struct {
	Depth    int           // projects that wait: due or delayed, or only in the intake
	Delayed  int           // of these, those whose time has not come
	Inflight int           // claimed projects
	Dead     int           // dead letters
	Paths    int           // waiting paths of all projects; a rescan counts 1
	Oldest   time.Duration // age of the oldest waiting change; 0 if none waits
}

// Waiting summarizes the pending changes of one root of a project, undrained messages included.
type Waiting struct {
	// id of the index; the project's own where only undrained messages wait, whose index is not chosen yet
	Project string
	Root    string // of the newest message
	Paths   int    // a rescan counts 1
	Oldest  time.Duration
	Broken  string // why it cannot be claimed until somebody repairs it; "" if it can
}

// Queue holds refresh requests. It is safe for concurrent use and for use by many processes at once.
//
// What waits is kept by the id of its index (see search.IndexOf): accept puts it in place of the project's. Messages
// and dead letters name the project and the root.
type Queue interface {
	// Push appends a request to the intake with one round trip and returns its id. Only its form is checked.
	Push(ctx context.Context, r Request) (id string, err error)

	// Drain moves what is in the intake into the pending sets: it waits up to about 2 s for a first message, takes what
	// is there in batches and returns the number of messages taken. A message that Parse or accept refuses becomes one
	// dead letter with the error's text as its reason. accept may change the request (resolve its root, choose its
	// index). An error of accept that wraps ErrRetryLater merges the message all the same.
	Drain(ctx context.Context, accept func(*Request) error) (int, error)

	// Claim leases a due project; nil, nil when none is due. A claim whose lease ran out, or whose holder is a dead
	// process of this host (package owner), is handed out again at once. An attempt counts when its run begins, so that
	// a project that kills its process is known by its attempts.
	Claim(ctx context.Context) (*Claim, error)
	// Renew extends the lease by LeaseTime. ErrLost if it has passed on.
	Renew(ctx context.Context, c *Claim) error
	// Done removes the handled items that did not change meanwhile, ends the claim and clears the attempts. What is
	// left, or came meanwhile, is due again.
	Done(ctx context.Context, c *Claim, handled []Item) error
	// Retry ends the claim of a failed run: its attempt stays counted, due again after delay; the items stay.
	Retry(ctx context.Context, c *Claim, delay time.Duration) error
	// Release ends the claim and takes its attempt back, due again after delay; the items stay.
	Release(ctx context.Context, c *Claim, delay time.Duration) error
	// Bury ends the claim and makes one dead letter of its items.
	Bury(ctx context.Context, c *Claim, reason string) error

	// Mark returns a point in the order of requests, for a later DropUntil: it covers everything that was pushed
	// before.
	Mark(ctx context.Context) (string, error)
	// DropUntil drops the pending changes of a project and root that were pushed up to mark, undrained messages too: a
	// one-shot command has just refreshed the root itself. A claimed project is left alone.
	DropUntil(ctx context.Context, project, root, mark string) error

	Stats(ctx context.Context) (Stats, error)
	// Pushed is how many requests came into the intake since it was begun; it rises by each, however soon that is done.
	// 0 where the store does not tell.
	Pushed(ctx context.Context) (int64, error)
	// Claimed is how many claims were made since the queue was begun, retries among them; it rises by each, however
	// soon that is done. 0 where the store does not tell.
	Claimed(ctx context.Context) (int64, error)
	// Waiting lists what waits, by project; only the one index, and the undrained messages of its project, unless it is
	// "". Messages of an intake too long to be looked at as a whole may be of any project: they count 1 each, for the
	// one project, else in a last entry of project "".
	Waiting(ctx context.Context, project string) ([]Waiting, error)

	// Dead lists the dead letters, oldest first.
	Dead(ctx context.Context) ([]Letter, error)
	// RetryDead moves dead letters back to the intake, all of them if ids is nil, and returns their number.
	RetryDead(ctx context.Context, ids []string) (int, error)
	// DropDead removes dead letters and returns their number.
	DropDead(ctx context.Context, ids []string) (int, error)
	// Forget removes all pending changes and dead letters of a project and all its roots; of all projects if it is "".
	// If project is the index of a further root, only what was drained for it is removed.
	Forget(ctx context.Context, project string) error
	// Ping reports whether the backend answers.
	Ping(ctx context.Context) error
	Close() error
}

// ErrHandedOn is accept's word that it has given a message to the queue where it belongs: it leaves the intake, and
// nothing else is done about it.
var ErrHandedOn = errors.New("handed on to another queue")

// ErrRetryLater marks a refusal by accept that may be temporary (such as an allowed root that does not exist yet): the
// message is merged and its run will fail and be retried instead of dying at once.
var ErrRetryLater = errors.New("try again later")
