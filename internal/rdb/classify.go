package rdb

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"regexp"
	"strings"
	"sync"

	"github.com/redis/go-redis/v9"
)

// Class is what an error from Redis means to a caller.
type Class string

// The classes of an error.
const (
	OK          Class = ""            // no error
	Unreachable Class = "unreachable" // no connection, or it broke, or the server takes no more
	Auth        Class = "auth"        // password missing or wrong, or the user may not do it
	Loading     Class = "loading"     // the server is up but does not serve yet
	ReadOnly    Class = "read_only"   // a replica
	OOM         Class = "oom"         // over maxmemory
	NoModule    Class = "no_module"   // no RediSearch: FT commands are unknown
	NoIndex     Class = "no_index"    // the FT index does not exist
	Exists      Class = "exists"      // the FT index or consumer group exists already
	Deadline    Class = "deadline"    // no answer in time, by the client's clock or the server's
	NoGroup     Class = "no_group"    // the stream or its consumer group is gone
	NoScript    Class = "no_script"   // EVALSHA of a script that the server has not seen
	WrongType   Class = "wrong_type"  // a key holds another type: somebody else has written it
	Cluster     Class = "cluster"     // a node of a Redis Cluster: never works
	Nil         Class = "nil"         // no such key or field
	Other       Class = "other"
)

// lazily compiles an expression when it is first used: most processes meet no error.
func lazily(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

// Server products word these differently, and only Redis 8.8 gives codes.
var (
	noIndex  = lazily(`(?i)SEARCH_INDEX_NOT_FOUND|no such index|unknown index name|index not found|index with name .* not found|no such global hnsw index|index schema not found`)
	exists   = lazily(`(?i)already exists|^BUSYGROUP|SEARCH_INDEX_EXISTS`)
	noModule = lazily("(?i)unknown command [`'\"]?FT\\.")
	noGroup  = lazily(`^NOGROUP|^UNBLOCKED`)
	auth     = lazily(`^(WRONGPASS|NOAUTH|NOPERM)|(?i)invalid (username-)?password|without any password configured`)
	oom      = lazily(`^(OOM|SEARCH_OOM)\b|used memory > 'maxmemory'`)
	// inScript is how Redis before 7 words the error of a command inside of a script; later ones begin with the error itself.
	inScript = lazily(`^ERR Error running script \(call to \S+\): @user_script:\s*\d+: `)
	timeout  = lazily(`^SEARCH_TIMEOUT|(?i)timeout limit was reached`)
)

// Classify tells what err, as returned by a go-redis client, means.
func Classify(err error) Class {
	if err == nil {
		return OK
	}
	var sentinels *SentinelError
	if errors.As(err, &sentinels) {
		return sentinels.class()
	}
	if errors.Is(err, redis.Nil) {
		return Nil
	}
	if errors.Is(err, ErrCluster) {
		return Cluster
	}
	var server redis.Error
	if errors.As(err, &server) {
		return classifyText(server.Error())
	}
	var handshake *HandshakeError
	if errors.As(err, &handshake) {
		return Unreachable // one that timed out too: the server does not speak TLS
	}
	var op *net.OpError
	switch {
	case errors.As(err, &op) && op.Op == "dial":
		return Unreachable // a dial that timed out too: nobody answered
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded),
		errors.Is(err, redis.ErrPoolTimeout):
		return Deadline
	case op != nil, errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, net.ErrClosed):
		return Unreachable
	}
	var n net.Error
	if errors.As(err, &n) {
		if n.Timeout() {
			return Deadline
		}
		return Unreachable
	}
	return Other
}

func classifyText(text string) Class {
	text = text[len(inScript().FindString(text)):]
	has := func(prefix string) bool { return strings.HasPrefix(text, prefix) }
	switch {
	case auth().MatchString(text), denied().MatchString(text):
		return Auth
	case has("LOADING"), has("MASTERDOWN"), has("CLUSTERDOWN"), has("TRYAGAIN"), has("BUSY "):
		return Loading
	case has("WRONGTYPE"):
		return WrongType
	case has("CROSSSLOT"), has("MOVED "), has("ASK "):
		return Cluster
	case has("READONLY"):
		return ReadOnly
	case oom().MatchString(text):
		return OOM
	case noModule().MatchString(text):
		return NoModule
	case noGroup().MatchString(text):
		return NoGroup
	case has("NOSCRIPT"):
		return NoScript
	case timeout().MatchString(text):
		return Deadline
	case noIndex().MatchString(text):
		return NoIndex
	case exists().MatchString(text):
		return Exists
	case strings.Contains(text, "max number of clients"):
		return Unreachable
	}
	return Other
}
