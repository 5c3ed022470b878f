package rdb

import (
	"strings"
	"testing"
)

// TestNoPartOfAPasswordInAnError: also where it was not written as a URL wants it.
func TestNoPartOfAPasswordInAnError(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{"redis://:hunter2@h/x", "redis://:hunter2@h/3", "redis://:12/hunter2@h",
		"redis://:12/3hunter2@h:1", "redis://:12?hunter2=1@h",
		"redis://:12#hunter2@h", "redis://:1%hunter2@h", "redis://u:hunter2@h:port", "http://:hunter2@h", "hunter2:x@h",
		"unix://:hunter2@", "redis://h?a=1&hunter2@",
		"redis://:12?db=hunter2@h"} {
		_, err := ParseURL(raw)
		if err == nil || strings.Contains(err.Error()+err.(*URLError).Hint(), "hunter2") &&
			!strings.HasPrefix(raw, "hunter2") {
			t.Errorf("ParseURL(%q) = %v", raw, err)
		}
		if got := Redact(raw); strings.Contains(got, "hunter2") && !strings.HasPrefix(raw, "hunter2") {
			t.Errorf("Redact(%q) = %q", raw, got)
		}
	}
}

func FuzzURL(f *testing.F) {
	for _, seed := range [][3]string{
		{"", "", "h:1/0"},
		{"1/", "", "h"},
		{"1?", "=1", "h"},
		{"1#", "%", "h?db=x"},
		{"", ":", "/s?db=3"},
		{"[", "]", "h"},
	} {
		f.Add(seed[0], seed[1], seed[2], true)
	}
	f.Fuzz(func(t *testing.T, before, after, host string, socket bool) {
		scheme := "redis://"
		if socket {
			scheme = "unix://"
		}
		if strings.ContainsAny(before, "@/") && socket || strings.Contains(host, "hunter2") {
			return // the path of a socket may hold anything
		}
		raw := scheme + "u:" + before + "hunter2" + after + "@" + host
		o, err := ParseURL(raw)
		if err != nil && strings.Contains(err.Error(), "hunter2") || strings.Contains(Redact(raw), "hunter2") {
			t.Errorf("%q: %v, %s", raw, err, Redact(raw))
		}
		if err == nil && o.DB != 0 {
			t.Errorf("%q: database %d", raw, o.DB)
		}
	})
}

func TestPrefixesAreNamesWithoutWildcards(t *testing.T) {
	t.Parallel()
	for prefix, want := range map[string]bool{"contextd": true, "a": true,
		"9:x-y_z.1": true, strings.Repeat("a", 64): true,
		"": false, ":a": false, "-": false, "a b": false, "a*": false, "é": false, "a\n": false,
		strings.Repeat("a", 65): false} {
		if GoodPrefix(prefix) != want {
			t.Errorf("GoodPrefix(%q) = %v", prefix, !want)
		}
	}
}
