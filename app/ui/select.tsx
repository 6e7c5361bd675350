/** The only field that the page needs from the start; the others are in `field.tsx`. */
import { useId } from "react";
import "./css.ts";
import css from "./controls.module.css";

interface SelectProps {
  readonly label: string;
  readonly value: string;
  readonly options: readonly { readonly value: string; readonly text: string }[];
  readonly onChange: (value: string) => void;
  /** The label is heard, not seen. */
  readonly bare?: boolean;
  readonly what?: string;
}

export function Select({ label, value, options, onChange, bare = false, what }: SelectProps) {
  const id = useId();
  return (
    <div className={css["field"]}>
      <label htmlFor={id} className={bare ? "heard" : css["label"]}>
        {label}
      </label>
      <select id={id} className={css["select"]} value={value} onChange={(event) => onChange(event.target.value)}>
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.text}
          </option>
        ))}
      </select>
      {what === undefined ? null : <span className={css["what"]}>{what}</span>}
    </div>
  );
}
