package rdb

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

const (
	sentinel         = "+sentinel" // end of the scheme of a URL that names Sentinels
	sentinelPassword = "sentinel_password"
	sentinelPort     = "26379"
)

const wantSentinel = "give redis+sentinel://[user:password@]host1[:26379][,host2[:26379]…]/MASTER: the hosts are those of the Sentinels, " +
	"MASTER is its name there, user and password are the server's"

// splitHosts takes apart what follows the "://" of a Sentinel URL: user and password with their "@", the hosts, and the
// rest.
func splitHosts(s string) (before string, hosts []string, after string, err error) {
	end := strings.IndexAny(s, "/?#")
	if end < 0 {
		end = len(s)
	}
	s, after = s[:end], s[end:]
	if strings.Contains(after, "@") {
		return "", nil, "", unreadable // a "/", "?" or "#" in the password
	}
	at := strings.LastIndexByte(s, '@') + 1
	before = s[:at]
	for part := range strings.SplitSeq(s[at:], ",") {
		host, err := sentinelAddr(part)
		if err != nil {
			return "", nil, "", err
		}
		if slices.Contains(hosts, host) {
			return "", nil, "", &URLError{Reason: fmt.Sprintf("Sentinel %q is named twice", host), hint: wantSentinel}
		}
		hosts = append(hosts, host)
	}
	return before, hosts, after, nil
}

// sentinelAddr is host:port of one host, whose port may be left out.
func sentinelAddr(part string) (string, error) {
	wrong := &URLError{Reason: fmt.Sprintf("%q is no host of a Sentinel", part), hint: wantSentinel}
	host, port := part, sentinelPort
	if bare, ok := strings.CutPrefix(part, "["); ok && strings.HasSuffix(bare, "]") {
		host = strings.TrimSuffix(bare, "]")
	} else if strings.Contains(part, ":") {
		var err error
		if host, port, err = net.SplitHostPort(part); err != nil {
			return "", wrong
		}
	}
	if strings.Contains(host, ":") || strings.HasPrefix(part, "[") {
		if _, err := netip.ParseAddr(host); err != nil || !strings.HasPrefix(part, "[") {
			return "", wrong
		}
	} else if !sentinelName(host) {
		return "", wrong
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
		return "", &URLError{Reason: fmt.Sprintf("%q is no port of Sentinel %q", port, host), hint: wantSentinel}
	}
	return net.JoinHostPort(host, port), nil
}

// sentinelName reports whether s has only letters, digits, '.', '-' and '_', as names of hosts and masters do.
func sentinelName(s string) bool {
	return s != "" && strings.IndexFunc(s, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '.' && r != '-' && r != '_'
	}) < 0
}

// sentinelPath is the master's name in the path of a Sentinel URL, /NAME or /NAME/0.
func sentinelPath(u *url.URL) (master string, err error) {
	if u.Fragment != "" {
		return "", unreadable
	}
	master, db, two := strings.Cut(strings.TrimPrefix(u.Path, "/"), "/")
	switch {
	case master == "":
		return "", &URLError{Reason: "no name of a master", hint: wantSentinel}
	case !sentinelName(master):
		return "", &URLError{Reason: fmt.Sprintf("%q is no name of a master", master), hint: wantSentinel}
	case !two || db == "0":
		return master, nil
	case db == "" || strings.Trim(db, "0123456789") != "":
		return "", &URLError{Reason: fmt.Sprintf("%q is no database number", db), hint: wantSentinel}
	}
	return "", wrongDatabase(db)
}
