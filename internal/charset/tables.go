package charset

import (
	"sync"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
)

// russian are the letters of Russian by frequency, then those of its neighbours.
const russian = "оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфъёіїєґўјљњћђџ"

// The most common characters of prose and of comments in source code.
const (
	simplified = "的一是不了在有人我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所然家种事成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心本前开但因只从想实日军者意无力它与长把机十民第公此已工使情明性知全三又关点正业外将两高间由问很最重并物手应战向头文体政美相见被利什二等产或新己制身果加西斯月话合回特代内信表化老给世位次度门任常先海通教儿原东声提立及比员解水名真论处走义各入几口认条平系气题活尔更别打女变四神总何电数安少报才结反受目太量再感建务做接必场件计管期市直德资命山金指克许统区保至队形社便空决治展马科司五基眼书非则听白却界达光放强即像难且权思王象完设式色路记南品住告类求据程北边死张该交规万取拉格望觉术领共确传师观清今切院让识候带导争运" +
		"值参函返回串码错误默认缓存连接配置初始循环输异常状态列索引线锁栈队节点查询删除插更添置包模块调试注释器件径址符缀续码键户登录读写网络请求响应超服务端客户单析构选项组遍历存储"
	traditional = "的一是不了在有人我他這個們中來上大為和國地到以說時要就出會可也你對生能而子那得於著下自之年過發後作裡用道行所然家種事成方多經麼去法學如都同現當沒動面起看定天分還進好小部其些主樣理心本前開但因只從想實日軍者意無力它與長把機十民第公此已工使情明性知全三又關點正業外將兩高間由問很最重並物手應戰向頭文體政美相見被利什二等產或新己制身果加西斯月話合回特代內信表化老給世位次度門任常先海通教兒原東聲提立及比員解水名真論處走義各入幾口認條平系氣題活爾更別打女變四神總何電數安少報才結反受目太量再感建務做接必場件計管期市直德資命山金指克許統區保至隊形社便空決治展馬科司五基眼書非則聽白卻界達光放強即像難且權思王象完設式色路記南品住告類求據程北邊死張該交規萬取拉格望覺術領共確傳師觀清今切院讓識候帶導爭運" +
		"值參函返串碼錯誤預快取連線配置初始迴圈輸異常狀態列索引鎖堆疊佇節查詢刪除插添包模組調試註釋器徑址符鍵戶登錄讀寫網路請求回應逾伺服端客單析構選項遍歷存儲檔案程式資料庫使用者"
)

// kanji are the most common ones of prose and of comments.
const kanji = "日一国会人年大十二本中長出三同時政事自行社見月分議後前民生連五発間対上部東者党地合市業内相方四定今回新場金員九入選立開手米力学問高代明実円関決子動京全目表戦経通外最言氏現理調体化田当八六約主題下首意法不来作性的要用制治度務強気小七成期公野協取都和統以機平総加山思家話世受区領多県続進正安設保改数記院女初北午指権心界支第産結百派点教報済書府活原先共得解名交資予川向際査勝面委告軍文反元重近千考判認画海参売利組知案道信策集在件団別物側任引使求所次水半品昨論計死官増係感特情投示変打男基私各始島直両朝革価式確村提運終挙果西勢減台広容必応演電歳住争談能無再位置企真流格有疑口過局少放税検藤町常校料沢裁状工建語球営空職証土与急止送援供可役構木割聞身費付施切由説転食比難防補車優夫研収断井何南石足違消境神番規術護展態導鮮備宅害配副算視条幹独警宮究育席輸訪楽起万着乗店述残想線率病農州武声質念待試族象銀域助労例衛然早張映限親額監環験追審商葉義伝働形景落欧担好退準賞訴辺造英被株頭技低毎医復仕去姿味負閣韓渡失移差衆個門写評課末守若脳極種美岡影命含福蔵量望松非撃佐核観察整段横融型白深字答夜製票況音申様財港識注呼渉達返値処理関数戻引例外接続削除更新読込書込保存設定検索表示画面配列文字列変数配置初期化呼出終了失敗成功"

// syllables are the most common ones of Korean.
const syllables = "이다의에는을가하고은를지로기사리한도시어자인서나라대수해정일그있스과것으면부주와원장게전만여된제보구상아니들었했공조비신유우성경소생동때세방화관적오국마안행연치당미체내물개위선못말모발무실재중음할않없습입력값함환반파호출객현용변열저캐명터계트설류산식번"

// runes is the set of the characters of a text.
func runes(text string) map[rune]bool {
	set := map[rune]bool{}
	for _, r := range text {
		set[r] = true
	}
	return set
}

// The common characters of each standard: it puts them first, in one range of lead bytes.
var (
	gbLevel1   = level(simplifiedchinese.GBK, 0xb0, 0xd7)
	big5Level1 = level(traditionalchinese.Big5, 0xa4, 0xc6)
	jisLevel1  = level(japanese.EUCJP, 0xb0, 0xcf)
	ksLevel1   = level(korean.EUCKR, 0xb0, 0xc8)
)

// level is the set of the characters whose lead byte lies in a range, made when it is first asked for.
func level(e encoding.Encoding, first, last int) func() map[rune]bool {
	return sync.OnceValue(func() map[rune]bool {
		var all []byte
		for lead := first; lead <= last; lead++ {
			for trail := 0x40; trail <= 0xfe; trail++ {
				if trail >= 0xa1 || trail < 0x7f && first == 0xa4 { // only Big5 has trail bytes below
					all = append(all, byte(lead), byte(trail))
				}
			}
		}
		decoded, _ := e.NewDecoder().Bytes(all) // what is not assigned becomes U+FFFD, which no model asks for
		return runes(string(decoded))
	})
}
