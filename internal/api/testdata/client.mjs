// Uses the generated client against a real server: node client.mjs CLIENT BASE TOKEN ROOT. Prints "ok" when all held.
import assert from "node:assert/strict";

const [library, baseUrl, token, root] = process.argv.slice(2);
const { Contextd, ContextdError } = await import(library);
const c = new Contextd({ baseUrl: baseUrl + "/", token });

const stop = new AbortController();
const heard = [];
let hear;
const ready = new Promise((resolve) => (hear = resolve));
const listening = (async () => {
  for await (const event of c.events({ types: "context_assembled,memory_changed,task_completed" }, { signal: stop.signal })) {
    heard.push(event);
    if (event.type === "ready") hear();
    if (event.type === "context_assembled") break;
  }
})();
await ready;

const reply = await c.search({ query: "verify the signature of a session token", root, deadline_ms: 10000 });
assert.equal(reply.results[0].path, "src/auth/token.go");
const project = reply.project;
assert.equal((await c.getProject(project)).files, 2);
assert.equal((await c.whyPath(project, { path: "src/auth/token.go" })).indexed, true);

const saved = await c.saveContextItem("knight/1 ü", { item_type: "DECISION", content: "Session tokens expire after one hour", project });
assert.equal(saved.tier, "HOT");
const { items } = await c.loadContext("knight/1 ü", { tier: "HOT", project });
assert.equal(items[0].item_id, saved.item_id);
await c.completeTask(project, { task_id: "t-1", intent: "Add session tokens" });
assert.equal((await c.listTasks(project, { limit: 1 })).tasks[0].task_id, "t-1");
await c.block(project, { id: "t-2", reason: "waits" });
assert.equal(await c.unblock(project, "t-2"), undefined);

const context = await c.buildContext({ project, agent: "knight/1 ü", agent_kind: "knight", deadline_ms: 10000, task: { id: "t-3", title: "Check expiry of session tokens" } });
assert.equal(context.status, "ok");
const report = await c.feedback(context.id, { response: "Session tokens expire after one hour", edited: ["src/auth/token.go"] });
assert.ok(report.used.length > 0);
assert.equal((await c.getReceipt(context.id)).project, project);
await listening;
assert.deepEqual(heard.map((e) => e.type), ["ready", "memory_changed", "task_completed", "context_assembled"]);
assert.equal(heard[3].data.profile_id, "knight");

await assert.rejects(c.getProject("none"), (e) => e instanceof ContextdError && e.status === 404 && e.type === "urn:contextd:problem:not-found" && e.problem.request_id !== "");
await assert.rejects(c.search({ query: "x", project, bogus: 1 }), (e) => e.problem.field === "bogus");
await assert.rejects(new Contextd({ baseUrl, token: "wrong-wrong-wrong" }).listProjects(), (e) => e.status === 401);
await assert.rejects((async () => { for await (const _ of new Contextd({ baseUrl, token: "wrong-wrong-wrong" }).events()); })());
assert.match(await c.metrics({ requestId: "from-node" }), /contextd_http_requests_total/);
const description = await c.openapi();
assert.equal(description.openapi, "3.1.0");
for (const path of Object.values(description.paths)) for (const op of Object.values(path)) assert.equal(typeof c[op.operationId], op["x-other-clients"] ? "undefined" : "function", op.operationId);
stop.abort();
console.log("ok");
