//go:build web && unix

package browser

import (
	"fmt"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	client "github.com/contextd/contextd/clients/go"
)

func TestContextPageShowsChangesAndUndoesThem(t *testing.T) {
	both(t, func(t *testing.T, w *world) {
		p := open(t, w.url, "")
		p.sees("No agent remembers anything yet.")
		p.sound()

		w.save("knight-1", "decision", "Tokens are signed with ES256") // seen live
		p.sees("Tokens are signed with ES256")
		w.save("knight-1", "fact", "Sessions last one hour")
		w.save("knight-1", "verbose_log", "a long log")
		_, err := w.api.Save(t.Context(), "knight-1", "web",
			client.Draft{ItemType: "fact", Content: "Verify checks signatures",
				Citations: []client.Citation{{Path: "src/auth/token.go"}}})
		w.ok(err)
		p.sees("4 of 4 items")
		p.sees("verified")
		if rows := js[string](p, `document.querySelector(".tierchart table").innerText`); !contains(rows, "HOT", "WARM",
			"COLD", "100 %") {
			t.Errorf("the table beside the chart: %q", rows)
		}
		if desc := js[string](p,
			`document.querySelector(".tierchart desc").textContent`); desc != "HOT: 1 items, 25 %; WARM: 2 items, 50 %; COLD: 1 items, 25 %" {
			t.Errorf("the chart says %q", desc)
		}
		p.picture("context")

		// filters
		p.click("input[type=checkbox]", "") // HOT
		p.sees("3 of 4 items")
		p.click("input[type=checkbox]", "")
		p.fill("Kind", "fact")
		p.sees("2 of 4 items")
		p.fill("Text", "HOUR")
		p.sees("1 of 4 items")
		p.fill("Text", "nowhere")
		p.sees("No item passes the filters.")
		p.fill("Text", "")
		p.fill("Kind", "")

		// forget, and have it back; then for good
		p.click("button", "Forget: Sessions last one hour")
		p.sees("3 of 4 items")
		p.click(".toast button", "Undo")
		p.sees("4 of 4 items")
		p.click("button", "Forget: a long log")
		p.sees("Forgotten: a long log")
		p.sees("3 of 3 items") // after the time of grace
		items, err := w.api.Memory(t.Context(), "knight-1", client.MemoryFilter{Project: "web"})
		w.ok(err)
		if len(items) != 3 {
			t.Errorf("the server has %d items", len(items))
		}

		// pin, and undo
		p.click("button.link", "Sessions last one hour")
		p.click(".itemview button", "Pin to HOT")
		p.sees("Now HOT: Sessions last one hour")
		p.wait(`t.all(".itemview .tier", "HOT").length === 1`)
		p.sound()
		p.click(".toast button", "Undo")
		p.wait(`t.all(".itemview .tier", "WARM").length === 1`)
		p.click(".itemview button", "Move to COLD")
		p.wait(`t.all(".itemview .tier", "COLD").length === 1`)
		p.click("button", "Re-tier now")
		p.sees("0 items changed their importance.")

		// checkpoints
		_, err = w.api.FlashSave(t.Context(), "knight-1", "web")
		w.ok(err)
		p.click("button", "Look at the checkpoint")
		p.sees("What was HOT and WARM at")
		p.click("button", "Restore the checkpoint")
		p.click("button", "Really restore?")
		p.sees("Restored:")
		p.sound()
	})
}

func TestForgottenItemIsGoneWhenThePageIsLeft(t *testing.T) {
	w := start(t, false)
	w.save("knight-1", "decision", "to be forgotten")
	w.save("knight-1", "decision", "to be kept")
	p := open(t, w.url, "")
	p.click("button", "Forget: to be forgotten")
	p.sees("1 of 2 items")
	p.must(chromedp.Do(p.ctx, chromedp.Navigate("about:blank")))
	w.ok(eventually(func() error {
		items, err := w.api.Memory(t.Context(), "knight-1", client.MemoryFilter{Project: "web"})
		if err == nil && (len(items) != 1 || items[0].Content != "to be kept") {
			err = fmt.Errorf("%+v", items)
		}
		return err
	}))
}

func TestReceiptsAreExplainedAndCompared(t *testing.T) {
	both(t, func(t *testing.T, w *world) {
		w.save("knight-1", "decision", "Tokens are signed with ES256")
		p := open(t, w.url, "#/receipts")
		p.sees("No context was compiled for this project yet.")
		first := w.compile("t-1", 0)
		p.sees("1 receipts, the newest first") // seen live
		w.write("src/auth/refresh.go",
			"package auth\n\n// Refresh makes another session token before the first expires.\nfunc Refresh(token string) (string, error) {\n\treturn token, nil\n}\n")
		_, err := w.Index(w.root, "--project", "web")
		w.ok(err)
		w.compile("t-1", 700)
		p.sees("2 receipts, the newest first")
		p.sound()
		p.click("input[type=checkbox]", "")
		p.wait(`(t.all("tbody input[type=checkbox]")[1].click(), true)`)
		p.sees("(2 chosen)")
		p.click("button", "Compare two")
		p.sees("What changed")
		p.wait(`t.has("budget: another budget")`)
		if rows := js[int](p, `document.querySelectorAll(".sides tbody tr").length`); rows == 0 {
			t.Error("no piece changed")
		}
		p.sound()
		p.picture("receipt-diff")

		_, err = w.api.Feedback(t.Context(), first,
			client.Feedback{Response: "Verify now refuses session tokens that expired",
				Edited: []string{"src/auth/token.go"}})
		w.ok(err)
		js[any](p, `location.hash = `+quote("#/receipts/"+first))
		p.sees("In the context, in its order")
		p.sees("file:src/auth/token.go")
		p.sees("✓ used")
		p.sees("kept whole")
		if desc := js[string](p, `document.querySelector("svg.budget title").textContent`); !contains(desc,
			"Budget:", "tokens") {
			t.Errorf("the bar says %q", desc)
		}
		p.sound()
		p.picture("receipt")
		js[any](p, `location.hash = "#/receipts/ctx_none"`)
		p.sees("There is no such thing")
		p.expects("404")
		p.sound()
	})
}

func TestSearchExplainsResultsAndWhatIsLeftOut(t *testing.T) {
	both(t, func(t *testing.T, w *world) {
		p := open(t, w.url, "#/search")
		p.sees("Ask something.")
		p.fill("Question or words", "verify the signature of a session token")
		p.click("button[type=submit]", "Search")
		p.sees("src/auth/token.go")
		p.wait(`t.all("mark", "signature").length > 0`)
		p.wait(`document.querySelector(".grade")`)
		p.click("summary", "Why this score")
		p.wait(`document.querySelector("details[open] tr.total")`)
		p.sound()
		p.picture("search")
		p.fill("Path, relative", "private/notes.txt")
		p.click("button[type=submit]", "Tell why")
		p.sees("is not indexed")
		p.sees(".gitignore")
		p.fill("Path, relative", "src/mail/send.go")
		p.click("button[type=submit]", "Tell why")
		p.sees("is indexed: ")
		p.fill("Question or words", "zebra photosynthesis quarks")
		p.click("button[type=submit]", "Search")
		p.sees("Nowhere in this project")
		p.sound()
	})
}

func TestQueueShowsDeadLettersAndRetriesThem(t *testing.T) {
	both(t, func(t *testing.T, w *world) {
		p := open(t, w.url, "#/projects")
		p.sees("✓ fresh")
		p.sees("No request failed for good.")
		p.sound()
		d, err := w.Daemon("--allow-root", w.root)
		w.ok(err)
		t.Cleanup(d.Kill)
		w.ok(d.Ready(soon))
		w.refuse.Store(true)
		w.write("src/late.go", "package src\n\n// Late comes late.\nfunc Late() {}\n")
		p.click("button", "Refresh web")
		p.sees("Refresh of web is asked for.")
		p.wait(`t.all("button", "Retry the request of web").length === 1`) // seen live
		p.sees("401 Unauthorized")
		p.sound()
		p.picture("projects")
		w.refuse.Store(false)
		p.click("button", "Retry the request of web")
		p.sees("In the queue again.")
		p.sees("No request failed for good.")
		w.ok(eventually(func() error {
			pr, err := w.api.Project(t.Context(), "web")
			if err == nil && pr.Files < 3 {
				err = fmt.Errorf("%+v", pr)
			}
			return err
		}))
		p.wait(`[...document.querySelectorAll("tbody tr")].some((r) => r.innerText.startsWith("web") && r.innerText.includes("\t4\t4\t"))`)
		p.sees("may serve")

		// dropped after it is asked once more
		w.refuse.Store(true)
		w.write("src/later.go", "package src\n\n// Later comes later.\nfunc Later() {}\n")
		p.click("button", "Refresh web")
		p.click("button", "Drop the request of web")
		p.click("button", "Really drop?")
		p.sees("Dropped.")
		p.sees("No request failed for good.")
		if points := js[string](p, `document.querySelector("svg.line path.dead").getAttribute("d")`); !contains(points,
			"M", "V") {
			t.Errorf("the chart's line of dead letters: %q", points)
		}
	})
}

func TestHistoryShowsTasksBlockersAndOutcomes(t *testing.T) {
	both(t, func(t *testing.T, w *world) {
		p := open(t, w.url, "#/history")
		p.sees("No task was completed yet.")
		p.sees("No task is blocked.")
		p.sees("Nothing was reported about the last")
		_, err := w.api.Feedback(t.Context(), w.compile("t-1", 0),
			client.Feedback{Response: "Verify now refuses session tokens that expired",
				Edited: []string{"src/auth/token.go"}})
		w.ok(err)
		w.call("POST", "/v1/projects/web/tasks", map[string]any{"task_id": "t-1", "success": true,
			"requires_context": true, "intent": "Refuse expired tokens", "summary": "Verify compares the expiry"}, nil)
		p.sees("Verify compares the expiry") // seen live
		p.sees("✓ succeeded")
		p.sees("100 % of 1")
		p.sees("newer half")
		w.call("POST", "/v1/projects/web/blockers", map[string]any{"id": "t-2", "reason": "waits for the certificate"},
			nil)
		p.sees("waits for the certificate")
		p.sound()
		p.picture("history")
		p.click("input[type=checkbox]", "Show t-1 in contexts")
		p.sees("kept back")
		p.click(".toast button", "Undo")
		p.sees("Verify compares the expiry")
		p.click("button", "Unblock t-2")
		p.sees("No task is blocked.")
	})
}

func TestReceiptShowsThePromptWithItsPiecesMarked(t *testing.T) {
	w := start(t, false)
	w.save("knight-1", "decision", "Tokens are signed with ES256 <script>alert(1)</script>")
	p := open(t, w.url, "#/receipts/"+w.compile("t-1", 0))
	p.click("button", "Compile it again")
	p.sees("✓ Exactly as it was sent")
	p.wait(`t.all(".prompt .part.same pre", "func Verify(token string) error").length === 1`)
	p.wait(`t.all(".prompt .part.same .about", "file:src/auth/token.go").length === 1`)
	p.wait(`t.all(".prompt .part.same pre", "<script>alert(1)</script>").length === 1`)
	p.sound()
	p.picture("prompt")
	w.write("src/auth/token.go", "package auth\n\nfunc Other() {}\n")
	id := js[string](p, `location.hash`)
	js[any](p, `location.hash = "#/projects"`)
	p.sees("Why not this file?")
	js[any](p, `location.hash = `+quote(id))
	p.click("button", "Compile it again")
	p.sees("▲ Not exactly as it was sent")
	p.wait(`t.all(".prompt .part.changed pre", "has changed since]").length === 1`)
	p.sound()
}

func TestProjectsPageListsWhatIsLeftOutWithTheRule(t *testing.T) {
	w := start(t, false)
	w.write("src/data.go", "package src\n\nvar x = \"\x00\"\n")
	_, err := w.Index(w.root, "--project", "web")
	w.ok(err)
	p := open(t, w.url, "#/projects")
	p.sees("Left out")
	p.wait(`t.all(".skipped [role=row]", ".gitignore").length > 0`)
	p.sees("ignored (1)")
	p.click(".skipped button", "binary (1)")
	p.sees("1 listed.")
	p.wait(`t.all(".skipped [role=cell]", "src/data.go").length === 1`)
	p.sound()
	p.picture("left-out")
}

func TestSavingsSayHowTheyAreCounted(t *testing.T) {
	both(t, func(t *testing.T, w *world) {
		p := open(t, w.url, "#/savings")
		p.sees("No context with code was compiled")
		w.compile("t-1", 0)
		p.sees("The last 1 contexts with code")
		p.sees("How it is counted")
		p.sound()
		p.picture("savings")
	})
}

func eventually(f func() error) error {
	for end := time.Now().Add(soon); ; time.Sleep(100 * time.Millisecond) {
		err := f()
		if err == nil || time.Now().After(end) {
			return err
		}
	}
}
