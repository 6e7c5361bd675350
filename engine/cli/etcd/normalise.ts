/** What makes two runs of a recorded program comparable: the rules of the recordings' README, as code. */
import type { Json } from "./json.ts";

type JsonObject = { readonly [key: string]: Json | undefined };

export class Normaliser {
  readonly #leases = new Map<string, string>();
  readonly #members = new Map<string, string>();
  /** Ids that the program chose itself: they stay. */
  readonly #chosen = new Set<string>();

  /** Notes the lease ids that a request names. */
  noteChosen(path: string, request: Json): void {
    const visit = (json: Json | undefined): void => {
      if (json === null || typeof json !== "object") return;
      for (const [key, value] of Object.entries(json)) {
        if (key === "lease" && /^\d+$/u.test(textOf(value))) this.#chosen.add(textOf(value));
        else visit(value);
      }
    };
    visit(request);
    const id = (request as JsonObject | null)?.["ID"];
    // Of ids below 0 the recorder knows only what was granted.
    const shape = path.endsWith("/lease/grant") ? /^-?\d+$/u : /^\d+$/u;
    if (path.includes("/lease/") && id !== undefined && shape.test(textOf(id)) && textOf(id) !== "0")
      this.#chosen.add(textOf(id));
  }

  /** Real values for the placeholders in a request. */
  expand(json: Json): Json {
    if (typeof json === "string") return this.#realOf(json);
    if (Array.isArray(json)) return json.map((item: Json) => this.expand(item));
    if (json === null || typeof json !== "object") return json;
    return Object.fromEntries(Object.entries(json).map(([key, value]) => [key, this.expand(value as Json)]));
  }

  #realOf(text: string): string {
    if (!/^\$(?:lease|member):\d+$/u.test(text)) return text;
    for (const known of [this.#leases, this.#members]) for (const [real, name] of known) if (name === text) return real;
    throw new Error(`${text} has not appeared`);
  }

  lease(id: string): string {
    if (id === "0" || this.#chosen.has(id)) return id;
    const known = this.#leases.get(id) ?? `$lease:${this.#leases.size + 1}`;
    this.#leases.set(id, known);
    return known;
  }

  #member(id: string): string {
    if (id === "0") return id;
    const known = this.#members.get(id) ?? `$member:${this.#members.size + 1}`;
    this.#members.set(id, known);
    return known;
  }

  /** An answer of a call to this path. */
  answer(path: string, json: Json): Json {
    const walked = this.walk(json) as JsonObject;
    if (path.startsWith("/v3/lease/") || path.startsWith("/v3/kv/lease/")) return this.#leaseAnswer(path, walked);
    if (path.startsWith("/v3/cluster/")) return this.#clusterAnswer(walked);
    if (path !== "/v3/maintenance/status") return walked;
    const status: Record<string, Json | undefined> = { ...walked };
    for (const key of ["dbSize", "dbSizeInUse", "raftIndex", "raftAppliedIndex", "raftTerm"])
      if (status[key] !== undefined) status[key] = `$${key}`;
    if (status["leader"] !== undefined) status["leader"] = this.#member(textOf(status["leader"]));
    return status;
  }

  walk(json: Json, key = ""): Json {
    if (Array.isArray(json)) return json.map((item: Json) => this.walk(item, key));
    if (json === null || typeof json !== "object") return json;
    const object: Record<string, Json | undefined> = {};
    for (const [name, value] of Object.entries(json) as [string, Json][]) {
      if (name === "header") object[name] = headerOf(value as JsonObject);
      else if (name === "lease" && typeof value === "string") object[name] = this.lease(value);
      else if (name === "memberID" && typeof value === "string") object[name] = this.#member(value);
      else object[name] = this.walk(value, name);
    }
    return object;
  }

  #leaseAnswer(path: string, walked: JsonObject): Json {
    const answer: Record<string, Json | undefined> = { ...walked };
    if (answer["ID"] !== undefined) answer["ID"] = this.lease(textOf(answer["ID"]));
    if (path.endsWith("/timetolive")) {
      if (answer["TTL"] !== undefined && Number(answer["TTL"]) >= 0) answer["TTL"] = "$remaining";
      const keys = answer["keys"] as readonly string[] | undefined;
      if (keys !== undefined) answer["keys"] = keys.toSorted();
    }
    const leases = answer["leases"] as readonly JsonObject[] | undefined;
    if (leases !== undefined)
      answer["leases"] = leases
        .map((each) => ({ ...each, ID: this.lease(textOf(each["ID"])) }))
        .sort((a, b) => a.ID.length - b.ID.length || (a.ID < b.ID ? -1 : 1));
    return answer;
  }

  #clusterAnswer(walked: JsonObject): Json {
    const fix = (member: JsonObject): JsonObject => ({
      ...member,
      ID: this.#member(textOf(member["ID"])),
      ...(member["peerURLs"] !== undefined && {
        peerURLs: (member["peerURLs"] as readonly string[]).map((url) =>
          url.replace(/^http:\/\/n1:2380$/u, "http://127.0.0.1:$peer"),
        ),
      }),
      ...(member["clientURLs"] !== undefined && {
        clientURLs: (member["clientURLs"] as readonly string[]).map(() => "$client"),
      }),
    });
    const answer: Record<string, Json | undefined> = { ...walked };
    // A member that is named alone comes before the list: so it was numbered.
    const listed = answer["members"] as readonly JsonObject[] | undefined;
    if (listed !== undefined)
      answer["members"] = listed.map(fix).sort((a, b) => (textOf(a["ID"]) < textOf(b["ID"]) ? -1 : 1));
    if (answer["member"] !== undefined) answer["member"] = fix(answer["member"] as JsonObject);
    return answer;
  }

  /** The responses of one drain of a watch stream, grouped by watch; how events were put together is timing. */
  watchGroups(responses: readonly Json[]): readonly Json[] {
    const groups = new Map<string, Record<string, Json | undefined>[]>();
    for (const response of responses) {
      const { watch_id: id = "0", events, header, ...rest } = this.walk(response) as JsonObject;
      const group = groups.get(textOf(id)) ?? [];
      groups.set(textOf(id), group);
      const revision = (header as JsonObject | undefined)?.["revision"];
      const isControl = Object.keys(rest).length > 0;
      if (isControl) group.push({ ...rest, ...(revision !== undefined && { revision }) });
      const last = group.at(-1);
      if (events !== undefined) {
        const sofar = last?.["events"] as readonly Json[] | undefined;
        if (last !== undefined && sofar !== undefined) last["events"] = [...sofar, ...(events as readonly Json[])];
        else group.push({ events });
      } else if (!isControl && last?.["progress"] !== revision) {
        group.push({ progress: revision ?? null });
      }
    }
    return [...groups].sort(([a], [b]) => Number(a) - Number(b)).map(([watch_id, msgs]) => ({ watch_id, msgs }));
  }
}

function headerOf(header: JsonObject): JsonObject {
  return header["revision"] === undefined ? {} : { revision: header["revision"] };
}

/** A string or a number as text; of anything else its JSON. */
function textOf(json: Json | undefined): string {
  return typeof json === "string" ? json : JSON.stringify(json);
}
