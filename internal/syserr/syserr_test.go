package syserr_test

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/contextd/contextd/internal/syserr"
)

func TestAPipeWithoutAReaderHasEnded(t *testing.T) {
	t.Parallel()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	r.Close()
	if _, err = w.Write([]byte("x")); err == nil || !syserr.Ended(err) || syserr.NoRoom(err) || syserr.Exhausted(err) {
		t.Errorf("%v (%#v)", err, errors.Unwrap(err))
	}
}

func TestAConnectionThatIsResetHasEnded(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	other, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(other.(*net.TCPConn).SetLinger(0), other.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err = c.Read(make([]byte, 1)); !syserr.Ended(err) {
		t.Errorf("%v", err)
	}
}

func TestADiskWithoutRoomIsTold(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("no /dev/full")
	}
	if err := os.WriteFile("/dev/full", []byte("x"), 0o600); !syserr.NoRoom(err) || syserr.Ended(err) {
		t.Error(err)
	}
}

func TestANameThatNoFileCanHaveIsTold(t *testing.T) {
	t.Parallel()
	names := []string{"a\x00b"}
	if runtime.GOOS == "windows" {
		names = append(names, "a?b")
	}
	for _, name := range names {
		if _, err := os.Lstat(filepath.Join(t.TempDir(), name)); !syserr.NoName(err) {
			t.Errorf("%q: %v", name, err)
		}
	}
	if _, err := os.Lstat(filepath.Join(t.TempDir(), "none")); !errors.Is(err, fs.ErrNotExist) || syserr.NoName(err) || syserr.NoName(nil) {
		t.Error(err)
	}
}
