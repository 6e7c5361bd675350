import { type ChangeEvent, type ComponentProps, type ReactNode, type Ref, useId } from "react";
import "./css.ts";
import css from "./controls.module.css";

type InputProps = Omit<ComponentProps<"input">, "onChange" | "className" | "ref"> & {
  readonly label: string;
  readonly onChange: (value: string) => void;
  readonly problem?: string | null;
  readonly what?: string;
  readonly bare?: boolean;
  readonly ref?: Ref<HTMLInputElement>;
};

export function TextField({ label, onChange, problem = null, what, bare = false, ref, ...rest }: InputProps) {
  const id = useId();
  const note = useId();
  const said = problem ?? what;
  return (
    <div className={css["field"]}>
      <label htmlFor={id} className={bare ? "heard" : css["label"]}>
        {label}
      </label>
      <input
        {...rest}
        ref={ref}
        id={id}
        className={css["input"]}
        autoComplete="off"
        spellCheck={false}
        aria-invalid={problem !== null}
        aria-describedby={said === undefined ? undefined : note}
        onChange={(event: ChangeEvent<HTMLInputElement>) => onChange(event.target.value)}
      />
      {said === undefined ? null : (
        <span
          id={note}
          className={problem === null ? css["what"] : css["problem"]}
          role={problem === null ? undefined : "alert"}
        >
          {said}
        </span>
      )}
    </div>
  );
}

interface RangeProps {
  readonly label: string;
  readonly value: number;
  readonly min: number;
  readonly max: number;
  readonly step: number;
  /** The value in words, seen beside the label and heard in place of the number. */
  readonly figure: string;
  readonly onChange: (value: number) => void;
}

export function Range({ label, value, min, max, step, figure, onChange }: RangeProps) {
  const id = useId();
  const part = `${((Math.min(max, Math.max(min, value)) - min) / (max - min)) * 100}%`;
  return (
    <div className={css["field"]}>
      <label htmlFor={id} className={css["label"]}>
        {label} <span className={css["figure"]}>{figure}</span>
      </label>
      <input
        id={id}
        type="range"
        className={css["range"]}
        style={{ "--part": part }}
        {...{ min, max, step, value }}
        aria-valuetext={figure}
        onChange={(event) => onChange(event.target.valueAsNumber)}
      />
    </div>
  );
}

interface CheckProps {
  readonly label: ReactNode;
  readonly checked: boolean;
  readonly what?: string;
  readonly onChange: (checked: boolean) => void;
}

export function Check({ label, checked, what, onChange }: CheckProps) {
  const [name, note] = [useId(), useId()];
  return (
    <label className={css["check"]}>
      <input
        type="checkbox"
        checked={checked}
        aria-labelledby={name}
        aria-describedby={what === undefined ? undefined : note}
        onChange={(event) => onChange(event.target.checked)}
      />
      <span id={name}>{label}</span>
      {what === undefined ? null : (
        <span id={note} className={css["what"]}>
          {what}
        </span>
      )}
    </label>
  );
}
