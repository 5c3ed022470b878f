import { h, type ComponentChildren } from "preact";

/** A table that scrolls by itself, with the keyboard too; its children are rows. */
export function Table({ label, caption, columns, children }: { label: string; caption?: ComponentChildren; columns: string[]; children: ComponentChildren }) {
  return (
    <div class="scroll" tabIndex={0} role="group" aria-label={label}>
      <table>
        {caption && <caption>{caption}</caption>}
        <thead>
          <tr>
            {columns.map((c) => (
              <th scope="col" key={c}>
                {c}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}
