//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestProgramsOfASoakHaveTheClockThatAFileSets(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	flag, err := settableClock(dir)
	if err != nil {
		t.Fatal(err)
	}
	source := `package main

import "time"

func main() {
	before := time.Now()
	<-time.After(30 * time.Millisecond) // the runtime itself asks for the time here
	println(time.Now().Unix(), time.Since(before).Milliseconds())
}
`
	program, main := filepath.Join(dir, "program"), filepath.Join(dir, "main.go")
	if err := os.WriteFile(main, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	build := exec.Command("go", "build", flag, "-o", program, main)
	build.Dir = dir
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	s := &spell{clock: filepath.Join(dir, "clock")}
	for _, ahead := range append(jumps, 0) {
		if err := s.setClock(ahead); err != nil {
			t.Fatal(err)
		}
		run := exec.Command(program)
		run.Env = []string{clockVar + "=" + s.clock}
		began := time.Now()
		out, err := run.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		told := strings.Fields(string(out))
		if len(told) != 2 {
			t.Fatalf("the program says %q", out)
		}
		now, _ := strconv.ParseInt(told[0], 10, 64)
		least, most := began.Add(ahead).Unix(), time.Now().Add(ahead).Unix()
		if now < least || now > most {
			t.Errorf("%v ahead: the clock is at %d, want %d to %d", ahead, now, least, most)
		}
		if slept, _ := strconv.ParseInt(told[1], 10, 64); slept < 30 {
			t.Errorf("%v ahead: %d ms went by in a sleep of 30", ahead, slept)
		}
	}
}
