//go:build unix

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// clockVar is the environment variable that names the file of a place's clock: how many seconds it is ahead, as text.
const clockVar = "CONTEXTD_SOAK_CLOCK"

// The programs of a soak are built with another package time, whose Now is ahead by what a file says. What time goes
// by, which is what timers and differences of times are made of, stays as it is, as on a machine whose clock is set.
const (
	nowReads = "	sec, nsec, mono := runtimeNow()\n	if mono == 0 {\n"
	nowJumps = "	sec, nsec, mono := runtimeNow()\n	sec += soakSeconds.Load()\n	if mono == 0 {\n"

	jumpFile = `package time

import (
	"sync/atomic"
	"syscall"
)

// soakSeconds is what the file said when it was last read. Now only looks it up: the runtime's timers call it where
// nothing may wait for a file.
var soakSeconds atomic.Int64

func init() {
	file, set := syscall.Getenv("` + clockVar + `")
	if !set {
		return
	}
	soakRead(file)
	go func() {
		for {
			Sleep(10 * Millisecond)
			soakRead(file)
		}
	}()
}

func soakRead(file string) {
	fd, err := open(file)
	if err != nil {
		return
	}
	defer closefd(fd)
	var buf [16]byte
	n, err := read(fd, buf[:])
	if err != nil || n < 1 {
		return
	}
	sum, sign := int64(0), int64(1)
	for _, c := range buf[:n] {
		if c == '-' {
			sign = -1
		} else if c >= '0' && c <= '9' {
			sum = sum*10 + int64(c-'0')
		}
	}
	soakSeconds.Store(sign * sum)
}
`
)

// settableClock writes what "go build -overlay" takes to build programs whose clock can be set, into dir, and returns
// the flag.
func settableClock(dir string) (flag string, err error) {
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return "", fmt.Errorf("find the sources of Go: %w", err)
	}
	std := filepath.Join(strings.TrimSpace(string(out)), "src", "time")
	source, err := os.ReadFile(filepath.Join(std, "time.go"))
	if err != nil {
		return "", fmt.Errorf("find the sources of Go: %w", err)
	}
	if bytes.Count(source, []byte(nowReads)) != 1 {
		return "", errors.New("set the clock of programs: time.Now of this version of Go is written in another way")
	}
	source = bytes.Replace(source, []byte(nowReads), []byte(nowJumps), 1)
	overlay := struct{ Replace map[string]string }{map[string]string{
		filepath.Join(std, "time.go"):      filepath.Join(dir, "time.go"),
		filepath.Join(std, "soak_jump.go"): filepath.Join(dir, "soak_jump.go"),
	}}
	list, err := json.Marshal(overlay)
	if err == nil {
		err = errors.Join(os.WriteFile(filepath.Join(dir, "time.go"), source, 0o600),
			os.WriteFile(filepath.Join(dir, "soak_jump.go"), []byte(jumpFile), 0o600),
			os.WriteFile(filepath.Join(dir, "overlay.json"), list, 0o600))
	}
	if err != nil {
		return "", fmt.Errorf("set the clock of programs: %w", err)
	}
	return "-overlay=" + filepath.Join(dir, "overlay.json"), nil
}

// jumps are by how much a clock is set: by a network that corrects it, a machine that slept, a wrong zone or battery.
var jumps = []time.Duration{-24 * time.Hour, -time.Hour, -time.Minute, -2 * time.Second, 2 * time.Second, time.Minute,
	time.Hour, 24 * time.Hour}

// setClock makes the clock of all programs of this place be ahead, or behind.
func (s *spell) setClock(ahead time.Duration) error {
	next := s.clock + ".next"
	if err := os.WriteFile(next, []byte(strconv.Itoa(int(ahead/time.Second))), 0o600); err != nil {
		return fmt.Errorf("set the clock: %w", err)
	}
	return os.Rename(next, s.clock)
}

// clockJump sets the clock, and sets it right again after a while.
func (s *spell) clockJump(context.Context) error {
	if s.clock == "" {
		return errSkip
	}
	s.faulty.finish("clock")
	if err := s.setClock(jumps[s.rnd.IntN(len(jumps))]); err != nil {
		return err
	}
	s.faulty.begin("clock", s.aWhile(), func() {
		if err := s.setClock(0); err != nil {
			s.fail("soak", err)
		}
	})
	return nil
}
