package memory

import (
	"slices"
	"testing"
)

// Sentences of scripts without spaces are no single words: those that differ in one place are alike, those that share
// nothing are not.
func TestSentencesWithoutSpacesAreComparedByTheirWords(t *testing.T) {
	t.Parallel()
	const old, revised, other = "订单服务的默认超时时间设置为三十秒", "订单服务的默认超时时间设置为六十秒", "发布之前必须运行全部集成测试"
	if !SayingOf(revised).Revises(SayingOf(old)) {
		t.Error("a decision with another number does not revise the old one")
	}
	if SayingOf(other).Revises(SayingOf(old)) || SayingOf(old).Key == SayingOf(revised).Key {
		t.Error("different decisions are taken for one")
	}
	known := shingles("我们已经确认订单服务的默认超时时间设置为三十秒并且写入了文档")
	if share, repeated := repeats(old, func(h uint64) bool { return slices.Contains(known, h) }); !repeated {
		t.Errorf("a sentence within another is no repetition: %.2f", share)
	}
}
