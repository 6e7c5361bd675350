/**
 * What a link may hold. Every object is closed, every figure has a range, every text and list a greatest length.
 * Fetched with the first link that is made or opened.
 */
import * as v from "valibot";
import {
  BROKEN_RULES,
  checkLab,
  type Command,
  type CommandType,
  type DiskQuality,
  CONSOLE_TEXT_MAX,
  CONSOLE_WORDS_MAX,
  DRIFT_PPM_MAX,
  FSYNC_MAX,
  LAB_CLIENTS_MAX,
  LAB_SYSTEMS,
  type LabConfig,
  LATENCY_MAX,
  type LinkQuality,
  type ProcessId,
  type Recorded,
  type RunConfig,
  SECOND,
  VALUE_LENGTH_MAX,
} from "../../engine/index.ts";
import { isProcessId } from "../store/ids.ts";
import type { Speed } from "../store/speed.ts";
import { integer, MembersSchema, SeedSchema, SpeedSchema, TimingSchema } from "./ranges.ts";

export const CLIENTS_MAX = 3;
export const COMMANDS_MAX = 10_000;
export const TEXT_MAX = 1_000;
/** A virtual day: far more than anyone watches, and replayed in a bearable time. */
export const AT_MAX_US = 86_400_000_000;
export const EVENTS_MAX = 100_000_000;
export const JUMP_MAX_US = 3_600 * SECOND;

const MILLION = 1_000_000;

const Text = v.pipe(v.string(), v.maxLength(TEXT_MAX));
const Id = v.pipe(v.string(), v.maxLength(16), v.guard(isProcessId));
const Latency = integer(1, LATENCY_MAX);
const Fsync = integer(1, FSYNC_MAX);
const Message = integer(1, Number.MAX_SAFE_INTEGER);

/** What a person writes to the cluster: something. */
export const ValueSchema = v.pipe(v.string(), v.minLength(1), v.maxLength(VALUE_LENGTH_MAX));

const inOrder = (range: { readonly min: number; readonly max: number }): boolean => range.min <= range.max;

export const LinkQualitySchema: v.GenericSchema<unknown, LinkQuality> = v.pipe(
  v.strictObject({
    latencyMin: Latency,
    latencyMax: Latency,
    lossPerMillion: integer(0, MILLION),
    duplicatePerMillion: integer(0, MILLION),
    reorderPerMillion: integer(0, MILLION),
  }),
  v.check(({ latencyMin, latencyMax }) => inOrder({ min: latencyMin, max: latencyMax })),
);

export const DiskQualitySchema: v.GenericSchema<unknown, DiskQuality> = v.pipe(
  v.strictObject({ fsyncMin: Fsync, fsyncMax: Fsync, tornWrites: v.boolean() }),
  v.check(({ fsyncMin, fsyncMax }) => inOrder({ min: fsyncMin, max: fsyncMax })),
);

const LockName = v.pipe(v.string(), v.minLength(1), v.maxLength(100));
/** How long anything of a lab may last, in microseconds. */
const Span = integer(0, 3_600_000_000);
const MaybeSpan = v.nullable(Span);

const ParamEntries = {
  lock: LockName,
  ttl: Span,
  work: Span,
  writes: v.pipe(v.array(Span), v.maxLength(50)),
  beatFirst: MaybeSpan,
  beatEvery: Span,
  retry: Span,
  limit: MaybeSpan,
  ownDeadline: v.boolean(),
  replicas: integer(0, 9),
  servers: integer(1, 9),
  rounds: integer(1, 1_000),
};

/** What somebody at a terminal asks: the system's own client says whether it can be. */
const OrderSchema = v.strictObject({
  at: Span,
  request: v.record(v.string(), v.unknown()),
  timeout: v.exactOptional(Span),
});

const ClientSchema = v.strictObject({
  startAt: Span,
  params: v.exactOptional(
    v.strictObject({
      lock: v.exactOptional(LockName),
      ttl: v.exactOptional(Span),
      work: v.exactOptional(Span),
      writes: v.exactOptional(ParamEntries.writes),
      beatFirst: v.exactOptional(MaybeSpan),
      beatEvery: v.exactOptional(Span),
      retry: v.exactOptional(Span),
      limit: v.exactOptional(MaybeSpan),
      ownDeadline: v.exactOptional(v.boolean()),
      replicas: v.exactOptional(ParamEntries.replicas),
      servers: v.exactOptional(ParamEntries.servers),
      rounds: v.exactOptional(ParamEntries.rounds),
      orders: v.exactOptional(v.pipe(v.array(OrderSchema), v.maxLength(50))),
    }),
  ),
  variant: v.exactOptional(v.pipe(v.string(), v.maxLength(40))),
  program: v.exactOptional(v.pipe(v.string(), v.maxLength(40))),
  server: v.exactOptional(integer(0, 8)),
});

/** Its figures have ranges of their own, which the lab names when one is outside (`checkLab`). */
const LabSchema: v.GenericSchema<unknown, LabConfig> = v.pipe(
  v.strictObject({
    system: v.picklist(LAB_SYSTEMS),
    variant: v.pipe(v.string(), v.maxLength(40)),
    lock: LockName,
    servers: integer(1, 9),
    fenced: v.boolean(),
    params: v.strictObject(ParamEntries),
    clients: v.pipe(v.array(ClientSchema), v.minLength(1), v.maxLength(LAB_CLIENTS_MAX)),
    stepTime: integer(0, 1_000_000),
    warmUp: integer(0, 60_000_000),
    setup: v.exactOptional(
      v.strictObject({
        compat: v.exactOptional(v.picklist(["3.4", "3.5"])),
        checkpoints: v.exactOptional(v.boolean()),
        durable: v.exactOptional(v.boolean()),
        sequenceFrom: v.exactOptional(integer(0, 2_147_483_647)),
      }),
    ),
  }),
  v.rawCheck(({ dataset, addIssue }) => {
    const bad = dataset.typed ? checkLab(dataset.value) : null;
    if (bad === null) return;
    addIssue({
      message:
        "program" in bad
          ? `there is no program ${bad.program}`
          : `${bad.field} is ${bad.given}, and may be from ${bad.min} to ${bad.max}`,
    });
  }),
);

const EtcdOptionsSchema = v.strictObject({
  compat: v.exactOptional(v.picklist(["3.4", "3.5"])),
  quotaBytes: v.exactOptional(integer(1, Number.MAX_SAFE_INTEGER)),
  progressEvery: v.exactOptional(integer(1, 3_600 * SECOND)),
  leaseCheckpoints: v.exactOptional(v.boolean()),
  console: v.exactOptional(v.boolean()),
});

export const ConfigSchema: v.GenericSchema<unknown, RunConfig> = v.strictObject({
  members: MembersSchema,
  timing: TimingSchema,
  preVote: v.boolean(),
  checkQuorum: v.boolean(),
  network: LinkQualitySchema,
  disk: DiskQualitySchema,
  clients: integer(0, CLIENTS_MAX),
  system: v.exactOptional(v.picklist(["register", "etcd"])),
  lab: v.exactOptional(LabSchema),
  etcd: v.exactOptional(EtcdOptionsSchema),
});

const Ends = v.strictObject({ from: Id, to: Id });
/** Both directions of every pair of a full cluster and its clients, with room. */
const LinkList = v.pipe(v.array(Ends), v.maxLength(256));

function about<const Type extends string>(type: Type) {
  return v.strictObject({ type: v.literal(type), process: Id });
}

function aboutMessage<const Type extends string>(type: Type) {
  return v.strictObject({ type: v.literal(type), message: Message });
}

const SettingsSchema = v.strictObject({
  preVote: v.boolean(),
  checkQuorum: v.boolean(),
  readOnly: v.picklist(["safe", "lease-based"]),
  broken: v.pipe(v.array(v.picklist(BROKEN_RULES)), v.maxLength(BROKEN_RULES.length)),
});

const ConsoleText = v.pipe(v.string(), v.maxLength(CONSOLE_TEXT_MAX));
const ConsoleInputSchema = v.variant("do", [
  v.strictObject({ do: v.literal("line"), text: ConsoleText }),
  v.strictObject({
    do: v.literal("run"),
    args: v.pipe(v.array(ConsoleText), v.maxLength(CONSOLE_WORDS_MAX)),
    stdin: v.nullable(ConsoleText),
  }),
  v.strictObject({ do: v.literal("type"), text: ConsoleText }),
  v.strictObject({ do: v.literal("eof") }),
  v.strictObject({ do: v.literal("interrupt") }),
]);

const AnyCommand = v.variant("type", [
  about("crash"),
  about("restart"),
  about("pause"),
  about("resume"),
  about("wipe"),
  about("spawn"),
  about("retire"),
  about("snapshot"),
  v.strictObject({
    type: v.literal("membership"),
    member: Id,
    transition: v.picklist(["auto", "implicit", "explicit"]),
    steps: v.pipe(
      v.array(v.strictObject({ operation: v.picklist(["add-voter", "add-learner", "remove"]), id: Id })),
      v.maxLength(16),
    ),
  }),
  v.strictObject({ type: v.literal("transfer"), to: Id }),
  v.strictObject({ type: v.literal("settings"), settings: SettingsSchema }),
  v.strictObject({ type: v.literal("corrupt"), process: Id, back: integer(1, Number.MAX_SAFE_INTEGER) }),
  v.strictObject({ type: v.literal("cut"), links: LinkList }),
  v.strictObject({ type: v.literal("mend"), links: LinkList }),
  v.strictObject({
    type: v.literal("partition"),
    groups: v.pipe(v.array(v.pipe(v.array(Id), v.maxLength(16))), v.maxLength(16)),
  }),
  v.strictObject({ type: v.literal("heal") }),
  v.strictObject({ type: v.literal("network"), quality: LinkQualitySchema }),
  v.strictObject({ type: v.literal("link"), link: Ends, quality: LinkQualitySchema }),
  v.strictObject({ type: v.literal("disk"), process: Id, quality: DiskQualitySchema }),
  v.strictObject({
    type: v.literal("clock"),
    process: Id,
    driftPpm: integer(-DRIFT_PPM_MAX, DRIFT_PPM_MAX),
    jumpUs: integer(-JUMP_MAX_US, JUMP_MAX_US),
  }),
  aboutMessage("hold"),
  aboutMessage("release"),
  v.strictObject({ type: v.literal("drop"), message: Message, swallow: v.exactOptional(v.literal(true)) }),
  aboutMessage("duplicate"),
  v.strictObject({ type: v.literal("write"), client: Id, member: v.nullable(Id), value: ValueSchema }),
  v.strictObject({ type: v.literal("read"), client: Id, member: v.nullable(Id), serializable: v.boolean() }),
  v.strictObject({ type: v.literal("console"), client: Id, input: ConsoleInputSchema }),
  v.strictObject({ type: v.literal("hold-back"), client: Id, on: v.boolean() }),
  v.strictObject({ type: v.literal("step-client"), client: Id }),
  v.strictObject({ type: v.literal("fence"), process: Id, on: v.boolean() }),
  v.strictObject({
    type: v.literal("panic"),
    process: Id,
    message: Text,
    stack: v.pipe(v.string(), v.maxLength(20 * TEXT_MAX)),
  }),
]);

type Forgotten = Exclude<CommandType, v.InferOutput<typeof AnyCommand>["type"]>;
/** Knows every command: one that the engine learns and this does not makes the type, and so the build, fail. */
export const CommandSchema: [Forgotten] extends [never] ? v.GenericSchema<unknown, Command> : Forgotten = AnyCommand;

const Count = integer(0, EVENTS_MAX);
const Instant = integer(0, AT_MAX_US);

export const RecordedSchema: v.GenericSchema<unknown, Recorded> = v.strictObject({
  n: Count,
  at: Instant,
  command: CommandSchema,
});

/** How the page looked when it was shared. */
export interface SharedView {
  readonly speed?: Speed | undefined;
  readonly selected?: ProcessId | undefined;
  /** The tab that was open. */
  readonly tab?: string | undefined;
}

export interface LinkBody {
  /** The engine's version that made the run. */
  readonly v: number;
  readonly seed: number;
  readonly config: RunConfig;
  readonly commands: readonly Recorded[];
  readonly at: number;
  readonly n: number;
  readonly hash: string;
  readonly view?: SharedView | undefined;
}

export const LinkBodySchema: v.GenericSchema<unknown, LinkBody> = v.pipe(
  v.strictObject({
    v: integer(1, MILLION),
    seed: SeedSchema,
    config: ConfigSchema,
    commands: v.pipe(v.array(RecordedSchema), v.maxLength(COMMANDS_MAX)),
    at: Instant,
    n: Count,
    hash: v.pipe(v.string(), v.regex(/^[0-9a-f]{16}$/)),
    view: v.optional(
      v.strictObject({
        speed: v.optional(SpeedSchema),
        selected: v.optional(Id),
        tab: v.optional(v.pipe(v.string(), v.regex(/^[a-z-]{1,20}$/))),
      }),
    ),
  }),
  v.forward(
    v.check(({ commands }) => inSequence(commands)),
    ["commands"],
  ),
);

/** Commands stand in the order in which they were given. */
function inSequence(commands: readonly Recorded[]): boolean {
  return commands.every((command, i) => {
    const before = commands[i - 1];
    return before === undefined || (before.n <= command.n && before.at <= command.at);
  });
}
