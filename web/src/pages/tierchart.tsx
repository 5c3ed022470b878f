import { h } from "preact";
import type { ContextStats, Tier } from "../../../clients/ts/contextd.js";
import { count, percent } from "../text.js";

export const tiers: Tier[] = ["HOT", "WARM", "COLD"];

/** The arc of a ring from one share of the circle to another. */
export function arc(from: number, to: number, outer = 80, inner = 48): string {
  const end = Math.min(to, from + 0.9999);
  const at = (share: number, r: number) => {
    const a = 2 * Math.PI * share - Math.PI / 2;
    return `${(100 + r * Math.cos(a)).toFixed(2)} ${(100 + r * Math.sin(a)).toFixed(2)}`;
  };
  const big = end - from > 0.5 ? 1 : 0;
  return `M${at(from, outer)}A${outer} ${outer} 0 ${big} 1 ${at(end, outer)}L${at(end, inner)}A${inner} ${inner} 0 ${big} 0 ${at(from, inner)}Z`;
}

/** The shares of the tiers in what an agent remembers, as a ring and as a table. */
export function ContextTierChart({ stats }: { stats: ContextStats }) {
  const of = (t: Tier) => stats.tiers[t] ?? { items: 0, tokens: 0 };
  const whole = stats.total_items;
  let at = 0;
  const parts = tiers.map((tier) => {
    const share = whole ? of(tier).items / whole : 0;
    const from = at;
    at += share;
    return { tier, share, from, ...of(tier) };
  });
  return (
    <div class="tierchart">
      <svg viewBox="0 0 200 200" role="img" aria-labelledby="tiers-t tiers-d">
        <title id="tiers-t">Shares of the tiers</title>
        <desc id="tiers-d">{whole ? parts.map((p) => `${p.tier}: ${count(p.items)} items, ${percent(p.share)}`).join("; ") : "Nothing is remembered."}</desc>
        <circle class="track" cx="100" cy="100" r="64" />
        {parts.map((p) => p.share > 0 && <path class={`arc ${p.tier}`} d={arc(p.from, p.from + p.share)} />)}
        {parts.map((p) => {
          if (p.share < 0.08) return null;
          const a = 2 * Math.PI * (p.from + p.share / 2) - Math.PI / 2;
          return (
            <text class="arclabel" x={100 + 64 * Math.cos(a)} y={104 + 64 * Math.sin(a)} text-anchor="middle">
              {p.tier}
            </text>
          );
        })}
        <text class="arctotal" x="100" y="106" text-anchor="middle">
          {count(whole)}
        </text>
      </svg>
      <table>
        <caption>Items and tokens by tier</caption>
        <thead>
          <tr>
            <th scope="col">tier</th>
            <th scope="col">items</th>
            <th scope="col">share</th>
            <th scope="col">tokens</th>
          </tr>
        </thead>
        <tbody>
          {parts.map((p) => (
            <tr>
              <th scope="row">
                <span class={`tier ${p.tier}`}>{p.tier}</span>
              </th>
              <td>{count(p.items)}</td>
              <td>{percent(p.share)}</td>
              <td>{count(p.tokens)}</td>
            </tr>
          ))}
          <tr class="total">
            <th scope="row">all</th>
            <td>{count(whole)}</td>
            <td>{whole ? "100 %" : "0 %"}</td>
            <td>{count(stats.total_tokens)}</td>
          </tr>
        </tbody>
      </table>
      <p class="hint">
        HOT is always loaded, WARM on demand, COLD is put away by the next flash save ({count(stats.archived_count)} are put away).
      </p>
    </div>
  );
}
