package e2etest

import (
	"os/exec"
	"runtime"
	"sync"
	"syscall"
)

// launcher starts commands from one thread that never ends before the process does: the kernel kills them with it.
var launcher = sync.OnceValue(func() func(*exec.Cmd) error {
	type launch struct {
		cmd  *exec.Cmd
		done chan error
	}
	ch := make(chan launch)
	go func() {
		runtime.LockOSThread()
		for l := range ch {
			if l.cmd.SysProcAttr == nil {
				l.cmd.SysProcAttr = &syscall.SysProcAttr{}
			}
			l.cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
			l.done <- l.cmd.Start()
		}
	}()
	return func(cmd *exec.Cmd) error {
		l := launch{cmd, make(chan error, 1)}
		ch <- l
		return <-l.done
	}
})

// Start starts a command that dies with this process.
func Start(cmd *exec.Cmd) error { return launcher()(cmd) }

// isolate gives a command a pid namespace of its own, in which it is process 1, as in a container.
func isolate(cmd *exec.Cmd) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWPID}
	return nil
}
