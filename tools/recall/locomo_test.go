package main

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// The file is invented; its form is that of LoCoMo.
func TestReadTakesTurnsInOrderAndCleansEvidence(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "talks.json")
	data := `[{"sample_id":"t1","conversation":{"speaker_a":"Ann","session_10_date_time":"9 May, 2024","session_10":[{"speaker":"Ben","dia_id":"D10:1","text":"late"}],
		"session_2_date_time":"8 May, 2024","session_2":[{"speaker":"Ann","dia_id":"D2:1","text":"early"}],"session_11_date_time":"never"},
		"qa":[{"question":"which","category":1,"evidence":["D:2:01 D10:1","D2:1","D9:9"]},{"question":"none","category":5,"evidence":[]},{"question":"unknown","category":2,"evidence":["D"]}]}]`
	if err := os.WriteFile(file, []byte(data), 0o600); err != nil {
		t.Fatal(err)
	}
	all, err := read(file)
	if err != nil {
		t.Fatal(err)
	}
	want := "[{t1 [{D2:1 session_2 Ann (8 May, 2024): early} {D10:1 session_10 Ben (9 May, 2024): late}] [{which 1 [D2:1 D10:1]}]}]"
	if got := fmt.Sprint(all); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}
