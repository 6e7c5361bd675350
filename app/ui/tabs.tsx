import { type KeyboardEvent, type ReactNode, Suspense, useId } from "react";
import css from "./controls.module.css";

export interface Tab {
  readonly id: string;
  readonly title: string;
  readonly badge?: ReactNode;
  readonly content: ReactNode;
}

interface Props {
  readonly label: string;
  readonly tabs: readonly Tab[];
  readonly value: string;
  readonly onChange: (id: string) => void;
}

/**
 * Tabs by the ARIA authoring practices: one stop for the Tab key, arrows, Home and End go and open.
 *
 * Only the open one is in the page: what nobody sees costs nothing, and may be fetched when it is opened.
 */
export function Tabs({ label, tabs, value, onChange }: Props) {
  const base = useId();
  const open = tabs.find(({ id }) => id === value) ?? tabs[0];
  if (open === undefined) return null;
  const tabId = (id: string): string => `${base}-tab-${id}`;
  const panelId = `${base}-panel`;

  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>): void => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    const to = tabs[placeFor(event.key, tabs.indexOf(open), tabs.length)];
    if (to === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    onChange(to.id);
    document.getElementById(tabId(to.id))?.focus();
  };

  return (
    <div className={css["tabs"]}>
      <div className={css["list"]} role="tablist" aria-label={label} tabIndex={-1} onKeyDown={onKeyDown}>
        {tabs.map(({ id, title, badge }) => (
          <button
            key={id}
            type="button"
            role="tab"
            id={tabId(id)}
            className={css["tab"]}
            data-state={id === open.id ? "active" : "inactive"}
            aria-selected={id === open.id}
            aria-controls={id === open.id ? panelId : undefined}
            tabIndex={id === open.id ? 0 : -1}
            onClick={() => onChange(id)}
          >
            {title}
            {badge}
          </button>
        ))}
      </div>
      <div
        key={open.id}
        role="tabpanel"
        id={panelId}
        className={css["panel"]}
        aria-labelledby={tabId(open.id)}
        tabIndex={0}
      >
        <Suspense fallback={null}>{open.content}</Suspense>
      </div>
    </div>
  );
}

/** Which tab a key goes to; -1 for a key that is not ours. */
function placeFor(key: string, from: number, count: number): number {
  if (key === "ArrowRight") return (from + 1) % count;
  if (key === "ArrowLeft") return (from + count - 1) % count;
  if (key === "Home") return 0;
  return key === "End" ? count - 1 : -1;
}
