package sqlite

import (
	"path/filepath"
	"testing"
)

// fullfsync does something on macOS alone, where fsync leaves what is written in the cache of the drive.
func TestACommitOfAMemoryIsOnTheDiskOfAMacToo(t *testing.T) {
	t.Parallel()
	db := writer(t, open(t, filepath.Join(t.TempDir(), "documents.db")))
	for pragma, want := range map[string]int{"fullfsync": 1, "synchronous": 2} {
		var got int
		if err := db.QueryRow("PRAGMA " + pragma).Scan(&got); err != nil || got != want {
			t.Errorf("%s is %d, %v, want %d", pragma, got, err, want)
		}
	}
}
