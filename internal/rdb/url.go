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

const wantURL = `give --redis redis://[user:password@]host[:port], rediss://…, unix:///path, redis+sentinel://host[:port][,host…]/master, or "off"`

var unreadable = &URLError{Reason: "it cannot be read",
	hint: wantURL + "; special characters in a password are written as %XX"}

// Target is what a URL names: one server, or the master of a set that Sentinels watch.
type Target struct {
	*redis.Options
	Master    string   // the name by which the Sentinels know it; "" for one server
	Sentinels []string // host:port of each, in the URL's order

	sentinelUser, sentinelPassword string // to log in at the Sentinels; "" for none
	certs                          certFiles
	name                           string // as the URL names it; "" if it does not
}

// ParseURL reads a redis://, rediss://, unix://, redis+sentinel:// or rediss+sentinel:// URL. A database other than 0
// is an error, since RediSearch indexes only there. Every error is a *URLError. No file that it names is read.
func ParseURL(raw string) (*Target, error) {
	u, hosts, err := split(raw)
	if err != nil {
		return nil, err
	}
	t := &Target{Sentinels: hosts}
	switch u.Scheme {
	case "redis", "rediss", "unix":
	case "redis" + sentinel, "rediss" + sentinel:
		if t.Master, err = sentinelPath(u); err != nil {
			return nil, err
		}
		u.Scheme, u.Host, u.Path, u.RawPath = strings.TrimSuffix(u.Scheme, sentinel), hosts[0], "/", ""
	default:
		return nil, &URLError{Reason: fmt.Sprintf("unknown scheme %q", u.Scheme), hint: wantURL}
	}
	if u.Scheme == "unix" && u.Path == "" {
		return nil, &URLError{Reason: "no path of a socket", hint: wantURL}
	}
	if u.Scheme != "unix" && strings.Trim(u.Path, "/") != "" && strings.Trim(u.Path, "0123456789/") != "" {
		return nil, &URLError{Reason: fmt.Sprintf("%q is no database number", strings.Trim(u.Path, "/")), hint: wantURL}
	}
	if err := t.takeParams(u); err != nil {
		return nil, err
	}
	if t.Options, err = redis.ParseURL(u.String()); err != nil {
		return nil, &URLError{Reason: strings.TrimPrefix(err.Error(), "redis: "), hint: wantURL}
	}
	if t.DB != 0 {
		return nil, wrongDatabase(fmt.Sprint(t.DB))
	}
	return t, nil
}

func wrongDatabase(number string) *URLError {
	return &URLError{Reason: fmt.Sprintf("database %s cannot be used", number),
		hint: "search needs database 0; use --redis off or another --prefix"}
}

// split is raw in parts; the hosts of a Sentinel URL come apart, and stand in u.Host too.
func split(raw string) (u *url.URL, hosts []string, err error) {
	single := raw
	scheme, rest, found := strings.Cut(raw, "://")
	many := found && strings.HasSuffix(strings.ToLower(scheme), sentinel)
	if many {
		var before, after string
		if before, hosts, after, err = splitHosts(rest); err != nil {
			return nil, nil, err
		}
		single = scheme + "://" + before + "host" + after // url.Parse takes one host
	}
	if u, err = url.Parse(single); err != nil {
		return nil, nil, unreadable // the cause quotes the URL, or a part of it that may be the password
	}
	if strings.Contains(u.RawQuery+u.Fragment, "@") || u.Scheme != "unix" && strings.Contains(u.Path+u.Opaque, "@") {
		return nil, nil, unreadable // a "/", "?" or "#" in the password: what seems to be the path is the rest of it
	}
	if many {
		u.Host = strings.Join(hosts, ",")
	}
	return u, hosts, nil
}

// takeParams moves the parameters that are not go-redis's own from the query of u into t.
func (t *Target) takeParams(u *url.URL) error {
	q, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return unreadable
	}
	ours := map[string]*string{"ca_file": &t.certs.ca, "cert_file": &t.certs.cert, "key_file": &t.certs.key,
		"name": &t.name}
	if t.Master != "" {
		ours["sentinel_username"], ours[sentinelPassword] = &t.sentinelUser, &t.sentinelPassword
	}
	for name, into := range ours {
		values, given := q[name]
		if !given {
			continue
		}
		if len(values) != 1 || values[0] == "" {
			return &URLError{Reason: fmt.Sprintf("%s: want it once and with a value", name), hint: wantURL}
		}
		*into = values[0]
		q.Del(name)
	}
	u.RawQuery = q.Encode()
	switch {
	case t.certs != certFiles{} && u.Scheme != "rediss":
		return &URLError{Reason: "ca_file, cert_file and key_file are for TLS",
			hint: "name the server with rediss:// or rediss+sentinel://"}
	case t.name != "" && !goodName(t.name):
		return &URLError{Reason: fmt.Sprintf("name %q: want at most 63 letters, digits, '.', '_', ':' or '-'", t.name)}
	case (t.certs.cert == "") != (t.certs.key == ""):
		return &URLError{Reason: "cert_file and key_file go together",
			hint: "give both files of the client certificate, in PEM"}
	case t.sentinelUser != "" && t.sentinelPassword == "":
		return &URLError{Reason: "sentinel_username without sentinel_password", hint: "give both, or none"}
	}
	return nil
}

// Redact is raw without its passwords, for messages and logs.
func Redact(raw string) string {
	u, _, err := split(raw)
	if err != nil || strings.Contains(u.Path+u.Opaque, "@") {
		return "(unreadable URL)"
	}
	if q, err := url.ParseQuery(u.RawQuery); err != nil {
		return "(unreadable URL)"
	} else if q.Has(sentinelPassword) {
		q.Set(sentinelPassword, "xxxxx")
		u.RawQuery = q.Encode()
	}
	return u.Redacted()
}
