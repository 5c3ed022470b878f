import { h } from "preact";
import { count, percent } from "../text.js";

/** A number from 0 to 1 with a bar; the number says it all. */
export function Meter({ value, label }: { value: number; label?: string }) {
  const share = Math.max(0, Math.min(1, value));
  return (
    <span class="meter">
      <svg width="48" height="8" viewBox="0 0 48 8" aria-hidden="true">
        <rect class="track" width="48" height="8" rx="2" />
        <rect class="fill" width={48 * share} height="8" rx="2" />
      </svg>
      <span>{label ?? value.toFixed(2)}</span>
    </span>
  );
}

/** A budget and what its parts take, as a bar. Its numbers stand in a table beside it. */
export function BudgetBar({ budget, parts, id }: { budget: number; parts: { name: string; tokens: number }[]; id: string }) {
  const used = parts.reduce((n, p) => n + p.tokens, 0);
  const whole = Math.max(budget, used, 1);
  let at = 0;
  return (
    <svg class="budget" viewBox="0 0 600 28" preserveAspectRatio="none" role="img" aria-labelledby={`${id}-t ${id}-d`}>
      <title id={`${id}-t`}>{`Budget: ${count(used)} of ${count(budget)} tokens (${percent(used / whole)})`}</title>
      <desc id={`${id}-d`}>{parts.map((p) => `${p.name}: ${count(p.tokens)} tokens`).join("; ") || "No section takes any tokens."}</desc>
      <rect class="track" width="600" height="28" />
      {parts.map((p, i) => {
        const width = (600 * p.tokens) / whole;
        const x = at;
        at += width;
        return <rect class={`part part${i % 6}`} x={x} width={width} height="28" />;
      })}
    </svg>
  );
}
