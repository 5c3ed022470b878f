package rdb

import (
	"errors"

	"github.com/redis/go-redis/v9"
)

// denied is what a server says to a user who may not do what was asked, also in a script.
var denied = lazily(`^NOPERM|ACL failure in script|executing the script can't (run|access)`)

// AuthHint says what to do about an error of class Auth.
func AuthHint(err error) string {
	var said redis.Error
	if errors.As(err, &said) && denied().MatchString(said.Error()) {
		return "give this user the ACL rules of docs/OPERATIONS.md (Redis): its ACL lacks this command, key or channel"
	}
	return "give user and password in the URL: redis://user:password@host"
}
