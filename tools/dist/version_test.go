package main

import "testing"

func TestVersionsAreThoseThatNpmAndPythonAccept(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ version, npm, python string }{
		{"v1.2.3", "1.2.3", "1.2.3"},
		{"1.2.3", "1.2.3", "1.2.3"},
		{"v1.2.3-rc.1", "1.2.3-rc.1", "1.2.3rc1"},
		{"v1.2.3-beta2", "1.2.3-beta2", "1.2.3b2"},
		{"v1.2.3-4-g0123abc", "1.2.3-4-g0123abc", "1.2.3+4.g0123abc"},
		{"v1.2.3-dirty", "1.2.3-dirty", "1.2.3+dirty"},
		{"0123abc-dirty", "0.0.0-dev-0123abc-dirty", "0.0.0+0123abc.dirty"},
		{"devel", "0.0.0-dev-devel", "0.0.0+devel"},
	} {
		if got := npmVersion(c.version); got != c.npm {
			t.Errorf("npm: %q for %q, want %q", got, c.version, c.npm)
		}
		if got := pythonVersion(c.version); got != c.python {
			t.Errorf("Python: %q for %q, want %q", got, c.version, c.python)
		}
	}
}
