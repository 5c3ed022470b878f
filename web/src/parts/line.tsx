import { h } from "preact";
import type { Sample } from "../live.js";
import { ago } from "../text.js";

const width = 600;
const height = 120;

/** The queue over time; the table has the last values. */
export function DepthChart({ samples, now = Date.now() }: { samples: Sample[]; now?: number }) {
  const from = samples[0]?.at ?? now;
  const span = Math.max(1, now - from);
  const most = Math.max(1, ...samples.map((s) => Math.max(s.depth, s.inflight, s.dead)));
  const x = (at: number) => ((at - from) / span) * width;
  const y = (n: number) => height - 4 - (n / most) * (height - 12);
  const path = (of: (s: Sample) => number) => {
    let d = "";
    samples.forEach((s, i) => (d += i === 0 ? `M${x(s.at).toFixed(1)} ${y(of(s)).toFixed(1)}` : `H${x(s.at).toFixed(1)}V${y(of(s)).toFixed(1)}`));
    return d && d + `H${width}`;
  };
  const last = samples.at(-1);
  return (
    <figure>
      <svg class="line" viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" role="img" aria-labelledby="depth-t depth-d">
        <title id="depth-t">Queue depth over time</title>
        <desc id="depth-d">{last ? `Since ${ago(new Date(from).toISOString(), now)}; now ${last.depth} waiting, ${last.inflight} in flight, ${last.dead} dead; at most ${most}.` : "Nothing was seen yet."}</desc>
        <path class="depth" d={path((s) => s.depth)} />
        <path class="inflight" d={path((s) => s.inflight)} />
        <path class="dead" d={path((s) => s.dead)} />
      </svg>
      <figcaption>
        <span class="key depth">waiting (solid)</span> <span class="key inflight">in flight (dashed)</span> <span class="key dead">dead (dotted)</span>, {last ? `since ${ago(new Date(from).toISOString(), now)}` : ""}; top: {most}
      </figcaption>
      <details>
        <summary>As a table</summary>
        <table>
          <thead>
            <tr>
              <th scope="col">when</th>
              <th scope="col">waiting</th>
              <th scope="col">in flight</th>
              <th scope="col">dead</th>
            </tr>
          </thead>
          <tbody>
            {samples
              .slice(-20)
              .reverse()
              .map((s) => (
                <tr>
                  <td>{ago(new Date(s.at).toISOString(), now)}</td>
                  <td>{s.depth}</td>
                  <td>{s.inflight}</td>
                  <td>{s.dead}</td>
                </tr>
              ))}
          </tbody>
        </table>
      </details>
    </figure>
  );
}
