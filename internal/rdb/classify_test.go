package rdb

import "testing"

// TestErrorsInsideOfScriptsAreClassified: in the words of Redis 6.2, and of 7.0 and later.
func TestErrorsInsideOfScriptsAreClassified(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Class{
		"ERR Error running script (call to f_054be37e92a0): @user_script:4: WRONGTYPE Operation against a key": WrongType,
		"ERR Error running script (call to f_054be37e92a0): @user_script: 4: OOM command not allowed":          OOM,
		"WRONGTYPE Operation against a key script: 054be37e92a0, on @user_script:4.":                           WrongType,
		"ERR Error running script (call to f_054be37e92a0): @user_script:4: ERR something else":                Other,
		"ERR The user executing the script can't run this command or subcommand script: 5, on @user_script:1.": Auth,
	} {
		if got := classifyText(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}
