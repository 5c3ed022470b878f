//go:build !unix

package rdbtest

import "errors"

// Pause is not possible here.
func (p *Process) Pause() error { return errors.New("pause redis-server: not on this system") }

// Resume ends a Pause.
func (p *Process) Resume() error { return errors.New("resume redis-server: not on this system") }
