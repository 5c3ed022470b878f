package rdb_test

import (
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/contextd/contextd/internal/rdb"
	"github.com/contextd/contextd/internal/rdb/rdbtest"
)

// TestTLSWithOwnAuthorityAndClientCertificate: every client reaches the server with the files that the URL names, and
// what is missing or wrong is said.
func TestTLSWithOwnAuthorityAndClientCertificate(t *testing.T) {
	t.Parallel()
	s := rdbtest.TLS(t, rdbtest.Plain)
	t.Logf("TLS of the server itself: %v", s.Native)
	if err := patientPing(t, s.TLSURL); err != nil {
		t.Errorf("with all files: %v", err)
	}
	other := rdbtest.TLS(t, rdbtest.Plain)
	for name, tc := range map[string]struct {
		params url.Values
		hint   string
	}{
		"no authority": {url.Values{"cert_file": {s.Cert}, "key_file": {s.Key}}, "ca_file"},
		"another authority": {url.Values{"ca_file": {other.CA}, "cert_file": {s.Cert},
			"key_file": {s.Key}}, "ca_file"},
		"no client certificate": {url.Values{"ca_file": {s.CA}}, "cert_file"},
		"certificate of a strange authority": {url.Values{"ca_file": {s.CA}, "cert_file": {other.Cert},
			"key_file": {other.Key}}, "cert_file"},
	} {
		t.Run(name, func(t *testing.T) {
			wantHint(t, patientPing(t, "rediss://"+s.Addr+"?"+tc.params.Encode()), tc.hint)
		})
	}
}

// TestRenewedClientCertificateIsUsedWithoutARestart: each handshake reads the files.
func TestRenewedClientCertificateIsUsedWithoutARestart(t *testing.T) {
	t.Parallel()
	s, other := rdbtest.TLS(t, rdbtest.Plain), rdbtest.TLS(t, rdbtest.Plain)
	c, err := rdb.Worker(s.TLSURL)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	swap := func(from, to string) {
		t.Helper()
		data, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cert, key := filepath.Join(t.TempDir(), "cert"), filepath.Join(t.TempDir(), "key")
	swap(s.Cert, cert)
	swap(s.Key, key)
	swap(other.Cert, s.Cert)
	swap(other.Key, s.Key)
	if err := c.Ping(t.Context()).Err(); err == nil {
		t.Fatal("a certificate of a strange authority is taken: this test tests nothing")
	}
	swap(cert, s.Cert)
	swap(key, s.Key)
	if err := c.Ping(t.Context()).Err(); err != nil {
		t.Errorf("after the renewal: %v", err)
	}
}

func TestCertificateFilesAreCheckedAtTheStart(t *testing.T) {
	t.Parallel()
	s := rdbtest.TLS(t, rdbtest.Plain)
	empty := filepath.Join(t.TempDir(), "empty.pem")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	gone := filepath.Join(t.TempDir(), "gone.pem")
	for _, tc := range []struct {
		params url.Values
		want   string
	}{
		{url.Values{"ca_file": {gone}}, gone},
		{url.Values{"ca_file": {empty}}, empty},
		{url.Values{"ca_file": {s.CA}, "cert_file": {gone}, "key_file": {s.Key}}, gone},
		{url.Values{"ca_file": {s.CA}, "cert_file": {s.Cert}, "key_file": {empty}}, empty},
		{url.Values{"ca_file": {s.CA}, "cert_file": {s.Cert}, "key_file": {s.CA}}, s.CA},
	} {
		_, err := rdb.Worker("rediss://" + s.Addr + "?" + tc.params.Encode())
		var u *rdb.URLError
		if !errors.As(err, &u) || !strings.Contains(err.Error(), tc.want) || u.Hint() == "" {
			t.Errorf("%v: %v, want %q named", tc.params, err, tc.want)
		}
	}
}

// patientPing leaves a busy machine time for the handshake.
func patientPing(t *testing.T, url string) error {
	t.Helper()
	c, err := rdb.Worker(url)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	return c.Ping(t.Context()).Err()
}
