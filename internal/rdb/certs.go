package rdb

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"

	"github.com/contextd/contextd/internal/syserr"
)

// certFiles are the files, in PEM, that a URL names for TLS; "" for none.
type certFiles struct {
	ca        string // the only authorities to trust; without it those of the machine
	cert, key string // of the client
}

// apply reads the files into config. The client's certificate is read again at each handshake, so one that was renewed
// is used without a restart.
func (f certFiles) apply(config *tls.Config) error {
	if f.ca != "" {
		pem, err := os.ReadFile(f.ca)
		if err != nil {
			return &URLError{Reason: fmt.Sprintf("read ca_file %q: %v", f.ca, syserr.Cause(err)), hint: certHint}
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(pem) {
			return &URLError{Reason: fmt.Sprintf("ca_file %q holds no certificate in PEM", f.ca), hint: certHint}
		}
	}
	if f.cert == "" {
		return nil
	}
	load := func() (*tls.Certificate, error) {
		pair, err := tls.LoadX509KeyPair(f.cert, f.key)
		if err != nil {
			return nil, &URLError{Reason: fmt.Sprintf("read cert_file %q and key_file %q: %v", f.cert, f.key,
				syserr.Cause(err)), hint: certHint}
		}
		return &pair, nil
	}
	config.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return load() }
	_, err := load() // so that a wrong file shows at the start
	return err
}

const certHint = "the files must hold PEM and be readable by this user; in the URL special characters of a path are written as %XX"
