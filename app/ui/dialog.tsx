import { Dialog as Radix } from "radix-ui";
import type { ReactNode } from "react";
import { Button } from "./button.tsx";
import css from "./controls.module.css";
import { Icon } from "./icon.tsx";

interface Props {
  readonly title: string;
  readonly close: string;
  readonly wide?: boolean;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

export function Dialog({ title, close, wide = false, onClose, children }: Props) {
  return (
    <Radix.Root open onOpenChange={(open) => (open ? undefined : onClose())}>
      <Radix.Portal>
        <Radix.Overlay className={css["overlay"]} />
        <Radix.Content className={css["dialog"]} data-wide={wide ? "" : undefined} aria-describedby={undefined}>
          <div className={css["dialogHead"]}>
            <Radix.Title asChild>
              <h2>{title}</h2>
            </Radix.Title>
            <Radix.Close asChild>
              <Button look="quiet" square aria-label={close}>
                <Icon name="close" />
              </Button>
            </Radix.Close>
          </div>
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
