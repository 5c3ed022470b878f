//go:build unix && !linux

package main

import "errors"

func mountSmall(string) error { return errors.New("not on this system") }

func unmountSmall(string) error { return nil }
