// The server that sent this page, and the token that it may want.
import { Contextd, ContextdError } from "../../clients/ts/contextd.js";

const key = "contextd.token";

// What is asked for while the page is being left goes out all the same.
let leaving = false;
addEventListener("pagehide", () => (leaving = true));
addEventListener("pageshow", () => (leaving = false));

const client = (token: string | undefined) => new Contextd({ baseUrl: location.origin, token, fetch: (input, init) => fetch(input, leaving ? { ...init, keepalive: true } : init) });

/** Whether a token is given. */
export let loggedIn = sessionStorage.getItem(key) !== null;

/** The client. Its token is kept in sessionStorage: it goes with the tab. */
export let server = client(sessionStorage.getItem(key) ?? undefined);

/** Sets the token, or forgets it. */
export function login(token: string | undefined): void {
  server = client(token);
  loggedIn = token !== undefined;
  if (token) sessionStorage.setItem(key, token);
  else sessionStorage.removeItem(key);
}

/** Whether an error says that a token is wanted, or another one. */
export const unauthorized = (e: unknown) => e instanceof ContextdError && e.status === 401;

/** What an error says, and what to do about it. */
export function told(e: unknown): { what: string; todo: string } {
  if (e instanceof ContextdError) {
    const known = e.problem.known?.length ? ` Known: ${e.problem.known.slice(0, 12).join(", ")}.` : "";
    const id = e.problem.request_id ? ` The server's log has it as request ${e.problem.request_id}.` : "";
    return { what: `${e.problem.title}: ${e.problem.detail}`, todo: (e.problem.hint || "Try again.") + known + (e.status >= 500 ? id : "") };
  }
  if (e instanceof TypeError) return { what: "The server does not answer.", todo: 'Is "retriever serve" still running? This page tries again by itself.' };
  return { what: e instanceof Error ? e.message : String(e), todo: "Try again." };
}
