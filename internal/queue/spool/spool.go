package spool

import (
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/contextd/contextd/internal/queue"
	"github.com/contextd/contextd/internal/syserr"
)

const (
	// maxFiles and maxBytes bound what Put adds to, with all that lies in the directory. Processes that write at the
	// same time may each go over them by one file.
	maxFiles = 10_000
	maxBytes = 256 << 20
	// maxRequestBytes is the greatest length of one request; the longest that Put writes is a little over
	// queue.MaxFilesBytes.
	maxRequestBytes = 2 << 20
)

const (
	requestSuffix = ".json" // of a request
	badSuffix     = ".bad"  // added to the name of what is no request
	tempSuffix    = ".tmp"  // of a request that is being written
)

// Spool is one directory. Safe for concurrent use and for use by many processes at once.
type Spool struct {
	dir          string
	files, bytes int64 // the bounds
	now          func() time.Time

	writing   sync.Mutex      // one Put at a time
	reading   sync.Mutex      // one Deliver at a time; guards what follows
	delivered map[string]bool // files that were accepted and could not be removed
}

// Open names the directory; it need not exist, and only Put makes it, with mode 0700.
func Open(dir string) *Spool {
	return &Spool{dir: dir, files: maxFiles, bytes: maxBytes, now: time.Now}
}

// Dir is the directory.
func (s *Spool) Dir() string { return s.dir }

// fullError is a spool that holds as much as it may.
type fullError struct {
	dir   string
	files int64
	bytes int64
}

func (e *fullError) Error() string {
	return fmt.Sprintf("write to spool %q: it is full (%d files, %d bytes)", e.dir, e.files, e.bytes)
}

// Hint tells what to do about it.
func (e *fullError) Hint() string {
	return "a daemon or server with the same --spool delivers what lies there once the store answers; remove files *" +
		badSuffix + " by hand"
}

// Put keeps a request until it can be delivered, over a crash of this process and of the machine, and returns the name
// of its file.
func (s *Spool) Put(r queue.Request) (name string, err error) {
	s.writing.Lock()
	defer s.writing.Unlock()
	data, err := encode(r)
	if err != nil {
		return "", fmt.Errorf("write to spool %q: %w", s.dir, err)
	}
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return "", fmt.Errorf("make spool %q: %w", s.dir, syserr.Cause(err))
	}
	root, err := os.OpenRoot(s.dir)
	if err != nil {
		return "", fmt.Errorf("open spool %q: %w", s.dir, syserr.Cause(err))
	}
	defer root.Close()
	files, bytes, err := countUsage(root)
	switch {
	case err != nil:
		return "", fmt.Errorf("list spool %q: %w", s.dir, syserr.Cause(err))
	case files >= s.files || bytes+int64(len(data)) > s.bytes:
		return "", &fullError{s.dir, files, bytes}
	}
	if name, err = s.write(root, data); err != nil {
		return "", fmt.Errorf("write to spool %q: %w", s.dir, syserr.Cause(err))
	}
	return name, nil
}

// write creates one file atomically: it writes another name and renames.
func (s *Spool) write(root *os.Root, data []byte) (name string, err error) {
	var id [4]byte
	_, _ = rand.Read(id[:]) // never fails
	name = fmt.Sprintf("%020d-%s%s", max(s.now().UnixNano(), 0), hex.EncodeToString(id[:]), requestSuffix)
	f, err := root.OpenFile(name+tempSuffix, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", err
	}
	_, err = f.Write(data)
	if err = cmp.Or(err, f.Sync()); err != nil {
		_ = f.Close()
	} else {
		err = f.Close()
	}
	if err == nil {
		err = root.Rename(name+tempSuffix, name)
	}
	if err != nil {
		_ = root.Remove(name + tempSuffix)
		return "", err
	}
	if d, err := root.Open("."); err == nil {
		_ = d.Sync() // not every system can; the file itself is on the disk
		_ = d.Close()
	}
	return name, nil
}

// encode returns the content of a request's file. decode reverses it.
func encode(r queue.Request) ([]byte, error) {
	if !utf8.ValidString(r.Root) {
		return nil, fmt.Errorf("root %q: a spool keeps only names in UTF-8", r.Root)
	}
	fields := queue.Fields(r)
	if _, err := queue.Parse("", fields); err != nil {
		return nil, err
	}
	return marshal(fields)
}

// isRequest reports whether a file of that name is to be delivered.
func isRequest(name string) bool {
	return strings.HasSuffix(name, requestSuffix) && !strings.HasPrefix(name, ".")
}
