package rdb

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/redis/go-redis/v9"
)

// denied is what a server says to a user who may not do what was asked, also in a script.
var denied = lazily(`^NOPERM|ACL failure in script|The user executing the script can't`)

// AuthHint says what to do about an error of class Auth.
func AuthHint(err error) string {
	var said redis.Error
	if errors.As(err, &said) && denied().MatchString(said.Error()) {
		return "give this user the ACL rules of docs/OPERATIONS.md (Redis): its ACL lacks this command, key or channel"
	}
	return "give user and password in the URL: redis://user:password@host"
}

// deniedError adds user and command to an error of a server that does not name them.
type deniedError struct {
	said          redis.Error
	user, command string
}

func (e *deniedError) Error() string {
	return fmt.Sprintf("%v (user %q, command %q)", e.said, e.user, e.command)
}

// RedisError makes it a redis.Error, with the server's own text first.
func (e *deniedError) RedisError() {}

func (e *deniedError) Unwrap() error { return e.said }

// deniedHook names the user in errors of servers that do not: Redis 6.2 and 7.0.
type deniedHook struct{ user string }

func (h deniedHook) named(cmd redis.Cmder, err error) error {
	var said redis.Error
	if !errors.As(err, &said) || !denied().MatchString(said.Error()) {
		return err
	}
	user := cmp.Or(h.user, "default")
	if strings.Contains(said.Error(), "User "+user+" ") {
		return err
	}
	return &deniedError{said: said, user: user, command: cmd.FullName()}
}

func (deniedHook) DialHook(next redis.DialHook) redis.DialHook { return next }

func (h deniedHook) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error { return h.named(cmd, next(ctx, cmd)) }
}

func (h deniedHook) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		err := next(ctx, cmds)
		for _, cmd := range cmds {
			if was := cmd.Err(); was != nil {
				cmd.SetErr(h.named(cmd, was))
			}
		}
		if err != nil && len(cmds) > 0 {
			err = h.named(cmds[0], err)
		}
		return err
	}
}
