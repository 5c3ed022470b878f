package rdbtest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"
)

// Secure is a server that speaks TLS and wants a client certificate.
type Secure struct {
	*Server              // over plain TCP
	TLSURL        string // rediss://, with the files below as parameters
	Addr          string // host:port of TLS
	CA, Cert, Key string // files
	Native        bool   // the server speaks TLS itself; false: a front before it does
}

// TLS starts a private server that speaks TLS. Where the one that was found has no TLS built in, a front of this test
// speaks it.
func TLS(t testing.TB, kind Kind) *Secure {
	t.Helper()
	dir := t.TempDir()
	ca := newAuthority(t, filepath.Join(dir, "ca.pem"))
	server := ca.issue(t, dir, "server")
	client := ca.issue(t, dir, "client")
	sec := &Secure{CA: ca.file, Cert: client + ".pem", Key: client + ".key"}
	port, err := freePort()
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"--tls-port", strconv.Itoa(port), "--tls-cert-file", server + ".pem", "--tls-key-file",
		server + ".key", "--tls-ca-cert-file", ca.file}
	if nativeTLS(t, kind, args...) {
		sec.Native, sec.Addr, sec.Server = true, net.JoinHostPort("127.0.0.1", strconv.Itoa(port)),
			Own(t, kind, args...)
	} else {
		sec.Server = Own(t, kind)
		sec.Addr = front(t, sec.own(t).port, server, ca)
	}
	q := url.Values{"ca_file": {sec.CA}, "cert_file": {sec.Cert}, "key_file": {sec.Key}}
	sec.TLSURL = "rediss://" + sec.Addr + "?" + q.Encode()
	return sec
}

// nativeTLS reports whether the server that Find finds has TLS built in. One without ends at the setting that asks for
// it.
func nativeTLS(t testing.TB, kind Kind, args ...string) bool {
	t.Helper()
	prog, err := Find(kind)
	if err != nil || prog.Docker { // a container does not see the files
		return false
	}
	p, err := Launch(prog, t.TempDir(), args...)
	if err != nil {
		return false
	}
	p.Kill()
	return true
}

type authority struct {
	file string
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newAuthority(t testing.TB, file string) *authority {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test authority"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour), IsCA: true,
		BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	writePEM(t, file, "CERTIFICATE", der)
	return &authority{file: file, cert: cert, key: key}
}

// issue writes NAME.pem and NAME.key, for 127.0.0.1, into dir and returns their path without the ending.
func (a *authority) issue(t testing.TB, dir, name string) string {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, KeyUsage: x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}}
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, &key.PublicKey, a.key)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, name)
	writePEM(t, path+".pem", "CERTIFICATE", der)
	writePEM(t, path+".key", "PRIVATE KEY", secret)
	return path
}

func writePEM(t testing.TB, file, kind string, der []byte) {
	t.Helper()
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
}

// front speaks TLS before the server on a port, and ends with the test.
func front(t testing.TB, port int, server string, ca *authority) (addr string) {
	t.Helper()
	pair, err := tls.LoadX509KeyPair(server+".pem", server+".key")
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(ca.cert)
	l, err := tls.Listen("tcp", "127.0.0.1:0",
		&tls.Config{Certificates: []tls.Certificate{pair}, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: pool})
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	t.Cleanup(func() {
		_ = l.Close()
		all.Wait()
	})
	all.Go(func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			all.Go(func() { carry(in.(*tls.Conn), port) })
		}
	})
	return l.Addr().String()
}

// carry connects a client with the server until one of them hangs up.
func carry(in *tls.Conn, port int) {
	defer in.Close()
	if in.Handshake() != nil {
		return
	}
	out, err := net.Dial("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return
	}
	var back sync.WaitGroup
	back.Go(func() {
		_, _ = io.Copy(in, out) // ends with either side
		_ = in.Close()
	})
	_, _ = io.Copy(out, in)
	_ = out.Close()
	back.Wait()
}
