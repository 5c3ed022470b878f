package main

import "syscall"

func mountSmall(dir string) error {
	return syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=64m,mode=700")
}

func unmountSmall(dir string) error { return syscall.Unmount(dir, syscall.MNT_DETACH) }
