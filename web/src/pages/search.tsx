import { h } from "preact";
import { useState } from "preact/hooks";
import type { SearchReply, SearchResult } from "../../../clients/ts/contextd.js";
import { Meter } from "../parts/meter.js";
import { Failure, Notice } from "../parts/notice.js";
import { Reasons } from "../parts/reasons.js";
import { Table } from "../parts/table.js";
import { Text } from "../parts/text.js";
import { refused } from "../data.js";
import type { Route } from "../route.js";
import { server } from "../server.js";
import { count, percent, wordsOf } from "../text.js";
import { OfProject } from "./project.js";
import { Why } from "./why.js";

const rejected: Record<string, string> = {
  below_threshold: "not relevant enough",
  cap_results: "there were enough better ones",
  cap_bytes: "no room left",
  duplicate: "its text stands there already",
  stale: "it changed",
  missing: "it is gone",
  secret: "it holds a secret",
  excluded: "a rule leaves it out now",
  outside_root: "it leads out of the root",
  binary: "it is no text any more",
};

/** Page 3: ask any project, and see why it answers what it does. */
export function Search({ route }: { route: Route }) {
  return <OfProject route={route}>{(project) => <Ask project={project} key={project} first={route.query.get("q") ?? ""} />}</OfProject>;
}

function Ask({ project, first }: { project: string; first: string }) {
  const [query, setQuery] = useState(first);
  const [k, setK] = useState("10");
  const [state, set] = useState<{ reply?: SearchReply; error?: unknown; busy?: boolean }>({});
  const ask = async (e?: Event) => {
    e?.preventDefault();
    if (!query.trim()) return;
    set((was) => ({ ...was, busy: true }));
    try {
      set({ reply: await server.search({ query, project, k: Number(k), max_chars: 1200, max_bytes: 16384, deadline_ms: 5000, explain: true }) });
    } catch (error) {
      refused.tell(error);
      set({ error });
    }
  };
  return (
    <div>
      <form class="filters" role="search" onSubmit={(e) => void ask(e)}>
        <label class="field grow">
          <span>Question or words</span>
          <input type="search" value={query} required onInput={(e) => setQuery(e.currentTarget.value)} />
        </label>
        <label class="field">
          <span>Results</span>
          <select value={k} onChange={(e) => setK(e.currentTarget.value)}>
            {["3", "10", "30"].map((n) => (
              <option value={n}>{n}</option>
            ))}
          </select>
        </label>
        <button type="submit" disabled={state.busy}>
          {state.busy ? "Searching …" : "Search"}
        </button>
      </form>
      {state.error !== undefined && <Failure error={state.error} retry={() => void ask()} />}
      {state.reply ? (
        <Answer reply={state.reply} />
      ) : (
        state.error === undefined && (
          <Notice kind="empty" title="Ask something.">
            A question such as "where are retries scheduled", or names from the code. Each result says why it stands there.
          </Notice>
        )
      )}
      <Why project={project} />
    </div>
  );
}

function Answer({ reply }: { reply: SearchReply }) {
  const words = wordsOf(reply.query);
  return (
    <section aria-labelledby="answer-h">
      <h2 id="answer-h">{reply.results.length === 1 ? "1 result" : `${reply.results.length} results`}</h2>
      <p class="hint" role="status">
        {reply.status}, best relevance {reply.best_relevance.toFixed(2)}, {count(reply.searched.files)} files and {count(reply.searched.chunks)} chunks in {reply.took_ms.toFixed(0)} ms, generation {reply.generation}
      </p>
      <Reasons list={reply.reasons} />
      {reply.missing_words?.length ? (
        <p>
          Nowhere in this project: <Text>{reply.missing_words.join(", ")}</Text>
          {reply.nearest_names?.length ? (
            <span>
              . Names spelt nearly so: <Text>{reply.nearest_names.join(", ")}</Text>
            </span>
          ) : null}
        </p>
      ) : null}
      {reply.results.length === 0 && (
        <Notice kind="empty" title="Nothing relevant was found.">
          {reply.nearest?.length ? "What came nearest probably does not answer. " : ""}Ask with words of the code, or see below why a file is not found.
        </Notice>
      )}
      {reply.results.map((r) => (
        <Result r={r} words={words} key={`${r.path}:${r.start_line}`} />
      ))}
      {reply.nearest?.length ? (
        <ul>
          {reply.nearest.map((n) => (
            <li>
              <Text>{`${n.path}:${n.start_line} ${n.symbol}`}</Text> ({n.relevance.toFixed(2)})
            </li>
          ))}
        </ul>
      ) : null}
      {reply.rejected?.length ? (
        <details>
          <summary>{count(reply.rejected.length)} not shown</summary>
          <Table label="Rejected candidates" columns={["file", "why not", "relevance"]}>
            {reply.rejected.map((r) => (
              <tr>
                <td class="source">
                  <Text>{r.path}</Text>
                </td>
                <td>
                  {r.reason}: {rejected[r.reason] ?? ""}
                </td>
                <td>{r.relevance === undefined ? "–" : <Meter value={r.relevance} />}</td>
              </tr>
            ))}
          </Table>
        </details>
      ) : null}
    </section>
  );
}

function Result({ r, words }: { r: SearchResult; words: string[] }) {
  const sum = (r.explain ?? []).reduce((n, c) => n + c.value * c.weight, 0);
  return (
    <article class="card result">
      <h3>
        <span class={`grade ${r.grade}`}>{r.grade}</span> <Text>{`${r.path}:${r.snippet_line}`}</Text>
      </h3>
      <p class="hint">
        <Meter value={r.relevance} /> <Text>{[r.kind, r.symbol, r.language].filter(Boolean).join(" · ")}</Text>, lines {r.start_line}–{r.end_line}
        {r.freshness === "overlay" ? ", changed since it was indexed" : ""}
        {r.share_of_best !== undefined ? `, a further part: ${percent(r.share_of_best)} of the best` : ""}
      </p>
      <pre tabIndex={0} aria-label={`Snippet from line ${r.snippet_line}`}>
        <Text words={words}>{r.snippet}</Text>
      </pre>
      {r.explain && (
        <details>
          <summary>Why this score</summary>
          <table>
            <thead>
              <tr>
                <th scope="col">feature</th>
                <th scope="col">value</th>
                <th scope="col">weight</th>
                <th scope="col">adds</th>
              </tr>
            </thead>
            <tbody>
              {r.explain.map((c) => (
                <tr>
                  <th scope="row">
                    <Text>{c.feature}</Text>
                  </th>
                  <td>{c.value.toFixed(3)}</td>
                  <td>{c.weight.toFixed(3)}</td>
                  <td>{(c.value * c.weight).toFixed(3)}</td>
                </tr>
              ))}
              <tr class="total">
                <th scope="row">sum</th>
                <td />
                <td />
                <td>{sum.toFixed(3)}</td>
              </tr>
            </tbody>
          </table>
          {r.companions?.length ? (
            <p>
              Usually changed along with: <Text>{r.companions.map((c) => `${c.path} (${percent(c.share)})`).join(", ")}</Text>
            </p>
          ) : null}
        </details>
      )}
    </article>
  );
}
