package statedir

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTheStateDirectoryIsForItsOwnerAlone(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "above", "state")
	for range 2 { // the second finds it
		if err := Make(dir); err != nil {
			t.Fatal(err)
		}
	}
	for _, made := range []string{dir, filepath.Dir(dir)} {
		if info, err := os.Stat(made); err != nil || os.PathSeparator == '/' && info.Mode().Perm() != 0o700 {
			t.Errorf("%s: %v, %v", made, info, err)
		}
	}
}

func TestAnErrorNamesItsPathOnce(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "lantern")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Make(file); err == nil || strings.Count(err.Error(), "lantern") != 1 {
		t.Errorf("%v", err)
	}
}

func TestAReplacedFileIsTheOldOneOrTheNewOne(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "daemon.json")
	for _, text := range []string{"first", "2nd"} {
		if err := Replace(path, []byte(text)); err != nil {
			t.Fatal(err)
		}
		if data, err := os.ReadFile(path); err != nil || string(data) != text {
			t.Errorf("%q, %v", data, err)
		}
	}
	if err := os.Mkdir(path+".new", 0o700); err != nil { // the new text cannot be written
		t.Fatal(err)
	}
	if err := Replace(path, []byte("third")); err == nil {
		t.Error("no error")
	}
	if data, err := os.ReadFile(path); err != nil || string(data) != "2nd" {
		t.Errorf("%q, %v", data, err)
	}
	if all, err := filepath.Glob(path + "*"); err != nil || len(all) != 2 {
		t.Errorf("files %q, %v", all, err)
	}
}

// On Windows a file that is open cannot be replaced or removed by the ordinary calls.
func TestAFileThatIsReadIsReplacedAndRemoved(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "CURRENT")
	for _, text := range []string{"first", "second"} {
		if err := Replace(path, []byte(text)); err != nil {
			t.Fatal(err)
		}
		f, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if err := Replace(path, []byte("after "+text)); err != nil && os.Getenv("WINEUSERNAME") != "" {
			t.Skip("Wine has no rename over an open file: ", err)
		} else if err != nil {
			t.Fatal(err)
		}
		if data, err := io.ReadAll(f); err != nil || string(data) != text {
			t.Errorf("who has it open reads %q, %v", data, err)
		}
		if data, err := ReadFile(path); err != nil || string(data) != "after "+text {
			t.Errorf("%q, %v", data, err)
		}
	}
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := os.Remove(path); err != nil {
		t.Error(err)
	}
	if _, err := ReadFile(path); !os.IsNotExist(err) {
		t.Error(err)
	}
	if err := Rename(path+".none", path); !os.IsNotExist(err) {
		t.Error(err)
	}
}
