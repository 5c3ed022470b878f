//go:build web && unix

package browser

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	client "github.com/contextd/contextd/clients/go"
)

// contains reports whether a text holds all parts.
func contains(text string, parts ...string) bool {
	for _, p := range parts {
		if !strings.Contains(text, p) {
			return false
		}
	}
	return true
}

const token = "correct-horse-battery"

func TestTokenIsAskedForAndKeptInTheTabOnly(t *testing.T) {
	w := start(t, false)
	w.server.Kill()
	file := filepath.Join(w.Dir, "token")
	w.ok(os.WriteFile(file, []byte(token), 0o600))
	w.serve("--token-file", file)
	w.api = client.New(w.url, client.Options{Token: token})
	w.save("knight-1", "decision", "Tokens are signed with ES256")
	p := open(t, w.url, "")
	p.expects("401")
	p.expects("WebSocket")
	p.sees("This server wants its token")
	p.sound()
	p.fill("Token", "wrong")
	p.click("button[type=submit]", "Log in")
	p.sees("This is not the token.")
	p.fill("Token", token)
	p.click("button[type=submit]", "Log in")
	p.sees("Tokens are signed with ES256")
	p.sees("Live")
	w.save("knight-1", "decision", "Seen over the WebSocket")
	p.sees("Seen over the WebSocket")
	if kept := js[string](p,
		`JSON.stringify([localStorage.length, document.cookie, sessionStorage.length, location.href.includes("correct")])`); kept != `[0,"",1,false]` {
		t.Errorf("local storage, cookies, session storage, address: %s", kept)
	}
	p.click("button", "Log out")
	p.sees("This server wants its token")
	if js[int](p, "sessionStorage.length") != 0 {
		t.Error("the token is kept")
	}
}

func TestPageReconnectsByItselfAndCatchesUp(t *testing.T) {
	w := start(t, false)
	w.save("knight-1", "decision", "before the restart")
	p := open(t, w.url, "")
	p.expects("ERR_CONNECTION_REFUSED")
	p.expects("WebSocket")
	p.sees("Live")
	p.sees("before the restart")
	addr := strings.TrimPrefix(w.url, "http://")
	w.server.Kill()
	p.sees("Disconnected: what is shown may be old.")
	p.sound()
	r, err := w.Exec("retriever", "memory", "save", "written meanwhile", "--agent", "knight-1", "--kind", "decision",
		"--project", "web")
	if err != nil || r.Code != 0 {
		t.Fatal(r, err)
	}
	d, err := w.ServeAt(addr, "--allow-root", w.root)
	w.ok(err)
	t.Cleanup(d.Kill)
	p.sees("written meanwhile")
	p.sees("Live")
}

func TestListOfTenThousandItemsScrolls(t *testing.T) {
	w := start(t, false)
	for i := range 10 {
		var drafts []client.Draft
		for j := range 1000 {
			drafts = append(drafts,
				client.Draft{ItemType: "task", Content: fmt.Sprintf("item number %05d of many", 1000*i+j)})
		}
		_, err := w.api.FlashSave(t.Context(), "knight-1", "web", drafts...)
		w.ok(err)
	}
	p := open(t, w.url, "")
	p.wait(`/^[0-9,]+ of [0-9,]+ items/.test(t.all("p[role=status]", "items")[0]?.innerText ?? "")`)
	n := js[int](p, `Number(document.querySelector(".rows").getAttribute("aria-rowcount"))`)
	if n < 10_000 {
		t.Fatalf("%d rows", n)
	}
	t.Logf("%d rows", n)
	js[any](p, `(document.querySelector(".rows").scrollTop = 1e9, true)`)
	p.wait(fmt.Sprintf(`document.querySelector(".rows [aria-rowindex='%d']")`, n))
	if drawn := js[int](p, `document.querySelectorAll(".rows .body .row").length`); drawn > 60 {
		t.Errorf("%d of %d rows are drawn", drawn, n)
	}
}

// A burst of events costs the page a few readings, and it answers all the while.
func TestBurstOfEventsDoesNotFreezeThePage(t *testing.T) {
	w := start(t, false)
	w.save("knight-1", "decision", "Tokens are signed with ES256")
	p := open(t, w.url, "")
	p.sees("Tokens are signed with ES256")
	p.sees("Live")
	js[any](p, `(window.asked = 0, window.longest = 0, window.last = performance.now(),
		new PerformanceObserver((l) => asked += l.getEntries().filter((e) => e.name.includes("/memory")).length).observe({ type: "resource" }),
		setInterval(() => { const now = performance.now(); longest = Math.max(longest, now - last); last = now; }, 20), true)`)
	const burst = 300
	for i := range burst {
		w.save("knight-1", "fact", fmt.Sprintf("fact number %d", i))
	}
	p.sees(fmt.Sprintf("%d of %d items", burst+1, burst+1))
	asked, longest := js[int](p, "asked"), js[float64](p, "longest")
	t.Logf("%d events, %d readings, the longest pause %.0f ms", burst, asked, longest)
	if asked > burst/2 {
		t.Errorf("%d events made the page read %d times", burst, asked)
	}
}

func TestHostileTextIsShownAsText(t *testing.T) {
	w := start(t, false)
	hostile := "<script>window.pwned=1</script><img src=x onerror=\"window.pwned=1\"> \u202Eevil\u202C \u200bzero ${7*7} javascript:alert(1)"
	file := "// " + hostile + "\n"
	w.write("src/evil.go", "package src\n\n"+file+"// Zebra is hostile \x1b[31mred\x1b[0m.\nfunc Zebra() {}\n")
	w.write("src/<img src=x onerror=pwned=1>.go", "package src\n\n// Giraffe has a hostile name.\nfunc Giraffe() {}\n")
	_, err := w.Index(w.root, "--project", "web")
	w.ok(err)
	agent := "<b>knight</b>\u202E"
	_, err = w.api.Save(t.Context(), agent, "web",
		client.Draft{ItemType: "decision", Content: hostile + " \x1b[31mred\x1b[0m", Tags: []string{"<i>tag"}})
	w.ok(err)
	w.call("POST", "/v1/projects/web/tasks",
		map[string]any{"task_id": "<b>t-1\u202E", "success": true, "requires_context": true, "summary": hostile}, nil)
	w.call("POST", "/v1/projects/web/blockers", map[string]any{"id": "<b>t-2\u202E", "reason": hostile}, nil)
	c, err := w.api.Context(t.Context(),
		client.ContextRequest{Project: "web", Agent: agent, AgentKind: "knight", DeadlineMS: 10_000,
			Task: &client.Work{ID: "<b>t-1", Title: hostile, Description: "Zebra in src/evil.go and Giraffe"}})
	w.ok(err)

	p := open(t, w.url, "")
	seen := func(where string) {
		t.Helper()
		p.sees("\\u{202e}")
		if text := js[string](p, "document.body.innerText"); strings.ContainsAny(text, "\u202E\u200b\x1b") {
			t.Errorf("%s: an invisible character stands in the page", where)
		}
		if titles := js[string](p,
			`[...document.querySelectorAll("*")].flatMap((e) => [e.title, e.getAttribute("aria-label"), e.placeholder]).join(" ")`); strings.ContainsAny(titles, "\u202E\u200b\x1b") {
			t.Errorf("%s: an invisible character stands in an attribute", where)
		}
		if n := js[int](p, `document.querySelectorAll("main script, main img, main b, main i").length`); n != 0 {
			t.Errorf("%s: %d elements came from text", where, n)
		}
		if js[bool](p, "'pwned' in window") {
			t.Errorf("%s: a script ran", where)
		}
	}
	p.sees("<script>window.pwned=1</script>")
	seen("context")
	p.click(".rows button.link", "")
	p.sees("\\u{1b}[31m")
	p.click("button", "Forget: <script>")
	p.sees("Forgotten: <script>")
	seen("context, forgotten")
	for _, at := range []string{"#/receipts", "#/receipts/" + c.ID, "#/history"} {
		js[any](p, "location.hash = "+quote(at))
		p.sees("<script>window.pwned=1</script>")
		seen(at)
	}
	js[any](p, `location.hash = "#/search"`)
	for _, q := range []string{"Zebra hostile", "Giraffe hostile name"} {
		p.fill("Question or words", q)
		p.click("button[type=submit]", "Search")
		p.sees(map[string]string{"Zebra hostile": "src/evil.go",
			"Giraffe hostile name": "src/<img src=x onerror=pwned=1>.go"}[q])
	}
	if js[bool](p, "'pwned' in window") ||
		js[int](p, `document.querySelectorAll("main script, main img").length`) != 0 {
		t.Error("search: a script ran, or an element came from text")
	}
	p.sound()
}

func TestDashboardIsUsedByKeyboardAlone(t *testing.T) {
	w := start(t, false)
	w.save("knight-1", "decision", "Tokens are signed with ES256")
	p := open(t, w.url, "")
	p.sees("Tokens are signed with ES256")
	press := func(keys string) { t.Helper(); p.must(chromedp.Do(p.ctx, chromedp.KeyEvent(keys))) }
	focused := func() string {
		t.Helper()
		return js[string](p,
			`((e) => e.getAttribute("aria-label") ?? e.innerText ?? e.tagName)(document.activeElement)`)
	}
	press(kb.Tab)
	if at := focused(); at != "Skip to the content" {
		t.Errorf("the first stop is %q", at)
	}
	press(kb.Enter)
	if at := focused(); at != "Context" {
		t.Errorf("the skip link leads to %q", at)
	}
	reached := map[string]bool{}
	for range 40 {
		press(kb.Tab)
		at := focused()
		reached[at] = true
		if outline := js[string](p, `getComputedStyle(document.activeElement).outlineStyle`); outline == "none" &&
			at != "BODY" && js[bool](p, "document.activeElement !== document.body") {
			t.Errorf("no focus is seen on %q", at)
		}
		if strings.HasPrefix(at, "Tokens are signed") {
			break
		}
	}
	press(kb.Enter)
	p.wait(`document.activeElement.id === "item-h"`)
	t.Logf("interactive after %.0f ms",
		js[float64](p, `performance.getEntriesByType("navigation")[0].domContentLoadedEventEnd`))
	for _, want := range []string{"Re-tier now", "Remembered items"} {
		if !reached[want] {
			t.Errorf("Tab does not reach %q: %v", want, reached)
		}
	}
	js[any](p, `location.hash = "#/search"`)
	p.wait(`document.activeElement.tagName === "H1" && document.activeElement.textContent === "Search"`)
	if title := js[string](p, "document.title"); title != "Search · contextd" {
		t.Errorf("the title is %q", title)
	}
}
