import type { ProcessId, ReadView, WriteView } from "../../engine/index.ts";
import type { Language } from "../i18n/language.ts";
import { useLanguage } from "../i18n/use-text.ts";
import { clientOf, logOf, memberOf } from "../store/selectors.ts";
import { useView } from "../store/use.ts";
import "../ui/css.ts";
import css from "./panels.module.css";
import { writeStage } from "./write-stage.ts";

const LISTED = 6;
const READS_LISTED = 4;

interface WritesProps {
  readonly clients: readonly ProcessId[];
  readonly members: readonly ProcessId[];
}

/** Each write and its way through the logs; each read and what it got. */
export default function WriteResults({ clients, members }: WritesProps) {
  const writes = useView((view) => clients.some((id) => (clientOf(id)(view)?.writes.length ?? 0) > 0));
  const reads = useView((view) => clients.some((id) => (clientOf(id)(view)?.reads.length ?? 0) > 0));
  return (
    <>
      {reads ? <Reads clients={clients} /> : null}
      {writes ? <Writes clients={clients} members={members} /> : null}
    </>
  );
}

function Reads({ clients }: Pick<WritesProps, "clients">) {
  const { text } = useLanguage();
  return (
    <ul className={css["reads"]} aria-label={text("read.list")}>
      {clients.map((id) => (
        <ClientReads key={id} id={id} named={clients.length > 1} />
      ))}
    </ul>
  );
}

function ClientReads({ id, named }: { readonly id: ProcessId; readonly named: boolean }) {
  const language = useLanguage();
  const { text } = language;
  const client = useView(clientOf(id));
  return client?.reads
    .slice(-READS_LISTED)
    .reverse()
    .map((read) => (
      <li key={read.request}>
        <b>{readWords(language, read)}</b>
        <small data-outcome={read.outcome}>
          {named ? `${id}, ` : null}
          {read.member === null ? null : `${text("client.at", { member: read.member })}, `}
          {text(read.serializable ? "read.serializable" : "read.linearizable")}, {text(`write.outcome.${read.outcome}`)}
          {read.why === null || read.outcome === "done" ? null : `: ${language.sayText("rule", read.why, {})}`}
        </small>
      </li>
    ));
}

function readWords({ text }: Language, { outcome, value }: ReadView): string {
  if (outcome !== "done") return text("read.unanswered");
  return value === null ? text("read.empty") : text("read.value", { value });
}

function Writes({ clients, members }: WritesProps) {
  const { text } = useLanguage();
  return (
    <table className={css["writes"]}>
      <caption className="heard">{text("write.list")}</caption>
      <thead>
        <tr>
          <th scope="col">{text("write.value")}</th>
          {members.map((id) => (
            <th key={id} scope="col">
              {id}
            </th>
          ))}
        </tr>
      </thead>
      {clients.map((id) => (
        <ClientWrites key={id} id={id} members={members} named={clients.length > 1} />
      ))}
    </table>
  );
}

function ClientWrites({
  id,
  members,
  named,
}: {
  readonly id: ProcessId;
  readonly members: readonly ProcessId[];
  readonly named: boolean;
}) {
  const language = useLanguage();
  const { text } = language;
  const client = useView(clientOf(id));
  const writes = client?.writes.slice(-LISTED).reverse() ?? [];
  return (
    <tbody>
      {writes.map((write) => (
        <tr key={write.request}>
          <th scope="row">
            <span className={css["written"]}>{named ? `${id} ${write.value}` : write.value}</span>
            <small data-outcome={write.outcome}>
              {text(`write.outcome.${write.outcome}`)}
              {write.why === null || write.outcome === "done" ? null : `: ${language.sayText("rule", write.why, {})}`}
            </small>
          </th>
          {members.map((member) => (
            <td key={member}>
              <Mark member={member} entry={write.entry} />
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  );
}

function Mark({ member, entry }: { readonly member: ProcessId; readonly entry: WriteView["entry"] }) {
  const { text } = useLanguage();
  const stage = useView((view) => {
    const facts = memberOf(member)(view);
    return facts === null ? "none" : writeStage(entry, facts, logOf(member)(view));
  });
  const words = text("write.at", { member, stage: text(`write.stage.${stage}`) });
  return (
    <span className={css["mark"]} data-term="" data-stage={stage} style={{ "--term": entry?.term ?? 0 }} title={words}>
      <span className="heard">{words}</span>
    </span>
  );
}
