import { h } from "preact";
import type { ContextStats, MemoryItem, Receipt, Event } from "../../clients/ts/contextd.js";
import { Live } from "../src/live.js";
import { ContextItemList, citation } from "../src/pages/itemlist.js";
import { ItemView } from "../src/pages/itemview.js";
import { precisions } from "../src/pages/precision.js";
import { freshness } from "../src/pages/projects.js";
import { fate } from "../src/pages/receipt.js";
import { Servers } from "../src/pages/servers.js";
import { ContextTierChart, arc } from "../src/pages/tierchart.js";
import { passing } from "../src/pages/context.js";
import { Guard } from "../src/parts/guard.js";
import { DepthChart } from "../src/parts/line.js";
import { BudgetBar, Meter } from "../src/parts/meter.js";
import { Shown } from "../src/parts/notice.js";
import { Pick } from "../src/parts/pick.js";
import { Reasons } from "../src/parts/reasons.js";
import { Rows, windowOf } from "../src/parts/rows.js";
import { Sure } from "../src/parts/sure.js";
import { Text } from "../src/parts/text.js";
import { Toasts, tell } from "../src/parts/toast.js";
import { link, parse } from "../src/route.js";
import { ago, brief, marked, pieces, wordsOf } from "../src/text.js";
import { drawn, equal, find, run, show, test } from "./harness.js";

const item = (more: Partial<MemoryItem> = {}): MemoryItem => ({
  id: "mem_1", agent_id: "knight-1", scope: "task", kind: "fact", content: "Sessions last one hour", importance: 0.7, tier: "WARM", access_count: 2,
  created_at: "2026-01-02T03:04:05Z", last_accessed: "2026-01-02T03:04:05Z", ...more,
});

const stats = (hot: number, warm: number, cold: number): ContextStats => ({
  total_items: hot + warm + cold, hot_count: hot, warm_count: warm, cold_count: cold, archived_count: 0, total_tokens: 10 * (hot + warm + cold),
  tiers: { HOT: { items: hot, tokens: 10 * hot }, WARM: { items: warm, tokens: 10 * warm }, COLD: { items: cold, tokens: 10 * cold } },
});

test("text shows what cannot be seen as escapes", async (at) => {
  await show(<Text>{"a\u202eb\u001b[1m\u200b<b>\u{e0041}"}</Text>, at);
  equal(at.textContent, "a\\u{202e}b\\u{1b}[1m\\u{200b}<b>\\u{e0041}");
  equal(at.querySelectorAll(".escape").length, 4);
  equal(at.querySelector("b"), null);
});

test("text keeps lines, tabs and letters of all scripts", () => {
  const text = "one\n\ttwo Größe 日本語 שלום 🙂";
  equal(pieces(text), [{ text, escape: false }]);
});

test("text marks words in any case, and words that look like patterns", async (at) => {
  await show(<Text words={["token", "a.*"]}>{"Tokens and a.* and abc"}</Text>, at);
  equal([...at.querySelectorAll("mark")].map((m) => m.textContent), ["Token", "a.*"]);
  equal(wordsOf("Where is the Verify verify of it?"), ["verify"]);
  equal(marked("abc", []), [{ text: "abc", hit: false }]);
});

test("times and texts are shortened", () => {
  const now = Date.parse("2026-01-02T00:00:00Z");
  equal(["2026-01-01T23:59:30Z", "2026-01-01T23:00:00Z", "2025-12-01T00:00:00Z", "", undefined].map((t) => ago(t, now)), ["30 s ago", "1 h ago", "32 d ago", "never", "never"]);
  equal(brief("first\nsecond"), "first");
  equal(brief("🙂".repeat(9), 3), "🙂🙂🙂…");
});

test("the tier chart draws each share and says it in words and in a table", async (at) => {
  await show(<ContextTierChart stats={stats(1, 2, 1)} />, at);
  equal(at.querySelectorAll("path.arc").length, 3);
  equal(find(at, "desc").textContent, "HOT: 1 items, 25 %; WARM: 2 items, 50 %; COLD: 1 items, 25 %");
  equal(find(at, "tbody tr", "WARM").innerText.split(/\s+/), ["WARM", "2", "50", "%", "20"]);
});

test("the tier chart of nothing has no share and divides by nothing", async (at) => {
  await show(<ContextTierChart stats={stats(0, 0, 0)} />, at);
  equal(at.querySelectorAll("path.arc").length, 0);
  equal(at.innerHTML.includes("NaN"), false);
});

test("the tier chart of one tier is a whole ring", async (at) => {
  await show(<ContextTierChart stats={stats(3, 0, 0)} />, at);
  equal(at.querySelectorAll("path.arc").length, 1);
  equal(arc(0, 1).includes("NaN"), false);
});

test("the item list names tier, importance, citation state and action of each item", async (at) => {
  let forgotten = "";
  await show(<ContextItemList items={[item({ verify: true, citations: [{ path: "a.go" }], pinned: 0.7 })]} onOpen={() => {}} onForget={(it) => (forgotten = it.id)} />, at);
  const row = find(at, ".body .row");
  for (const part of ["WARM", "fact", "Sessions last one hour", "0.70 pinned", "⚠ changed since"]) if (!row.textContent!.includes(part)) throw new Error(`no "${part}" in ${row.textContent}`);
  find(row, "button", "Forget").click();
  equal(forgotten, "mem_1");
  equal(citation(item()), "cites nothing");
});

test("the item list draws only rows in sight of 10,000", async (at) => {
  const items = Array.from({ length: 10_000 }, (_, i) => item({ id: `mem_${i}`, content: `item ${i}` }));
  await show(<ContextItemList items={items} onOpen={() => {}} onForget={() => {}} />, at);
  const rows = () => at.querySelectorAll(".body .row").length;
  if (rows() > 60 || rows() === 0) throw new Error(`${rows()} rows are drawn`);
  find(at, ".rows").scrollTop = 1e9;
  await drawn();
  find(at, ".body .row", "item 9999");
  equal(find(at, ".rows").getAttribute("aria-rowcount"), "10001");
});

test("a window of rows stays within the list", () => {
  equal(windowOf(0, 400, 40, 5), [0, 5]);
  equal(windowOf(1e9, 400, 40, 5), [-1, 5].map((n) => Math.max(0, n)), "scrolled beyond the end");
  equal(windowOf(4000, 400, 40, 1000), [94, 116]);
  equal(windowOf(0, 400, 40, 0), [0, 0]);
});

test("filters choose by tier, kind and text", () => {
  const items = [item(), item({ id: "b", kind: "decision", tier: "HOT", content: "Tokens" })];
  const ids = (f: Parameters<typeof passing>[1]) => passing(items, f).map((it) => it.id);
  equal(ids({ tiers: ["HOT", "WARM"], kind: "", text: "" }), ["mem_1", "b"]);
  equal(ids({ tiers: ["HOT"], kind: "", text: "" }), ["b"]);
  equal(ids({ tiers: ["HOT", "WARM"], kind: "fact", text: "" }), ["mem_1"]);
  equal(ids({ tiers: ["HOT", "WARM"], kind: "", text: " tOKEN " }), ["b"]);
});

test("an item offers to be moved, and to fade only where it is pinned", async (at) => {
  const moved: (number | null)[] = [];
  await show(<ItemView item={item()} onMove={(to) => moved.push(to)} onClose={() => {}} />, at);
  equal([...at.querySelectorAll("button")].some((b) => b.textContent === "Let it fade"), false);
  find(at, "button", "Pin to HOT").click();
  await show(<ItemView item={item({ pinned: 0.9 })} onMove={(to) => moved.push(to)} onClose={() => {}} />, at);
  find(at, "button", "Let it fade").click();
  equal(moved, [0.9, null]);
});

test("data shows loading, empty, error and older data beside an error", async (at) => {
  const base = { value: undefined, error: undefined, loading: false, reload: () => {} };
  const page = (more: object) => (
    <Shown data={{ ...base, ...more }} what="things" empty={(v: number[]) => v.length === 0 && <p>empty</p>}>
      {(v: number[]) => <p>{v.length} things</p>}
    </Shown>
  );
  await show(page({ loading: true }), at);
  find(at, "[role=status]", "Loading things");
  await show(page({ value: [] }), at);
  find(at, "p", "empty");
  let again = 0;
  await show(page({ error: new TypeError("failed"), value: [1], reload: () => again++ }), at);
  find(at, "[role=alert]", "The server does not answer.");
  find(at, "p", "1 things");
  find(at, "button", "Try again").click();
  equal(again, 1);
});

test("a defect of a page is told in its place", async (at) => {
  const Broken = () => {
    throw new Error("no such thing");
  };
  const said = console.error;
  console.error = () => {};
  await show(<Guard><Broken /></Guard>, at).finally(() => (console.error = said));
  find(at, "[role=alert]", "This page has a defect: Error: no such thing.");
});

test("a toast is told, undone once, and taken away", async (at) => {
  let undone = 0;
  await show(<Toasts />, at);
  tell("Forgotten: x", { undo: () => undone++ });
  await drawn();
  find(at, "button", "Undo").click();
  await drawn();
  equal([undone, at.querySelectorAll(".toast").length], [1, 0]);
});

test("what cannot be undone is asked once more", async (at) => {
  let done = 0;
  await show(<Sure label="it" onSure={() => done++}>Drop</Sure>, at);
  const button = find(at, "button");
  button.click();
  await drawn();
  equal([done, button.textContent, button.getAttribute("aria-label")], [0, "Really drop?", "Really drop? it"]);
  button.click();
  equal(done, 1);
});

test("a choice keeps a value that is no option", async (at) => {
  let picked = "";
  await show(<Pick label="Project" value="gone" options={[{ value: "web", text: "web" }]} onPick={(v) => (picked = v)} />, at);
  const select = find<HTMLSelectElement>(at, "select");
  equal([select.value, select.options.length], ["gone", 2]);
  select.value = "web";
  select.dispatchEvent(new Event("change", { bubbles: true }));
  equal(picked, "web");
});

test("the budget bar says its parts, also beyond the budget", async (at) => {
  await show(<BudgetBar id="x" budget={100} parts={[{ name: "code", tokens: 150 }]} />, at);
  equal(find(at, "title").textContent, "Budget: 150 of 100 tokens (100 %)");
  equal(at.querySelector("rect.part")!.getAttribute("width"), "600");
});

test("a meter stays within its track", async (at) => {
  await show(<Meter value={7} />, at);
  equal([at.querySelector("rect.fill")!.getAttribute("width"), at.textContent], ["48", "7.00"]);
});

test("the depth chart has a line for each count and a table", async (at) => {
  const now = Date.now();
  await show(<DepthChart now={now} samples={[{ at: now - 2000, depth: 1, inflight: 0, dead: 0 }, { at: now - 1000, depth: 3, inflight: 1, dead: 2 }]} />, at);
  equal(at.querySelectorAll("svg path").length, 3);
  equal(at.querySelectorAll("tbody tr").length, 2);
  await show(<DepthChart samples={[]} />, at);
  equal(find(at, "desc").textContent, "Nothing was seen yet.");
});

test("reasons say what to do, unknown ones where to read it", async (at) => {
  await show(<Reasons list={["index_stale", "novel"]} />, at);
  find(at, "li", "indexer doctor");
  find(at, "li", "docs/OPERATIONS.md");
});

test("servers tell where they are, who is down since when, and what lies there", async (at) => {
  const since = new Date(Date.now() - 180_000).toISOString();
  await show(<Servers list={[{ name: "s0", address: "10.0.0.1:6379", projects: 3 }, { name: "s1\u202e", error: "refused", projects: 2, down_since: since }, { name: "s2", error: "late" }]} />, at);
  equal([...at.querySelectorAll("tbody tr")].map((r) => [...r.children].map((c) => c.textContent)), [
    ["s0", "10.0.0.1:6379", "✓ up", "3", ""],
    ["s1\\u{202e}", "", "▲ down, since 3 min ago", "2 when it answered last", "refused"],
    ["s2", "", "▲ down", "not known", "late"],
  ]);
  find(at, "p", "2 do not answer");
});

test("freshness and fate are said in words", () => {
  const p = { project: "web", root: "/", files: 1, chunks: 1, generation: 1, indexed_at: "", stale: false, pending: 0, model: "", retrieval_off_until: "" };
  equal([freshness(p), freshness({ ...p, stale: true }), freshness({ ...p, pending: 2 }), freshness({ ...p, generation: 0 })], ["✓ fresh", "▲ stale", "… 2 waiting", "… not indexed yet"]);
  const r = { outcome: { used: ["a"], refetched: ["b"], dead: ["c"], missed: [], precision: 1 } } as unknown as Receipt;
  equal(["a", "b", "c", "d"].map((id) => fate(r, id)), ["✓ used", "↻ opened again", "✗ not used", "–"]);
  equal(fate({} as Receipt, "a"), "not reported");
});

test("precision is told by profile, older beside newer", () => {
  const r = (profile: string, precision?: number) => ({ profile, outcome: precision === undefined ? undefined : { used: [], refetched: [], dead: [], missed: [], precision } });
  equal(precisions([r("knight", 1), r("knight"), r("squire", 0.5), r("knight", 0.5), r("knight", 0)]), [
    { profile: "knight", reported: 3, newer: 0.75, older: 0.25 },
    { profile: "squire", reported: 1, newer: 0.5, older: 0.5 },
  ]);
  equal(precisions([]), []);
});

test("links come back as the routes that they were made of", () => {
  const r = parse(link("receipts", ["ctx/1?#%"], { project: "a&b" }));
  equal([r.name, r.parts, r.query.get("project")], ["receipts", ["ctx/1?#%"], "a&b"]);
  equal(parse("#/%E0%A4").name, "%E0%A4");
  equal(parse("").name, "context");
});

test("a burst of events is passed on as one, the last of each kind", async () => {
  const live = new Live();
  const batches: Event[][] = [];
  live.on((b) => batches.push(b));
  const at = "2026-01-02T03:04:05Z";
  for (let i = 0; i < 5000; i++) {
    live.take({ type: "memory_changed", at, project: "web", agent: `knight-${i % 2}`, data: { change: "save", items: i } });
    live.take({ type: "queue_changed", at, project: "", agent: "", data: { depth: i, delayed: 0, inflight: 0, dead: 0, oldest_age_ms: 0, requests: 1, claims: 0 } });
  }
  await new Promise((done) => setTimeout(done, 700));
  equal(batches.map((b) => b.length), [3]);
  equal((batches[0][0].data as { items: number }).items, 4998);
  if (live.samples.length > 1000) throw new Error(`${live.samples.length} samples are kept`);
});

test("what the queue was before the page was opened comes first", async () => {
  const live = new Live();
  live.sample({ depth: 3, inflight: 0, dead: 0 });
  const now = live.samples[0].at;
  const at = (ms: number) => new Date(now + ms).toISOString();
  live.before([{ at: at(-20_000), depth: 1, inflight: 0, dead: 0 }, { at: at(-10_000), depth: 2, inflight: 1, dead: 0 }, { at: at(5), depth: 9, inflight: 0, dead: 0 }]);
  equal(live.samples.map((s) => s.depth), [1, 2, 3]);
});

test("a table of rows marks the chosen one", async (at) => {
  await show(<Rows items={["a", "b"]} label="letters" columns={["letter"]} id={(s) => s} chosen="b" row={(s) => [s]} />, at);
  equal(find(at, ".row.chosen").textContent, "b");
  equal(find(at, ".row.chosen").getAttribute("aria-rowindex"), "3");
});

declare global {
  interface Window {
    results: ReturnType<typeof run>;
  }
}
window.results = run();
