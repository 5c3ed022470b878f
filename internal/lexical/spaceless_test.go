package lexical

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// wordsOf are the words of all identifiers of a text.
func wordsOf(text string) (words []string) {
	for start, end := NextIdent(text, 0); start < len(text); start, end = NextIdent(text, end) {
		Words(text[start:end], func(w string) { words = append(words, w) })
	}
	return words
}

func TestLettersWithoutSpacesGiveEachTwoAdjacentOnes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"缓存失效。":       "缓存 存失 失效",
		"锁":           "锁",
		"使用redis缓存":   "使用 redi 缓存 使用redis缓存",
		"get用户Name":   "get 用户 name get用户name",
		"カートの合計":      "カー ート トの の合 合計",
		"ｷｬｯｼｭ":       "キャ ャッ ッシ シュ", // narrow
		"か\u3099く":    "がく",          // a mark apart
		"캐시를 비운다":     "캐시 시를 비운 운다",
		"ที่นี่":      "ที่นี่",
		"ตรวจ":        "ตร รว วจ",
		"𠮷野家":         "𠮷野 野家",
		"größe naïve": "größe naïve",
		"हिन्दी":      "हिन्दी", // has spaces
		"在3次重试之后":     "在 次重 重试 试之 之后 在3次重试之后",
	} {
		if got := strings.Join(wordsOf(text), " "); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestAQuestionWithinASentenceSharesItsWords(t *testing.T) {
	t.Parallel()
	for question, sentence := range map[string]string{
		"缓存失效":     "如果订单已经取消则需要立即让缓存失效并且通知仓库重新计算库存数量然后把结果写回数据库最后记录日志以便以后查询和统计使用同时释放占用的锁和连接资源",
		"在庫を確認":    "注文が取り消された場合は在庫を確認してから倉庫に通知する",
		"합계를 계산":   "주문이 취소되면 합계를 계산하지 않는다",
		"ยอดรวม":   "ฟังก์ชันนี้คำนวณยอดรวมของตะกร้าสินค้า",
		"ｷｬｯｼｭの期限": "このキャッシュの期限を設定する",
	} {
		have := wordsOf(sentence)
		for _, w := range wordsOf(question) {
			if !slices.Contains(have, w) {
				t.Errorf("%q of %q is no word of its sentence", w, question)
			}
		}
	}
}

// A sentence of any length without a space is read whole, in pieces that are words.
func TestALongSentenceWithoutSpacesIsReadWhole(t *testing.T) {
	t.Parallel()
	const sentence = "订单取消后立即释放库存"
	text := strings.Repeat(sentence, 200)
	n := utf8.RuneCountInString(text)
	if got := len(wordsOf(text)); got < n-n/30-1 || got > n {
		t.Errorf("%d words of %d letters", got, n)
	}
	for start, end := NextIdent(text, 0); start < len(text); start, end = NextIdent(text, end) {
		if end-start > MaxIdent || !utf8.ValidString(text[start:end]) {
			t.Fatalf("an identifier of %d bytes: %q", end-start, text[start:end])
		}
	}
}

func TestSegmentsAreTheWordsAsWritten(t *testing.T) {
	t.Parallel()
	for ident, want := range map[string]string{
		"getUser": "getUser",
		"größe":   "größe",
		"缓存key":   "缓存 key",
		"缓存失效":    "缓存 存失 失效",
		"":        "",
	} {
		var got []string
		Segments(ident, func(w string) { got = append(got, w) })
		if g := strings.Join(got, " "); g != want {
			t.Errorf("%q: %q, want %q", ident, g, want)
		}
	}
}

// plainParts is how ASCII identifiers are split, letter by letter: a part ends before a capital that follows a small
// letter, before the last capital of several if a small letter follows (but for a plural s), between letters and
// digits, and at all else.
func plainParts(ident string) (parts []string) {
	kind := func(i int) byte {
		switch c := ident[i]; {
		case c >= 'a' && c <= 'z':
			return 'a'
		case c >= 'A' && c <= 'Z':
			return 'A'
		case c >= '0' && c <= '9':
			return '0'
		}
		return 0
	}
	small := func(i int) bool { return i < len(ident) && kind(i) == 'a' }
	for i := 0; i < len(ident); {
		j := i + 1
		switch kind(i) {
		case 0:
			i++
			continue
		case 'A':
			for j < len(ident) && kind(j) == 'A' {
				j++
			}
			switch {
			case !small(j):
			case j == i+1:
				for small(j) {
					j++
				}
			case ident[j] == 's' && !small(j+1):
				j++
			default:
				j--
			}
		default:
			for j < len(ident) && kind(j) == kind(i) {
				j++
			}
		}
		parts = append(parts, ident[i:j])
		i = j
	}
	return parts
}

func FuzzPartsOfASCII(f *testing.F) {
	for _, s := range []string{"parseHTTPResponse2xx", "URLs", "userIDs", "__init__", "a1B2", "XMLsHTTPs", "Abc_dEF"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, ident string) {
		ident = strings.Map(func(r rune) rune { return r & 0x7f }, ident)
		var got []string
		for start, end := NextPart(ident, 0); start < len(ident); start, end = NextPart(ident, end) {
			got = append(got, ident[start:end])
		}
		if want := plainParts(ident); !slices.Equal(got, want) {
			t.Fatalf("%q: %q, want %q", ident, got, want)
		}
	})
}

func FuzzSegments(f *testing.F) {
	f.Add("使用redis缓存_ｶﾞ\xff\u3099Größe")
	f.Fuzz(func(t *testing.T, text string) {
		n := 0
		Segments(text, func(w string) {
			if n++; w == "" {
				t.Fatalf("an empty word of %q", text)
			}
		})
		if most := utf8.RuneCountInString(norm.NFKC.String(text)) + utf8.RuneCountInString(text) + 1; n > most {
			t.Fatalf("%d words of %q", n, text)
		}
	})
}
