package hook

import (
	"strings"
	"testing"
)

func TestPromptsThatNeedNoCodeAreTold(t *testing.T) {
	t.Parallel()
	for _, p := range []string{"", "  \n", "hello", "hi there!", "thanks a lot", "/clear", "/plugin:go now", "!ls -l",
		"yes", "Yes, please do.", "ok go on", "2", "continue", "weiter", "да", "好的",
		"<task-notification>done</task-notification>", "<command-name>/cost</command-name>", "lgtm", "do it.",
		"the second one"} {
		if Asks(p) {
			t.Errorf("%q asks for code", p)
		}
	}
	for _, p := range []string{"Drop", "fix the login", "why does it fail", "/src/app.go:12 is wrong",
		"yes, but rename DeleteUser to RemoveUser", "# Login fails\nSince Monday", "go on with the parser",
		"ok " + strings.Repeat("ok ", 60), "wo werden Sitzungen gelöscht", "hi, why does login fail"} {
		if !Asks(p) {
			t.Errorf("%q does not ask for code", p)
		}
	}
}
