package rdbtest

import (
	"net/url"
	"strings"
	"testing"
)

// User makes a user of the server with ACL rules, such as ">password", "~key*", "+get", and returns a URL that logs in
// as it.
func (s *Server) User(t testing.TB, name, password string, rules ...string) string {
	t.Helper()
	args := []any{"ACL", "SETUSER", name, "reset", "on", ">" + password}
	for _, r := range rules {
		args = append(args, r)
	}
	if err := s.Client(t).Do(t.Context(), args...).Err(); err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	u.User = url.UserPassword(name, password)
	return u.String()
}

// Denied lists what the server refused to its users, oldest last: "user: command or key".
func (s *Server) Denied(t testing.TB) []string {
	t.Helper()
	rows, err := s.Client(t).Do(t.Context(), "ACL", "LOG").Slice()
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, row := range rows {
		fields, _ := row.([]any)
		said := map[string]string{}
		for i := 0; i+1 < len(fields); i += 2 {
			name, _ := fields[i].(string)
			said[name], _ = fields[i+1].(string)
		}
		all = append(all, strings.Join([]string{said["username"], said["reason"], said["object"]}, " "))
	}
	return all
}
