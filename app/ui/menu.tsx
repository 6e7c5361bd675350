import { DropdownMenu as Radix } from "radix-ui";
import css from "./controls.module.css";
import { landmark } from "./landmark.ts";

export interface MenuEntry {
  readonly id: string;
  readonly title: string;
  readonly harm?: boolean;
  readonly disabled?: boolean;
  /** A line above it parts it from what comes before. */
  readonly parted?: boolean;
  /** Why it is not possible now. */
  readonly why?: string;
  readonly onSelect: () => void;
}

interface Props {
  readonly label: string;
  readonly title: string;
  readonly entries: readonly MenuEntry[];
  /** Where it opens, in CSS pixels of the window. */
  readonly x: number;
  readonly y: number;
  /** Opened by a key: the first entry is chosen at once. */
  readonly byKey: boolean;
  readonly onClose: () => void;
  /** Takes the focus when the menu has closed. */
  readonly returnTo: HTMLElement | SVGElement | null;
}

/** After the menu itself has taken the focus. */
function focusSoon(item: HTMLElement | null): void {
  if (item !== null) requestAnimationFrame(() => item.focus());
}

/** A menu at a point. */
export function MenuAt({ label, title, entries, x, y, byKey, onClose, returnTo }: Props) {
  return (
    <Radix.Root open onOpenChange={(open) => (open ? undefined : onClose())} modal={false}>
      <Radix.Trigger asChild>
        <span aria-hidden style={{ position: "fixed", left: x, top: y, width: 1, height: 1 }} />
      </Radix.Trigger>
      <Radix.Portal container={landmark()}>
        <Radix.Content
          className={css["menu"]}
          aria-label={label}
          align="start"
          sideOffset={2}
          collisionPadding={8}
          loop
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            if (returnTo !== null && (document.activeElement === null || document.activeElement === document.body))
              returnTo.focus({ preventScroll: true });
          }}
        >
          <Radix.Label className={css["menuLabel"]}>{title}</Radix.Label>
          {entries.flatMap((entry, i) => [
            entry.parted === true ? <Radix.Separator key={`${entry.id}-rule`} className={css["menuRule"]} /> : null,
            <Radix.Item
              key={entry.id}
              ref={i === 0 && byKey ? focusSoon : undefined}
              className={css["menuItem"]}
              disabled={entry.disabled === true}
              data-harm={entry.harm === true ? "" : undefined}
              onSelect={entry.onSelect}
            >
              <span>
                {entry.title}
                {entry.why === undefined ? null : <small>{entry.why}</small>}
              </span>
            </Radix.Item>,
          ])}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
