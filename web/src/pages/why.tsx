import { h } from "preact";
import { useState } from "preact/hooks";
import type { Verdict } from "../../../clients/ts/contextd.js";
import { refused } from "../data.js";
import { Failure } from "../parts/notice.js";
import { Text } from "../parts/text.js";
import { server } from "../server.js";
import { percent } from "../text.js";

/** Why a file is indexed or not, with the rule. */
export function Why({ project }: { project: string }) {
  const [path, setPath] = useState("");
  const [state, set] = useState<{ verdict?: Verdict; error?: unknown }>({});
  const ask = async (e?: Event) => {
    e?.preventDefault();
    try {
      set({ verdict: await server.whyPath(project, { path: path.trim() }) });
    } catch (error) {
      refused.tell(error);
      set({ error });
    }
  };
  const v = state.verdict;
  return (
    <section class="card" aria-labelledby="why-h">
      <h2 id="why-h">Why not this file?</h2>
      <form class="filters" onSubmit={(e) => void ask(e)}>
        <label class="field grow">
          <span>Path, relative to the root</span>
          <input required value={path} onInput={(e) => setPath(e.currentTarget.value)} placeholder="src/app.go" />
        </label>
        <button type="submit">Tell why</button>
      </form>
      <div role="status">
        {v && (
          <p>
            <strong>
              <Text>{v.path}</Text>
            </strong>{" "}
            {v.indexed ? `is indexed: ${v.chunks} chunks, generation ${v.generation}.` : "is not indexed: "}
            {!v.indexed && (
              <span>
                <code>
                  <Text>{v.reason}</Text>
                </code>
                {v.detail && (
                  <span>
                    {" "}
                    (<Text>{v.detail}</Text>)
                  </span>
                )}
                . docs/SKIPPED_FILES.md says which rules can be lifted.
              </span>
            )}
            {v.companions?.length ? (
              <span>
                {" "}
                Usually changed along with it: <Text>{v.companions.map((c) => `${c.path} (${percent(c.share)})`).join(", ")}</Text>
              </span>
            ) : null}
          </p>
        )}
      </div>
      {state.error !== undefined && <Failure error={state.error} />}
    </section>
  );
}
