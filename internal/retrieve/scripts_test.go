package retrieve_test

import (
	"context"
	"testing"
	"time"

	"github.com/contextd/contextd/internal/access"
	"github.com/contextd/contextd/internal/gates"
	"github.com/contextd/contextd/internal/retrieve"
)

// Sentences without spaces, in comments and documents, asked for by what stands within them.
func TestQuestionsInScriptsWithoutSpacesFindTheirComments(t *testing.T) {
	t.Parallel()
	root, on, _ := onBoth(t, map[string]string{
		"a/cache.go":  "package a\n\n// 如果订单已经取消则需要立即让缓存失效并且通知仓库\nfunc drop(id int) {}\n",
		"a/login.go":  "package a\n\n// 检查用户的密码是否正确，并记录登录时间\nfunc check(id int) {}\n",
		"b/stock.py":  "def take(n):\n    # 注文が取り消された場合は在庫を確認してから倉庫に通知する\n    return n\n",
		"b/mail.py":   "def post(n):\n    # 利用者にメールを送信して結果を保存する\n    return n\n",
		"c/total.ts":  "// 주문이 취소되면 장바구니의 합계를 다시 계산한다\nexport function again(n: number) { return n }\n",
		"c/upload.ts": "// 파일을 서버에 올리고 진행률을 보여준다\nexport function send(n: number) { return n }\n",
		"d/basket.rs": "// ฟังก์ชันนี้คำนวณยอดรวมของตะกร้าสินค้า\nfn sum(n: i32) -> i32 { n }\n",
		"d/user.rs":   "// ตรวจสอบว่าผู้ใช้เข้าสู่ระบบแล้วหรือยัง\nfn seen(n: i32) -> i32 { n }\n",
		"e/names.py":  "def 消費税額計算(n):\n    return n * 1.1\n",
		"README.md":   "# 部署\n\n先把镜像推送到仓库再重启服务\n",
	})
	for asked, want := range map[string]string{
		"缓存失效": "a/cache.go", "缓存在哪里失效": "a/cache.go", "检查密码": "a/login.go", "推送镜像": "README.md",
		"在庫を確認": "b/stock.py", "メールの送信": "b/mail.py",
		"합계를 계산": "c/total.ts", "장바구니": "c/total.ts", "진행률 표시": "c/upload.ts",
		"ยอดรวม": "d/basket.rs", "ผู้ใช้เข้าสู่ระบบ": "d/user.rs",
		"消費税額計算": "e/names.py",
	} {
		for name, rt := range on {
			r := rt.Query(context.Background(),
				retrieve.Request{Text: asked, Target: access.Target{Project: "p", Root: root}, Deadline: time.Minute,
					Gates: gates.Options{MinRelevance: gates.NoThreshold, MaxResults: 10, MaxBytes: 1 << 20}})
			if got := where(r.Results); len(got) == 0 || got[0] != want {
				t.Errorf("%s: %q is answered by %v, want %s", name, asked, got, want)
			}
		}
	}
}
