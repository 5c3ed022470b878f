package rank

import (
	"testing"

	"github.com/contextd/contextd/internal/code"
)

func TestTextsOfAProgramInItsLanguagesAreProse(t *testing.T) {
	t.Parallel()
	for path, want := range map[code.Path]bool{
		"src/lang/de-DE.json":                     true,
		"translations/messages.en.yml":            true,
		"app/src/main/res/values-fr/strings.xml":  true,
		"app/src/main/res/values/strings.xml":     true,
		"share/translations/quay_pt_BR.ts":        true,
		"web/src/locales/en.ts":                   true,
		"po/sv.po":                                true,
		"Quay/de.lproj/Localizable.strings":       true,
		"i18n/src/base/strings.xml":               true,
		"src/lang/parser.go":                      false,
		"src/locales/loader.ts":                   false,
		"internal/translation/translate.py":       false,
		"app/src/main/res/values/dimens.xml":      false,
		"config/settings.yml":                     false,
		"src/strings.go":                          false,
		"translation/TranslatorService.java":      false,
		"lib/locale.rb":                           false,
		"docs/lang/go.html":                       false,
		"src/i18n/index.ts":                       false,
		"packages/compiler/src/lang/typescript.c": false,
	} {
		if got := partsOf(path).translation(); got != want {
			t.Errorf("%s holds texts in one language: %v, want %v", path, got, want)
		}
	}
}

func TestWhatIsVendoredOrTestedByItsFolderIsTold(t *testing.T) {
	t.Parallel()
	for path, feature := range map[code.Path]int{
		"web/assets/vendors/ace/mode.js":     outdated,
		"thirdparty/zip/inflate.c":           outdated,
		"regress/attach.sh":                  testFile,
		"conformance/server/handlers.rs":     testFile,
		"src/QuayTestCase.php":               testFile,
		"toys/Server/Client.cs":              example,
		"data/berths.jsonl":                  data,
		"forms/Settings.ui":                  data,
		"guide/mooring.mdx":                  prose,
		"internal/rank/testdata/keeper.json": testFile,
	} {
		p := partsOf(path)
		for i := range priors {
			if priors[i].feature == feature && !priors[i].is(p) {
				t.Errorf("%s lacks %s", path, Features()[feature].Name)
			}
		}
	}
}
