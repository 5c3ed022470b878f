package store

import (
	"errors"
	"strings"
	"testing"
)

func TestErrorsReadAsSentencesAndKeepTheirCause(t *testing.T) {
	t.Parallel()
	sh, cause := Shelf{"memory", "knight\n1"}, errors.New("bad page")
	for want, err := range map[string]error{
		`read "a" of memory "knight\n1": no such document`:                    NotFound(sh, "a"),
		`write "a" of memory "knight\n1": changed by somebody else meanwhile`: Conflict(sh, "a"),
		`documents "/s/d.db" were damaged, kept as "/s/d.db.bad" and begun again: bad page`: &DamagedError{"/s/d.db",
			"/s/d.db.bad", cause},
		`bucket "Memory": want 1 to 32 lower-case letters`:                CheckShelf(Shelf{"Memory", "a"}),
		`owner "": 0 bytes, want 1 to 256`:                                CheckShelf(Shelf{"memory", ""}),
		`owner "\xff": want UTF-8`:                                        CheckShelf(Shelf{"memory", "\xff"}),
		`id "a": want it once in a change`:                                CheckWrites([]Write{{ID: "a"}, {ID: "a"}}),
		`document "a": revision -7, want Any, Absent or one from 1`:       CheckWrites([]Write{{ID: "a", If: -7}}),
		`log "events": 0 entries, 5 to keep; want at least 1 of both`:     CheckEntries("events", 5, nil),
		`log "` + strings.Repeat("x", 40) + `": 300 bytes, want 1 to 256`: CheckLog(strings.Repeat("x", 300)),
	} {
		if err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if !errors.Is(&DamagedError{Cause: cause}, cause) || !errors.Is(NotFound(sh, "a"), ErrNotFound) ||
		!errors.Is(Conflict(sh, "a"), ErrConflict) {
		t.Error("a cause is lost")
	}
}
