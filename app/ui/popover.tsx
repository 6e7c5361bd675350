import { Popover as Radix } from "radix-ui";
import type { ReactNode } from "react";
import css from "./controls.module.css";
import { landmark } from "./landmark.ts";

interface Props {
  readonly label: string;
  readonly x: number;
  readonly y: number;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** A small window at a point, in CSS pixels of the browser's window. */
export function PopoverAt({ label, x, y, onClose, children }: Props) {
  return (
    <Radix.Root open onOpenChange={(open) => (open ? undefined : onClose())}>
      <Radix.Anchor asChild>
        <span aria-hidden style={{ position: "fixed", left: x, top: y, width: 1, height: 1 }} />
      </Radix.Anchor>
      <Radix.Portal container={landmark()}>
        <Radix.Content className={css["popover"]} aria-label={label} sideOffset={14} collisionPadding={8}>
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
