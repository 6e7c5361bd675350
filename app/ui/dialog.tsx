import { type MouseEvent, type ReactNode, useEffect, useId, useRef } from "react";
import { createPortal } from "react-dom";
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

/** The browser's own modal dialog: it keeps the focus, closes on Escape, and needs no style sheet of its own making. */
export function Dialog({ title, close, wide = false, onClose, children }: Props) {
  const heading = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => element?.close();
  }, []);
  const onBackdrop = (event: MouseEvent<HTMLDialogElement>): void => {
    if (event.target !== event.currentTarget) return;
    const box = event.currentTarget.getBoundingClientRect();
    const { clientX: x, clientY: y } = event;
    if (x < box.left || x > box.right || y < box.top || y > box.bottom) onClose();
  };
  return createPortal(
    <dialog
      ref={dialog}
      className={css["dialog"]}
      data-wide={wide ? "" : undefined}
      aria-labelledby={heading}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onPointerDown={onBackdrop}
    >
      <div className={css["dialogHead"]}>
        <h2 id={heading}>{title}</h2>
        <Button look="quiet" square aria-label={close} onClick={onClose}>
          <Icon name="close" />
        </Button>
      </div>
      {children}
    </dialog>,
    document.body,
  );
}
