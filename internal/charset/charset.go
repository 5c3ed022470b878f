package charset

import (
	"bytes"
	"strings"
	"sync"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
)

// A candidate is an encoding with the model of the texts that are written in it.
type candidate struct {
	name     string
	encoding encoding.Encoding
	model    model
	prior    float64 // bits that it costs to suppose it at all
	labels   string  // other names, without hyphens and underscores
}

// western is what is taken where nothing is sure: every byte is a character of it.
const western = "windows-1252"

// candidates are all known encodings; of equal ones the first wins. They are made when the first text asks for them.
var candidates = sync.OnceValue(func() []candidate {
	return []candidate{
		{western, charmap.Windows1252, latinModel("éüäöàèßçñóíáêãøåæôîúùâïûëìòœÿýðþõ"), 0,
			"cp1252 latin1 iso88591 iso885915 latin9 l1"},
		{"windows-1251", charmap.Windows1251, alphabetModel(russian), 0, "cp1251 win1251"},
		{"gb18030", simplifiedchinese.GB18030, chineseModel(simplified, gbLevel1), 0, "gbk gb2312 cp936 euccn"},
		{"shift_jis", japanese.ShiftJIS, japaneseModel(), 0, "sjis cp932 windows31j mskanji"},
		{"euc-kr", korean.EUCKR, koreanModel(), 0, "cp949 uhc ksc5601 ksc56011987"},
		{"big5", traditionalchinese.Big5, chineseModel(traditional, big5Level1), 0, "cp950 big5hkscs"},
		{"euc-jp", japanese.EUCJP, japaneseModel(), 1, "ujis eucjis"},
		{"koi8-r", charmap.KOI8R, alphabetModel(russian), 1, "koi8 cp20866"},
		{"koi8-u", charmap.KOI8U, alphabetModel(russian), 2, "cp21866"},
		{"ibm866", charmap.CodePage866, alphabetModel(russian), 2, "cp866 866"},
		{"windows-1250", charmap.Windows1250, latinModel("áéíłóążęśćčšěřžýůńźőűúňöüťďäôşţăâîđ"), 2, "cp1250"},
		{"windows-1253", charmap.Windows1253, alphabetModel("αοιετσνηυρπκμλςωάίόήέγδχθύφβώξζψϊϋ"), 2,
			"cp1253 iso88597 greek"},
		{"windows-1254", charmap.Windows1254, latinModel("ıiüşöçğâîûéäà"), 2, "cp1254 iso88599 latin5"},
		{"iso-8859-2", charmap.ISO8859_2, latinModel("áéíłóążęśćčšěřžýůńźőűúňöüťďäôşţăâîđ"), 3, "latin2"},
		{"windows-1255", charmap.Windows1255, alphabetModel("יוהלאתרמבשנדעקכחפםגטצסןזךףץ"), 3,
			"cp1255 iso88598 hebrew"},
		{"windows-1256", charmap.Windows1256, alphabetModel("اليمنرتبةعدسفهكقحأجشصخإذطىضئزءثغؤظآ"), 3,
			"cp1256 iso88596 arabic"},
		{"windows-874", charmap.Windows874,
			alphabetModel("านรกอเงมย่ลวด้ทสตะปบคหแจพชขใไโผูีุิั์ำถซณธศ็ษภญฟฐฎฏฉฮฝๆฬฤืึฆฌฑฒ๊๋ฯ"), 3,
			"cp874 tis620 iso885911"},
		{"iso-8859-5", charmap.ISO8859_5, alphabetModel(russian), 5, "cyrillic"},
	}
})

// Decode turns data, which is not UTF-8, into UTF-8, and names the encoding that it was read by. Each "\n" of data
// stays one and none is added. ok is false if most of data is no text in any encoding; the text is then the Western
// European reading.
func Decode(data []byte) (text, name string, ok bool) {
	seen := sample(data)
	c, bits := detect(seen, declared(data))
	high := 0
	for _, b := range seen {
		if b >= 0x80 {
			high++
		}
	}
	ok = bits <= mostBits*float64(high)+slackBits
	if !ok {
		c = &candidates()[0]
	}
	decoded, err := c.encoding.NewDecoder().Bytes(data)
	if err != nil || bytes.Count(decoded, newline) != bytes.Count(data, newline) {
		c = &candidates()[0] // one byte, one character: it cannot fail
		decoded, _ = c.encoding.NewDecoder().Bytes(data)
	}
	return string(decoded), c.name, ok
}

var newline = []byte{'\n'}

// Escaped decodes ISO-2022-JP: ASCII in which escape codes begin and end Japanese. ok is false for anything else.
func Escaped(data []byte) (text string, ok bool) {
	if !bytes.Contains(data, []byte("\x1b$B")) && !bytes.Contains(data, []byte("\x1b$@")) ||
		!bytes.Contains(data, []byte("\x1b(")) {
		return "", false
	}
	decoded, err := japanese.ISO2022JP.NewDecoder().Bytes(data)
	if err != nil || bytes.ContainsRune(decoded, '\ufffd') ||
		bytes.Count(decoded, newline) != bytes.Count(data, newline) {
		return "", false
	}
	return string(decoded), true
}

// byLabel is the candidate with a name, however that is written.
func byLabel(label string) *candidate {
	label = plainLabel(label)
	all := candidates()
	for i := range all {
		c := &all[i]
		if plainLabel(c.name) == label {
			return c
		}
		for other := range strings.FieldsSeq(c.labels) {
			if other == label {
				return c
			}
		}
	}
	return nil
}

// plainLabel is a label in lower case, without hyphens and underscores.
func plainLabel(label string) string {
	return strings.ToLower(strings.NewReplacer("-", "", "_", "").Replace(label))
}
