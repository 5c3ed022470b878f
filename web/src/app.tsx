import { h, type ComponentType } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { refused } from "./data.js";
import { live, type State } from "./live.js";
import { ContextPanel } from "./pages/context.js";
import { History } from "./pages/history.js";
import { Projects } from "./pages/projects.js";
import { Receipts } from "./pages/receipts.js";
import { Savings } from "./pages/savings.js";
import { Search } from "./pages/search.js";
import { Guard } from "./parts/guard.js";
import { Toasts } from "./parts/toast.js";
import { link, useRoute, type Route } from "./route.js";
import { loggedIn, login, server, unauthorized } from "./server.js";

const pages: { name: string; title: string; page: ComponentType<{ route: Route }> }[] = [
  { name: "context", title: "Context", page: ContextPanel },
  { name: "receipts", title: "Receipts", page: Receipts },
  { name: "search", title: "Search", page: Search },
  { name: "projects", title: "Projects and queue", page: Projects },
  { name: "history", title: "History and outcomes", page: History },
  { name: "savings", title: "Savings", page: Savings },
];

export function App() {
  const route = useRoute();
  const [locked, lock] = useState(false);
  const found = pages.find((p) => p.name === route.name) ?? pages[0];
  const title = useRef<HTMLHeadingElement>(null);
  const before = useRef(found.name);
  useEffect(() => {
    document.title = `${found.title} · contextd`;
    if (before.current !== found.name) title.current?.focus(); // so that who cannot see it hears of the new page
    before.current = found.name;
  }, [found]);
  useEffect(() => {
    refused.tell = (e) => unauthorized(e) && lock(true);
    return () => {
      refused.tell = () => {};
    };
  }, []);
  useEffect(() => {
    if (locked) return;
    void live.run();
    return () => live.end();
  }, [locked]);
  return (
    <div class="app">
      <a class="skip" href="#main" onClick={(e) => (e.preventDefault(), title.current?.focus())}>
        Skip to the content
      </a>
      <header>
        <span class="name">contextd</span>
        <nav aria-label="Pages">
          {pages.map((p) => (
            <a href={link(p.name)} aria-current={p === found ? "page" : undefined}>
              {p.title}
            </a>
          ))}
        </nav>
        <Connection />
      </header>
      <main id="main">
        <h1 tabIndex={-1} ref={title}>
          {found.title}
        </h1>
        {locked ? <Login onDone={() => lock(false)} /> : (
          <Guard key={found.name}>
            <found.page route={route} />
          </Guard>
        )}
      </main>
      <footer>
        docs/DASHBOARD.md says what each page shows · <a href="/ui/licences.txt">Licences</a>{" "}
        {loggedIn && !locked && (
          <button
            type="button"
            class="link"
            onClick={() => {
              login(undefined);
              lock(true);
            }}
          >
            Log out
          </button>
        )}
      </footer>
      <Toasts />
    </div>
  );
}

/** Whether what is shown is live, and what to do if not. */
function Connection() {
  const [state, set] = useState<State>(live.state);
  useEffect(() => live.onState(set), []);
  return (
    <div class={`connection ${state}`} role="status">
      {state === "live" && <span>● Live</span>}
      {state === "connecting" && <span>○ Connecting …</span>}
      {state === "lost" && (
        <span>
          ▲ Disconnected: what is shown may be old.{" "}
          <button type="button" onClick={() => live.retry()}>
            Connect now
          </button>
        </span>
      )}
    </div>
  );
}

/** Asks for the token that this server wants. */
export function Login({ onDone }: { onDone: () => void }) {
  const [wrong, tell] = useState("");
  const [token, set] = useState("");
  const enter = async (e: Event) => {
    e.preventDefault();
    login(token.trim());
    try {
      await server.listAgents();
      onDone();
    } catch (error) {
      if (!unauthorized(error)) return onDone();
      login(undefined);
      tell("This is not the token.");
    }
  };
  return (
    <form class="card login" onSubmit={(e) => void enter(e)}>
      <p>This server wants its token: that of --token-file or CONTEXTD_TOKEN. It is kept in this tab only.</p>
      <label class="field">
        <span>Token</span>
        <input type="password" autocomplete="off" required value={token} onInput={(e) => set(e.currentTarget.value)} aria-describedby="login-wrong" aria-invalid={wrong !== ""} />
      </label>
      <p id="login-wrong" role="alert" class="wrong">
        {wrong}
      </p>
      <button type="submit">Log in</button>
    </form>
  );
}
