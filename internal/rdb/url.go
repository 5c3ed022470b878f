package rdb

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/redis/go-redis/v9"
)

// URLError says what is wrong with a Redis URL. It never holds the URL's password.
type URLError struct {
	Reason string
	hint   string
}

func (e *URLError) Error() string { return "redis URL: " + e.Reason }

// Hint is what to do about it; "" if there is nothing to say.
func (e *URLError) Hint() string { return e.hint }

const wantURL = `give --redis redis://[user:password@]host[:port], rediss://… or unix:///path, or "off"`

var unreadable = &URLError{Reason: "it cannot be read", hint: wantURL + "; special characters in a password are written as %XX"}

// ParseURL reads a redis://, rediss:// or unix:// URL. A database other than 0 is an error, since RediSearch indexes
// only there. Every error is a *URLError.
func ParseURL(raw string) (*redis.Options, error) {
	u, err := url.Parse(raw)
	if err != nil {
		return nil, unreadable // the cause quotes the URL, or a part of it that may be the password
	}
	if strings.Contains(u.RawQuery+u.Fragment, "@") || u.Scheme != "unix" && strings.Contains(u.Path+u.Opaque, "@") {
		return nil, unreadable // a "/", "?" or "#" in the password: what seems to be the path is the rest of it
	}
	switch u.Scheme {
	case "redis", "rediss", "unix":
	default:
		return nil, &URLError{Reason: fmt.Sprintf("unknown scheme %q", u.Scheme), hint: wantURL}
	}
	if u.Scheme == "unix" && u.Path == "" {
		return nil, &URLError{Reason: "no path of a socket", hint: wantURL}
	}
	if u.Scheme != "unix" && strings.Trim(u.Path, "/") != "" && strings.Trim(u.Path, "0123456789/") != "" {
		return nil, &URLError{Reason: fmt.Sprintf("%q is no database number", strings.Trim(u.Path, "/")), hint: wantURL}
	}
	o, err := redis.ParseURL(raw)
	if err != nil {
		return nil, &URLError{Reason: strings.TrimPrefix(err.Error(), "redis: "), hint: wantURL}
	}
	if o.DB != 0 {
		return nil, &URLError{Reason: fmt.Sprintf("database %d cannot be used", o.DB),
			hint: "search needs database 0; use --redis off or another --prefix"}
	}
	return o, nil
}

// Redact is raw without its password, for messages and logs.
func Redact(raw string) string {
	u, err := url.Parse(raw)
	if err != nil || strings.Contains(u.Path+u.Opaque+u.RawQuery+u.Fragment, "@") {
		return "(unreadable URL)"
	}
	return u.Redacted()
}
