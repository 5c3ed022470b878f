//go:build web && unix

// Package browser tests the dashboard in a real Chromium against the real binaries. "make e2e-web" gets what it needs
// and runs it.
package browser

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/contextd/contextd/internal/e2e/e2etest"
)

// soon is how long something may take on a busy machine.
const soon = 60 * time.Second

var (
	bin      string          // folder of the binaries
	chromium context.Context // the browser that all tests share
	axe      string          // the source of axe-core
	pictures = flag.String("images", "", "folder for screenshots of the pages")
)

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(run(m))
}

func run(m *testing.M) int {
	fail := func(err error) int {
		fmt.Fprintln(os.Stderr, "error:", err)
		return 2
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return fail(err)
	}
	source, err := os.ReadFile(filepath.Join(cache, "contextd-tests", "axe-core", "axe.min.js"))
	if err != nil {
		return fail(fmt.Errorf("%w; \"go run ./tools/web -fetch\" gets it", err))
	}
	axe = string(source)
	path, err := exec.LookPath("chromium")
	if err != nil {
		return fail(fmt.Errorf("%w; \"go run ./tools/web -fetch\" installs it where it may", err))
	}
	dir, err := os.MkdirTemp("", "web")
	if err != nil {
		return fail(err)
	}
	defer os.RemoveAll(dir)
	bin = dir
	if err := e2etest.Build(dir, false); err != nil {
		return fail(err)
	}
	options := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]), chromedp.ExecPath(path),
		chromedp.NoSandbox, chromedp.Flag("force-color-profile", "srgb"), chromedp.Flag("lang", "en-US"),
		chromedp.Flag("hide-scrollbars", true))
	alloc, stop := chromedp.NewExecAllocator(context.Background(), options...)
	defer stop()
	var quit context.CancelFunc
	chromium, quit = chromedp.NewContext(alloc)
	defer quit()
	if err := chromedp.Do(chromium, chromedp.Navigate("about:blank")); err != nil {
		return fail(fmt.Errorf("start %q: %w", path, err))
	}
	return m.Run()
}

// tab is a tab of the browser on the dashboard. What goes wrong in it fails its test.
type tab struct {
	*testing.T
	ctx context.Context
	url string

	mu       sync.Mutex
	problems []string // guarded by mu
	expected []string // parts of problems that the test expects; guarded by mu
}

// helpers are functions for the tests in each page.
const helpers = `
window.refusals = [];
addEventListener("securitypolicyviolation", (e) => refusals.push(e.violatedDirective + " " + e.blockedURI));
window.t = {
  all: (sel, text) => [...document.querySelectorAll(sel)].filter((e) => !text || (e.getAttribute("aria-label") ?? e.textContent).includes(text)),
  click: (sel, text) => { const e = t.all(sel, text)[0]; if (e) e.click(); return !!e; },
  field: (label) => [...document.querySelectorAll("label")].find((l) => l.textContent.includes(label))?.querySelector("input, select"),
  fill: (label, value) => {
    const e = t.field(label);
    if (!e) return false;
    Object.getOwnPropertyDescriptor(e.constructor.prototype, "value").set.call(e, value);
    e.dispatchEvent(new Event("input", { bubbles: true }));
    e.dispatchEvent(new Event("change", { bubbles: true }));
    return true;
  },
  has: (text) => document.body.innerText.includes(text),
};`

// open shows a page of the dashboard, such as "#/receipts", in a tab of its own.
func open(t *testing.T, url, at string) *tab {
	t.Helper()
	ctx, cancel := chromedp.NewContext(chromium)
	w := &tab{T: t, ctx: ctx, url: url}
	t.Cleanup(func() {
		defer cancel()
		w.mu.Lock()
		defer w.mu.Unlock()
		for _, p := range w.problems {
			if !slices.ContainsFunc(w.expected, func(part string) bool { return strings.Contains(p, part) }) {
				t.Errorf("the browser's console: %s", p)
			}
		}
	})
	note := func(text string) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.problems = append(w.problems, text)
	}
	w.must(chromedp.Listen(ctx, func(ev any) {
		switch e := ev.(type) {
		case *runtime.EventExceptionThrown:
			note(e.ExceptionDetails.Text + " " + describe(e.ExceptionDetails.Exception))
		case *runtime.EventConsoleAPICalled:
			if string(e.Type) == "error" || string(e.Type) == "warning" {
				note(fmt.Sprint("console.", e.Type))
			}
		case *log.EventEntryAdded:
			if string(e.Entry.Level) == "error" || string(e.Entry.Level) == "warning" {
				note(fmt.Sprintf("%s %s: %s", e.Entry.Source, e.Entry.URL, e.Entry.Text))
			}
		}
	}))
	w.must(chromedp.Do(ctx, chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		if _, err := cdp.Call(ctx, t, log.Enable, cdp.Empty{}); err != nil {
			return err
		}
		_, err := cdp.Call(ctx, t, page.AddScriptToEvaluateOnNewDocument,
			page.AddScriptToEvaluateOnNewDocumentParams{Source: helpers})
		return err
	}), chromedp.EmulateViewport(1200, 900), chromedp.Navigate(url+"/"+at)))
	w.wait(`document.querySelector("h1")`)
	return w
}

func describe(o *runtime.RemoteObject) string {
	if o == nil {
		return ""
	}
	return o.Description
}

func (w *tab) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

// expects lets a problem pass whose text holds part.
func (w *tab) expects(part string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.expected = append(w.expected, part)
}

// js evaluates an expression; promises are waited for.
func js[T any](w *tab, expression string) T {
	w.Helper()
	ctx, cancel := context.WithTimeout(w.ctx, soon)
	defer cancel()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		w.Fatalf("%s: %v", expression, err)
	}
	return v
}

// wait waits until an expression holds.
func (w *tab) wait(expression string) {
	w.Helper()
	err := e2etest.Eventually(soon, func() error {
		if !js[bool](w, "!!("+expression+")") {
			return fmt.Errorf("%s does not hold; the page says: %.3000s", expression,
				js[string](w, "document.body.innerText"))
		}
		return nil
	})
	w.must(err)
}

// sees waits until the page says a text.
func (w *tab) sees(text string) {
	w.Helper()
	w.wait("t.has(" + quote(text) + ")")
}

// click waits for an element whose label or text holds text, and clicks it.
func (w *tab) click(sel, text string) {
	w.Helper()
	w.wait(fmt.Sprintf("t.click(%s, %s)", quote(sel), quote(text)))
}

// fill gives a labelled field a value.
func (w *tab) fill(label, value string) {
	w.Helper()
	w.wait(fmt.Sprintf("t.fill(%s, %s)", quote(label), quote(value)))
}

func quote(text string) string {
	data, _ := json.Marshal(text)
	return string(data)
}

// size sets the size of the window in pixels.
func (w *tab) size(width, height int64) {
	w.Helper()
	w.must(chromedp.Do(w.ctx, chromedp.EmulateViewport(width, height)))
}

// media sets a feature such as prefers-color-scheme.
func (w *tab) media(name, value string) {
	w.Helper()
	w.must(chromedp.Do(w.ctx, chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia,
			emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: name, Value: value}}})
		return err
	})))
}

// sound checks that the page as it is now is accessible in light and dark, fits 360 px, and broke no rule of its
// policy.
func (w *tab) sound() {
	w.Helper()
	if !js[bool](w, "!!window.axe") {
		js[chromedp.Void](w, axe+"\n;void 0")
	}
	for _, scheme := range []string{"light", "dark"} {
		w.media("prefers-color-scheme", scheme)
		bad := js[[]struct {
			ID, Help string
			Nodes    []struct{ HTML, FailureSummary string }
		}](w, `axe.run().then((r) => r.violations.map((v) => ({ ID: v.id, Help: v.help, Nodes: v.nodes.map((n) => ({ HTML: n.html, FailureSummary: n.failureSummary })) })))`)
		for _, v := range bad {
			w.Errorf("axe, %s: %s: %s: %.1500v", scheme, v.ID, v.Help, v.Nodes)
		}
	}
	w.media("prefers-color-scheme", "light")
	w.size(360, 800)
	if wide := js[[]string](w,
		`[...document.querySelectorAll("body *")].filter((e) => e.getBoundingClientRect().right > innerWidth + 1 && !e.closest(".scroll, .rows, pre, .skip, svg")).map((e) => e.outerHTML.slice(0, 120))`); len(wide) > 0 {
		w.Errorf("at 360 px these lead out of the page: %.1000q", wide)
	}
	w.size(1200, 900)
	if refused := js[[]string](w, "refusals"); len(refused) > 0 {
		w.Errorf("the policy refused %q", refused)
	}
}
