import { h } from "preact";
import { plain } from "../text.js";

interface Props {
  label: string;
  value: string;
  options: { value: string; text: string }[];
  onPick: (value: string) => void;
}

/** A labelled choice. A value that is no option stands first, so that a link keeps what it says. */
export function Pick({ label, value, options, onPick }: Props) {
  const all = options.some((o) => o.value === value) ? options : [{ value, text: value || "choose …" }, ...options];
  return (
    <label class="field">
      <span>{label}</span>
      <select value={value} onChange={(e) => onPick(e.currentTarget.value)}>
        {all.map((o) => (
          <option value={o.value} key={o.value}>
            {plain(o.text)}
          </option>
        ))}
      </select>
    </label>
  );
}
