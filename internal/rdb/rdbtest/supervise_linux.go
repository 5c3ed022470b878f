package rdbtest

import (
	"os"
	"os/exec"
	"runtime"
	"syscall"
)

// supervise starts cmd and waits for it. The kernel ends the server when the thread that started it ends, so that a
// killed test leaves nothing behind; hence one locked thread for the server's whole life.
func supervise(cmd *exec.Cmd, started chan<- error, done chan<- struct{}, log *os.File) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	defer log.Close()
	defer close(done)
	err := cmd.Start()
	started <- err
	if err == nil {
		_ = cmd.Wait()
	}
}
