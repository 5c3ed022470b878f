package stage

import (
	"reflect"
	"testing"
)

func TestStagesKeepWhatTheyBeginFrom(t *testing.T) {
	t.Parallel()
	all, err := Parse("# x\nARG A=b\nFROM --platform=$P $A AS build\nRUN make \\\n  all\nFROM scratch AS base\nCOPY --from=build --chown=1:2 /a /b /c/\nENV X=1 Y=2\nUSER 1:2\n" +
		"FROM base AS one\nEXPOSE 80\nVOLUME /v\nHEALTHCHECK --timeout=1s --interval=2s CMD [\"/one\", \"-v\"]\nENTRYPOINT [\"/one\"]\nCMD [\"run\"]\n")
	if err != nil {
		t.Fatal(err)
	}
	want := Stage{From: "base", Env: []string{"X=1", "Y=2"}, User: "1:2", Ports: []string{"80/tcp"}, Volumes: []string{"/v"}, Entrypoint: []string{"/one"}, Cmd: []string{"run"},
		Health: []string{"--interval=2s", "--timeout=1s", "/one", "-v"}, Copies: []Copy{{"build", "1:2", []string{"/a", "/b"}, "/c/"}}}
	if !reflect.DeepEqual(all["one"], want) {
		t.Errorf("%+v, want %+v", all["one"], want)
	}
	if base := all["base"]; len(base.Ports) != 0 || len(all) != 3 {
		t.Errorf("base %+v of %d stages", base, len(all))
	}
}

func TestInstructionsThatAreNotKnownAreErrors(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"FROM scratch\n", "FROM scratch AS a\nRUN x\n", "FROM scratch AS a\nCMD x\n", "FROM scratch AS a\nCOPY x\n", "FROM scratch AS a\nHEALTHCHECK NONE\n",
		"FROM scratch AS a\nCMD []\n"} {
		if all, err := Parse(text); err == nil {
			t.Errorf("%q gives %+v", text, all)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("FROM scratch AS a\nCOPY --from=b c d\nFROM a AS b\nCMD [\"x\"]\n")
	f.Fuzz(func(t *testing.T, text string) {
		if all, err := Parse(text); err != nil && all != nil {
			t.Errorf("%v and an error: %v", all, err)
		}
	})
}
