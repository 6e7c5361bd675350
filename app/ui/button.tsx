import type { ComponentProps } from "react";
import css from "./controls.module.css";

type Props = Omit<ComponentProps<"button">, "className" | "type"> & {
  /** `solid` for the one thing to do, `quiet` for what stands back. */
  readonly look?: "solid" | "quiet";
  /** For an icon alone; then `aria-label` names it. */
  readonly square?: boolean;
  readonly type?: "button" | "submit";
};

export function Button({ look, square, type = "button", ...rest }: Props) {
  return (
    <button
      {...rest}
      type={type === "submit" ? "submit" : "button"}
      className={css["button"]}
      data-look={look}
      data-square={square === true ? "" : undefined}
      title={square === true ? (rest.title ?? rest["aria-label"]) : rest.title}
    />
  );
}
