package e2etest

import (
	"errors"
	"strings"
	"syscall"
	"testing"
)

func TestWorldInNamespacesRunsEachProcessAsTheFirstOfItsOwn(t *testing.T) {
	t.Parallel()
	w := (&World{Bin: "/bin", Dir: t.TempDir()}).InNamespaces()
	r, err := w.Exec("sh", "-c", "echo $$")
	if errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.EINVAL) {
		t.Log("this user may not make a pid namespace")
		return
	}
	if err != nil || strings.TrimSpace(r.Out) != "1" {
		t.Errorf("got %v, %v", r, err)
	}
}
