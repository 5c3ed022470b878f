package usage

import "testing"

func TestWordsOfScriptsWithoutSpacesOverlapByTwoLetters(t *testing.T) {
	t.Parallel()
	if o := Overlap(WordsOf("让缓存失效并且通知仓库"), WordsOf("这里缓存失效之后通知仓库")); o < Referenced {
		t.Errorf("overlap %.2f of sentences that say nearly the same", o)
	}
	if o := Overlap(WordsOf("让缓存失效并且通知仓库"), WordsOf("检查用户密码")); o != 0 {
		t.Errorf("overlap %.2f of sentences that share nothing", o)
	}
}
