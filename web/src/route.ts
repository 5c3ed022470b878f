// Where the page is: #/name/parts?parameters, so that no path of the server is taken.
import { useEffect, useState } from "preact/hooks";

export interface Route {
  name: string;
  parts: string[];
  query: URLSearchParams;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The route that a hash says. */
export function parse(hash: string): Route {
  const [path, query] = hash.replace(/^#\/?/, "").split("?", 2);
  const [name, ...parts] = path.split("/").map(decoded);
  return { name: name || "context", parts: parts.filter(Boolean), query: new URLSearchParams(query ?? "") };
}

/** The link to a page. */
export function link(name: string, parts: string[] = [], query: Record<string, string | undefined> = {}): string {
  const given = Object.entries(query).filter(([, v]) => v) as [string, string][];
  const q = new URLSearchParams(given).toString();
  return "#/" + [name, ...parts].map(encodeURIComponent).join("/") + (q ? "?" + q : "");
}

/** Goes to a page; what only changes its parameters leaves no entry in the history. */
export function go(to: string): void {
  if (location.hash === to) return;
  const same = parse(location.hash).name === parse(to).name && parse(location.hash).parts.join() === parse(to).parts.join();
  if (same) {
    history.replaceState(null, "", to);
    dispatchEvent(new HashChangeEvent("hashchange"));
  } else {
    location.hash = to;
  }
}

export function useRoute(): Route {
  const [route, set] = useState(() => parse(location.hash));
  useEffect(() => {
    const changed = () => set(parse(location.hash));
    addEventListener("hashchange", changed);
    return () => removeEventListener("hashchange", changed);
  }, []);
  return route;
}
