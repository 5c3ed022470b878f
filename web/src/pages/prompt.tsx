import { h } from "preact";
import { useState } from "preact/hooks";
import type { Prompt, PromptPart } from "../../../clients/ts/contextd.js";
import { useData } from "../data.js";
import { Shown } from "../parts/notice.js";
import { Text } from "../parts/text.js";
import { server } from "../server.js";
import { count, plain } from "../text.js";

/** What the state of a part means, in words. */
const states: Record<string, string> = { same: "as it was", changed: "▲ changed since", gone: "✗ no longer there", not_kept: "– not kept" };

/** A stretch of a message: a part, or the frame between two. */
export interface Stretch {
  text: string;
  part?: PromptPart;
}

/** Divides a message at the places of its parts, which count bytes of UTF-8. */
export function stretches(p: Prompt, message: number): Stretch[] {
  const bytes = new TextEncoder().encode(p.messages[message].content);
  const text = (from: number, to: number) => new TextDecoder().decode(bytes.subarray(from, to));
  const out: Stretch[] = [];
  let at = 0;
  for (const part of p.parts.filter((x) => x.message === message).sort((a, b) => a.start - b.start)) {
    if (part.start < at || part.end > bytes.length) continue;
    if (part.start > at) out.push({ text: text(at, part.start) });
    out.push({ text: text(part.start, part.end), part });
    at = part.end;
  }
  if (at < bytes.length) out.push({ text: text(at, bytes.length) });
  return out;
}

/** Why a part stands in the prompt, in one line. */
function about(x: PromptPart): string {
  const facts = [x.source, x.kind, x.grade, x.tokens ? `${count(x.tokens)} tokens` : "", x.decision, x.reason, states[x.state] ?? x.state];
  return plain(facts.filter((f) => f).join(", "));
}

/** The prompt of a context, compiled again when it is asked for. */
export function PromptCard({ id }: { id: string }) {
  const [open, show] = useState(false);
  return (
    <section class="card" aria-labelledby="prompt-h">
      <h2 id="prompt-h">The prompt</h2>
      <p class="hint">A receipt keeps sources, hashes and reasons, no text. The prompt is compiled again from what its sources say now.</p>
      {open ? (
        <PromptText id={id} />
      ) : (
        <button type="button" onClick={() => show(true)}>
          Compile it again
        </button>
      )}
    </section>
  );
}

function PromptText({ id }: { id: string }) {
  const data = useData((signal) => server.getPrompt(id, { signal }), [id]);
  return (
    <Shown data={data} what="the prompt">
      {(p) => (
        <div>
          <p role="status">
            {p.exact
              ? `✓ Exactly as it was sent, ${count(p.tokens)} tokens.`
              : `▲ Not exactly as it was sent: ${count(p.parts.filter((x) => x.state !== "same").length)} of ${count(p.parts.length)} parts are not the same.`}
          </p>
          {p.messages.map((m, i) => (
            <div key={i}>
              <h3>
                <Text>{m.role}</Text>
              </h3>
              <div class="prompt" tabIndex={0} role="group" aria-label={`Message of ${plain(m.role)}`}>
                {stretches(p, i).map((s) =>
                  s.part ? (
                    <div class={`part ${s.part.state}`}>
                      <p class="about">
                        <Text>{about(s.part)}</Text>
                      </p>
                      <pre>
                        <Text>{s.text}</Text>
                      </pre>
                    </div>
                  ) : s.text.trim() ? (
                    <pre>
                      <Text>{s.text.replace(/^\n+|\n+$/g, "")}</Text>
                    </pre>
                  ) : null,
                )}
              </div>
            </div>
          ))}
        </div>
      )}
    </Shown>
  );
}
