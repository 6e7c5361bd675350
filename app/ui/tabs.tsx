import { Tabs as Radix } from "radix-ui";
import type { ReactNode } from "react";
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

/** Only the open one is in the page: what nobody sees costs nothing. */
export function Tabs({ label, tabs, value, onChange }: Props) {
  return (
    <Radix.Root className={css["tabs"]} value={value} onValueChange={onChange}>
      <Radix.List className={css["list"]} aria-label={label}>
        {tabs.map((tab) => (
          <Radix.Trigger key={tab.id} value={tab.id} className={css["tab"]}>
            {tab.title}
            {tab.badge}
          </Radix.Trigger>
        ))}
      </Radix.List>
      {tabs.map((tab) => (
        <Radix.Content key={tab.id} value={tab.id} className={css["panel"]}>
          {tab.content}
        </Radix.Content>
      ))}
    </Radix.Root>
  );
}
