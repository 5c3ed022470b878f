import { h } from "preact";
import { useState } from "preact/hooks";
import { useData } from "../data.js";
import { Shown } from "../parts/notice.js";
import { Rows } from "../parts/rows.js";
import { Text } from "../parts/text.js";
import { server } from "../server.js";
import { count } from "../text.js";

/** What is left out of a project, by reason, with the rule of each file. */
export function Skipped({ project }: { project: string }) {
  const [reason, choose] = useState("");
  const data = useData((signal) => server.listSkipped(project, { limit: 1000, ...(reason ? { reason } : {}) }, { signal }), [project, reason]); // a walk each: not with each event
  return (
    <section class="card" aria-labelledby="skipped-h">
      <div class="bar">
        <h2 id="skipped-h">Left out</h2>
        <button type="button" onClick={data.reload}>
          Look again
        </button>
      </div>
      <Shown data={data} what="what is left out">
        {(v) => {
          const reasons = Object.entries(v.counts).sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
          const all = reasons.reduce((n, [, c]) => n + c, 0);
          if (all === 0) return <p class="hint">Nothing is left out.</p>;
          return (
            <div class="skipped">
              <div class="filters" role="group" aria-label="Reasons">
                <button type="button" aria-pressed={reason === ""} onClick={() => choose("")}>
                  all ({count(all)})
                </button>
                {reasons.map(([name, n]) => (
                  <button type="button" key={name} aria-pressed={reason === name} onClick={() => choose(name)}>
                    <Text>{name}</Text> ({count(n)})
                  </button>
                ))}
              </div>
              <p class="hint" role="status">
                {count(v.files.length)} listed{v.more ? "; there are more." : "."} A folder counts once. docs/SKIPPED_FILES.md says which rules can be lifted.
              </p>
              <Rows
                items={v.files}
                label="Files that are left out"
                columns={["path", "reason", "rule"]}
                id={(f) => f.path}
                row={(f) => [<Text>{f.dir ? `${f.path}/` : f.path}</Text>, <Text>{f.reason}</Text>, <Text>{f.detail}</Text>]}
              />
            </div>
          );
        }}
      </Shown>
    </section>
  );
}
