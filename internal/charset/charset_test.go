package charset

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/encoding/japanese"
)

// comments are invented comments in the languages of the encodings.
var comments = map[string][]string{
	"windows-1251": {"вычисляет остаток на складе", "ошибка чтения файла", "Проверяет, что корзина не пуста",
		"кэш заказов", "ПРОВЕРКА СКЛАДА"},
	"koi8-r": {"вычисляет остаток на складе", "ошибка чтения файла", "Проверяет, что корзина не пуста",
		"ПРОВЕРКА СКЛАДА И ЗАКАЗА"},
	"ibm866":       {"вычисляет остаток на складе", "ошибка чтения файла", "Проверяет, что корзина не пуста"},
	"iso-8859-5":   {"вычисляет остаток на складе и печатает отчёт", "Проверяет, что корзина не пуста"},
	"gb18030":      {"计算购物车的总价", "缓存过期时间", "检查用户是否登录", "读取配置文件，如果不存在则返回错误", "使用redis缓存订单"},
	"big5":         {"計算購物車的總價", "檢查使用者是否登入", "讀取設定檔，如果不存在則傳回錯誤"},
	"shift_jis":    {"カートの合計を計算する", "キャッシュの有効期限", "設定ファイルを読み込み、存在しない場合はエラーを返す", "在庫を確認"},
	"euc-jp":       {"カートの合計を計算する", "キャッシュの有効期限", "設定ファイルを読み込み、存在しない場合はエラーを返す"},
	"euc-kr":       {"장바구니의 합계를 계산한다", "캐시 만료 시간", "설정 파일을 읽고 없으면 오류를 반환한다"},
	"windows-1253": {"υπολογίζει το σύνολο του καλαθιού", "έλεγχος αποθέματος"},
	"windows-1250": {"oblicza wartość zamówienia i sprawdza, czy koszyk jest pusty", "błąd odczytu",
		"zjistí, zda je košík prázdný, a vrátí součet všech položek"},
	"windows-1254": {"sipariş toplamını hesaplar ve sepetin boş olup olmadığını denetler"},
	"windows-1252": {"prüft, ob der Warenkorb leer ist", "vérifie que le panier n’est pas vide à la création", "größe",
		"calcula el envío del niño", "© 2020 Müller", "naïve", "Übergabe", "não há mais espaço na fila", "§ 5 Abs. 2",
		"€ 5", "it’s “quoted”"},
	"windows-1255": {"מחשב את סכום ההזמנה ובודק אם העגלה ריקה"},
	"windows-1256": {"يحسب مجموع الطلب ويتحقق من أن السلة فارغة"},
	"windows-874":  {"คำนวณยอดรวมของตะกร้าสินค้า", "ตรวจสอบว่าผู้ใช้เข้าสู่ระบบหรือไม่"},
}

func encoded(t testing.TB, name, text string) []byte {
	t.Helper()
	data, err := byLabel(name).encoding.NewEncoder().Bytes([]byte(text))
	if err != nil {
		t.Fatalf("%q in %s: %v", text, name, err)
	}
	return data
}

func TestACommentIsReadInEachEncoding(t *testing.T) {
	t.Parallel()
	for name, texts := range comments {
		for _, text := range texts {
			for _, form := range []string{
				"%", "func cart(a int) int { // %\n\treturn a + 1\n}\n", "int sum = 0; /* %\n * % */\nreturn \"%\";\n",
			} {
				want := strings.ReplaceAll(form, "%", text)
				if got, by, ok := Decode(encoded(t, name, want)); got != want || !ok {
					t.Errorf("%s: %q, %v by %s, want %q", name, got, ok, by, want)
				}
			}
		}
	}
}

func TestADeclaredEncodingDecidesWhatIsTooShort(t *testing.T) {
	t.Parallel()
	for _, head := range []string{
		"# -*- coding: %s -*-\n", "<?xml version=\"1.0\" encoding=\"%s\"?>\n", "<meta charset=%s>\n",
		"# vim: set fileencoding=%s :\n",
	} {
		for name, word := range map[string]string{
			"KOI8-R":     "да",
			"cp1251":     "да",
			"Shift_JIS":  "値",
			"GB2312":     "值",
			"euc_kr":     "값",
			"iso-8859-2": "ż",
		} {
			head := strings.ReplaceAll(head, "%s", name)
			data := append([]byte(head), encoded(t, name, word+"\n")...)
			if got, by, ok := Decode(data); got != head+word+"\n" || !ok {
				t.Errorf("%q, %v by %s, want %q", got, ok, by, head+word)
			}
		}
	}
}

func TestEscapedJapaneseIsRead(t *testing.T) {
	t.Parallel()
	const want = "int stock; // 在庫を確認\n"
	data, err := japanese.ISO2022JP.NewEncoder().String(want)
	if err != nil {
		t.Fatal(err)
	}
	if got, ok := Escaped([]byte(data)); got != want || !ok {
		t.Errorf("%q, %v", got, ok)
	}
	for _, text := range []string{"plain", "\x1b[1mbold\x1b[0m", "\x1b$B\x7f\x7f\x1b(B", "\x1b$B"} {
		if got, ok := Escaped([]byte(text)); ok {
			t.Errorf("%q became %q", text, got)
		}
	}
}

func TestNoiseIsNoText(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	for n := range 20 {
		data := make([]byte, 200+50*n)
		for i := range data {
			data[i] = byte(1 + rng.IntN(255))
		}
		if text, by, ok := Decode(data); ok {
			t.Errorf("%d bytes of noise are text by %s: %q", len(data), by, text)
		}
	}
}

// The sample is bounded, however the bytes lie.
func TestTheDetectorSeesABoundedSample(t *testing.T) {
	t.Parallel()
	for _, piece := range []string{
		"\xff", "\xe0\n", strings.Repeat("a", 300) + "\xc0\n", strings.Repeat("a", 70_000) + "\xc0",
	} {
		data := []byte(strings.Repeat(piece, 400_000/len(piece)+1))
		if n := len(sample(data)); n == 0 || n > maxSample {
			t.Errorf("%d bytes of %.10q are looked at", n, piece)
		}
	}
	if n := len(sample([]byte(strings.Repeat("ascii\n", 20_000) + "\xe9t\xe9\n"))); n != 4 {
		t.Errorf("%d bytes are looked at, want the one line", n)
	}
}

func FuzzDecode(f *testing.F) {
	for name, texts := range comments {
		f.Add(encoded(f, name, "a\n"+texts[0]+"\r\nb"))
	}
	f.Add([]byte("\x81\x30\x81\n\x8f\xa1\n\xfe"))
	f.Fuzz(func(t *testing.T, data []byte) {
		text, name, _ := Decode(data)
		if !utf8.ValidString(text) {
			t.Fatalf("not UTF-8: %q by %s", text, name)
		}
		if a, b := strings.Count(text, "\n"), bytes.Count(data, newline); a != b {
			t.Fatalf("%d lines became %d by %s", b, a, name)
		}
		if len(text) > 4*len(data) {
			t.Fatalf("%d bytes became %d", len(data), len(text))
		}
		Escaped(data)
	})
}
