/** Commands worth trying, as buttons that run them at the console. */
import { useText } from "../../i18n/use-text.ts";
import css from "./console.module.css";
import { useConsole } from "./use-console.ts";

interface Props {
  readonly commands: readonly string[];
}

export function TryCommands({ commands }: Props) {
  const text = useText();
  const console = useConsole();
  if (console === null) return null;
  return (
    <ul className={css["try"]} aria-label={text("console.try")}>
      {commands.map((command) => (
        <li key={command}>
          <button type="button" onClick={() => console.run(command)}>
            <code>{command}</code>
          </button>
        </li>
      ))}
    </ul>
  );
}
