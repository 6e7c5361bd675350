/** What the stage says of messages, members and standings, in the page's language. */
import type { Flight, Liveness, Role, ServerView } from "../../engine/index.ts";
import type { Language } from "../i18n/language.ts";
import type { ConfPlace } from "../store/selectors.ts";
import type { Headline, Standing } from "./headline.ts";

export interface NamedMember {
  readonly id: string;
  readonly role: Role;
  readonly term: number;
  readonly liveness: Liveness;
  readonly place: ConfPlace;
  /** Of a server that stands in no election. */
  readonly server: ServerView["role"] | null;
}

export function flightName({ text }: Language, flight: Flight): string {
  return flight.kind === "append" && flight.entryCount > 0
    ? text("flight.entries", { count: flight.entryCount })
    : text(`flight.${flight.kind}`);
}

export function flightTitle(language: Language, flight: Flight): string {
  return language.text("flight.title", { kind: flightName(language, flight), from: flight.from, to: flight.to });
}

/** The few words that a message carries along on the stage; null for what speaks by its shape alone. */
export function flightLabel(language: Language, flight: Flight, broken: boolean): string | null {
  const { text } = language;
  if (broken && flight.lost !== null) return text(`flight.lost.${flight.lost}`);
  switch (flight.kind) {
    case "vote-request":
    case "pre-vote-request":
      return `${text(`flight.${flight.kind}`)} (${flight.term})`;
    case "vote-granted":
    case "vote-refused":
    case "append-refused":
    case "timeout-now":
    case "forward":
      return text(`flight.${flight.kind}`);
    case "snapshot":
      return text("flight.snapshot.up-to", { index: Number(flight.figures["lastIndex"] ?? 0) });
    case "request":
    case "response": {
      const { rule, value } = flight.figures;
      if (rule !== undefined) return language.sayText("rule", String(rule), {});
      return value === undefined ? null : String(value);
    }
    default:
      return null;
  }
}

/** What it is to the others: one that does not know yet that it only learns is told from a follower all the same. */
export function standRole(role: Role, place: ConfPlace): Role {
  return place === "learner" && role === "follower" ? "learner" : role;
}

/** The word in its disc. */
export function standWord({ text }: Language, role: Role, place: ConfPlace): string {
  return place === "outside" ? text("member.outside") : text(`role.${standRole(role, place)}`);
}

export function memberName(language: Language, facts: NamedMember): string {
  const { text } = language;
  const { id, term, liveness, place, server } = facts;
  if (server !== null) return `${id}: ${text(liveness === "running" ? `role.${server}` : `liveness.${liveness}`)}`;
  const half = place === "old" || place === "new" ? `, ${text(`member.half.${place}`)}` : "";
  const role = standWord(language, facts.role, place) + half;
  if (liveness === "running") return text("member.label.running", { id, role, term });
  if (liveness === "paused") return text("member.label", { id, role, term, liveness: text("liveness.paused") });
  return text("member.label.down", { id, term, liveness: text(`liveness.${liveness}`) });
}

export function standingWords({ text }: Language, standing: Standing): string {
  switch (standing.is) {
    case "leads":
    case "alone":
      return text(`head.${standing.is}`, { leader: standing.leader, term: standing.term });
    case "campaign":
    case "pre-campaign":
      return text(`head.${standing.is}`, { candidate: standing.candidate, term: standing.term });
    case "campaigns":
      return text("head.campaigns", { count: standing.count });
    case "majority-down":
      return text("head.majority-down", { up: standing.up, members: standing.members, needed: standing.needed });
    case "majority-apart":
      return text("head.majority-apart", { members: standing.members, needed: standing.needed });
    case "majority-joint":
      return text("head.majority-joint", { voters: standing.voters, outgoing: standing.outgoing });
    case "primaries": {
      const [first, second] = standing.primaries;
      if (first === undefined) return text("head.no-primary");
      return second === undefined
        ? text("head.primary", { primary: first })
        : text("head.primaries", { count: standing.primaries.length });
    }
    default:
      return text(`head.${standing.is}`);
  }
}

export function headlineDetails({ text }: Language, head: Headline): string {
  const parts = [text("head.up", { up: head.up, members: head.members })];
  if (head.standing.is !== "primaries")
    parts.push(head.commit > 0 ? text("head.committed", { index: head.commit }) : text("head.nothing-committed"));
  else if (head.standing.replicas > 0) parts.push(text("head.replicas", { count: head.standing.replicas }));
  if (head.joint !== null) parts.unshift(text("head.joint", head.joint));
  if (head.learners > 0) parts.push(text("head.learners", { count: head.learners }));
  if (head.groups.length > 0)
    parts.push(text("head.split", { groups: head.groups.map((group) => group.length).join(" | ") }));
  return parts.join(" · ");
}
