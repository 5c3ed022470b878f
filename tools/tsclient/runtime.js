// It needs fetch, and for events WebSocket: browsers and Node.js from 22 have both, Node.js 20 with --experimental-websocket.

/** An error that the server sent: a problem of RFC 9457. Its type is "urn:contextd:problem:" and a slug of docs/API.md. */
export class ContextdError extends Error {
  constructor(problem) {
    super(problem.detail || problem.title);
    this.name = "ContextdError";
    this.problem = problem;
    this.type = problem.type;
    this.status = problem.status;
  }
}

const part = (text) => encodeURIComponent(String(text));

/** A client of one server. Its methods may be called at the same time. */
export class Contextd {
  constructor({ baseUrl = "http://127.0.0.1:9465", token, fetch: fetcher } = {}) {
    this.baseUrl = String(baseUrl).replace(/\/+$/, "");
    this.token = token;
    this.fetch = fetcher ?? globalThis.fetch.bind(globalThis);
  }

  // METHODS

  url(path, query) {
    const url = new URL(this.baseUrl + path);
    for (const [name, value] of Object.entries(query ?? {})) {
      if (value !== undefined) url.searchParams.set(name, String(value));
    }
    return url;
  }

  async call(method, path, query, body, form, { signal, requestId } = {}) {
    const headers = { Accept: "application/json, application/problem+json, */*" };
    if (this.token) headers.Authorization = `Bearer ${this.token}`;
    if (requestId) headers["X-Request-Id"] = requestId;
    if (body !== undefined) headers["Content-Type"] = "application/json";
    const reply = await this.fetch(this.url(path, query), {
      method,
      headers,
      signal,
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    if (!reply.ok) throw new ContextdError(await problemOf(reply));
    if (form === "json") return reply.json();
    const text = await reply.text();
    return form === "text" ? text : undefined;
  }

  async *listen(path, query, { signal, WebSocket: Socket = globalThis.WebSocket } = {}) {
    if (!Socket) throw new TypeError("there is no WebSocket here: give one as an option");
    const url = this.url(path, query);
    url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
    const protocols = ["contextd.v1"];
    if (this.token) protocols.push("contextd.token." + base64url(this.token));
    const socket = new Socket(url, protocols);
    const waiting = [];
    let wake = () => {};
    let end; // undefined while the connection lives, then an error or null
    const push = (f) => (event) => (f(event), wake());
    socket.addEventListener("message", push((event) => waiting.push(JSON.parse(event.data))));
    socket.addEventListener("error", push((event) => (end ??= event.error ?? new Error("the connection failed"))));
    socket.addEventListener("close", push((event) => (end ??= event.code === 1000 || event.code === 1001 ? null : new Error(event.reason || `closed with code ${event.code}`))));
    const abort = push(() => (end ??= null));
    signal?.addEventListener("abort", abort);
    if (signal?.aborted) abort();
    try {
      for (;;) {
        while (waiting.length > 0) yield waiting.shift();
        if (end) throw end;
        if (end === null) return;
        await new Promise((resolve) => (wake = resolve));
      }
    } finally {
      signal?.removeEventListener("abort", abort);
      socket.close();
    }
  }
}

async function problemOf(reply) {
  const text = await reply.text();
  try {
    const problem = JSON.parse(text);
    if (typeof problem?.type === "string") return problem;
  } catch {
    // what stands between us and the server has answered
  }
  return { type: "about:blank", title: reply.statusText, status: reply.status, detail: text.slice(0, 500), request_id: reply.headers.get("X-Request-Id") ?? "" };
}

function base64url(text) {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text))).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}
