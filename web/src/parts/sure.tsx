import { h } from "preact";
import { useEffect, useState } from "preact/hooks";

/** A button for what cannot be undone: it asks once more in its own place. */
export function Sure({ children, label, onSure }: { children: string; label?: string; onSure: () => void }) {
  const [asked, ask] = useState(false);
  useEffect(() => {
    if (!asked) return;
    const timer = setTimeout(() => ask(false), 6000);
    return () => clearTimeout(timer);
  }, [asked]);
  const text = asked ? `Really ${children.toLowerCase()}?` : children;
  return (
    <button
      type="button"
      class={asked ? "danger asked" : "danger"}
      aria-label={label && `${text} ${label}`}
      onClick={() => {
        ask(!asked);
        if (asked) onSure();
      }}
    >
      {text}
    </button>
  );
}
