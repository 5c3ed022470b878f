package rdb

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

func TestSentinelURLsAreReadStrictly(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		raw, master string
		hosts       []string
		want        string // in the error; "" for none
	}{
		{"redis+sentinel://h1/main", "main", []string{"h1:26379"}, ""},
		{"redis+sentinel://h1,h2:7/main/0", "main", []string{"h1:26379", "h2:7"}, ""},
		{"REDIS+SENTINEL://u:hunter2@h1,10.0.0.1:26380/a-b_c.1", "a-b_c.1", []string{"h1:26379", "10.0.0.1:26380"}, ""},
		{"rediss+sentinel://:hunter2@[::1]:26379,[fe80::1]/main?ca_file=%2Fca.pem", "main",
			[]string{"[::1]:26379", "[fe80::1]:26379"}, ""},
		{"redis+sentinel://h/main?sentinel_username=s&sentinel_password=hunter2", "main", []string{"h:26379"}, ""},
		{"redis+sentinel://h", "", nil, "no name of a master"},
		{"redis+sentinel://h/", "", nil, "no name of a master"},
		{"redis+sentinel://:hunter2@/main", "", nil, `"" is no host`},
		{"redis+sentinel://h1,,h2/main", "", nil, `"" is no host`},
		{"redis+sentinel://h1, h2/main", "", nil, `" h2" is no host`},
		{"redis+sentinel://h1,h1:26379/main", "", nil, "named twice"},
		{"redis+sentinel://::1/main", "", nil, `"::1" is no host`},
		{"redis+sentinel://[h]/main", "", nil, `"[h]" is no host`},
		{"redis+sentinel://h:0/main", "", nil, `"0" is no port`},
		{"redis+sentinel://h:/main", "", nil, `"" is no port`},
		{"redis+sentinel://h:65536/main", "", nil, `"65536" is no port`},
		{"redis+sentinel://h:x/main", "", nil, `"x" is no port`},
		{"redis+sentinel://h/main/3", "", nil, "database 3"},
		{"redis+sentinel://h/main/0?db=3", "", nil, "database 3"},
		{"redis+sentinel://h/main/x", "", nil, `"x" is no database number`},
		{"redis+sentinel://h/main/0/0", "", nil, `"0/0" is no database number`},
		{"redis+sentinel://h/ma%20in", "", nil, `"ma in" is no name`},
		{"redis+sentinel://h/main#x", "", nil, "cannot be read"},
		{"redis+sentinel://:12/hunter2@h/main", "", nil, "cannot be read"},
		{"redis+sentinel://:1%hunter2@h/main", "", nil, "cannot be read"},
		{"redis+sentinel://h/main?sentinel_password=", "", nil, "sentinel_password"},
		{"redis+sentinel://h/main?sentinel_password=hunter2&sentinel_password=hunter2", "", nil, "sentinel_password"},
		{"redis+sentinel://h/main?sentinel_username=u", "", nil, "sentinel_username"},
		{"redis+sentinel://h/main?no_such=1", "", nil, "no_such"},
		{"redis+sentinel://h/main?ca_file=x", "", nil, "ca_file"},
		{"unix+sentinel://h/main", "", nil, `unknown scheme "unix+sentinel"`},
		{"redis://h1,h2/0", "", nil, ""},
		{"redis://h?sentinel_password=hunter2", "", nil, "sentinel_password"},
		{"redis://h?ca_file=x", "", nil, "ca_file"},
		{"rediss://h?cert_file=x", "", nil, "cert_file and key_file"},
		{"rediss://h?ca_file=x&ca_file=y", "", nil, "ca_file"},
	} {
		got, err := ParseURL(tc.raw)
		if shown := Redact(tc.raw); strings.Contains(shown, "hunter2") {
			t.Errorf("Redact(%q) = %q", tc.raw, shown)
		}
		if tc.want != "" {
			var u *URLError
			if !errors.As(err, &u) || !strings.Contains(err.Error(), tc.want) || u.Hint() == "" ||
				strings.Contains(err.Error()+u.Hint(), "hunter2") {
				t.Errorf("%q: %v, want a URLError with %q and a hint", tc.raw, err, tc.want)
			}
			continue
		}
		if err != nil || got.Master != tc.master || tc.hosts != nil && !slices.Equal(got.Sentinels, tc.hosts) {
			t.Errorf("%q: %+v, %v", tc.raw, got, err)
		}
	}
	if got, want := Redact("redis+sentinel://u:secret@h1,h2:7/main?sentinel_password=secret"),
		"redis+sentinel://u:xxxxx@h1:26379,h2:7/main?sentinel_password=xxxxx"; got != want {
		t.Errorf("redacted: %q, want %q", got, want)
	}
}

func FuzzSentinelURL(f *testing.F) {
	for _, seed := range [][3]string{
		{"", "h", "main"},
		{"1/", "h1,h2:7", "main/0"},
		{"1?", "[::1]:1", "m?db=1"},
		{"%", "h,,", "/"},
		{"[", "]:", "a?ca_file=x"},
	} {
		f.Add(seed[0], seed[1], seed[2])
	}
	f.Fuzz(func(t *testing.T, before, hosts, path string) {
		if strings.Contains(before, "@") || strings.Contains(hosts+path, "hunter2") {
			return
		}
		raw := "redis+sentinel://u:" + before + "hunter2@" + hosts + "/" + path
		got, err := ParseURL(raw)
		if err != nil && strings.Contains(err.Error(), "hunter2") || strings.Contains(Redact(raw), "hunter2") {
			t.Errorf("%q: %v, %s", raw, err, Redact(raw))
		}
		if err == nil && (got.DB != 0 || got.Master == "" || len(got.Sentinels) == 0) {
			t.Errorf("%q: %+v", raw, got)
		}
	})
}
