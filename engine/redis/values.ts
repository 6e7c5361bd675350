/**
 * What a key holds. A string is replaced as a whole; the other kinds change in place and carry the epoch in which they
 * were made: one of an older epoch belongs to a checkpoint too, and is copied before it changes.
 */

export interface StringValue {
  readonly type: "string";
  readonly text: string;
}
/** Fields in order of insertion, as Redis keeps small ones. */
export interface HashValue {
  readonly type: "hash";
  readonly epoch: number;
  readonly fields: Map<string, string>;
}
export interface ListValue {
  readonly type: "list";
  readonly epoch: number;
  readonly items: string[];
}
export interface SetValue {
  readonly type: "set";
  readonly epoch: number;
  readonly members: Set<string>;
}
export interface SortedSetValue {
  readonly type: "zset";
  readonly epoch: number;
  readonly scores: Map<string, number>;
}

export type Value = StringValue | HashValue | ListValue | SetValue | SortedSetValue;
/** What changes in place. */
export type Collection = Exclude<Value, StringValue>;
export type ValueType = Value["type"];

export function emptyValue<T extends ValueType>(type: T, epoch: number): Extract<Value, { type: T }> {
  const made: Record<ValueType, Value> = {
    string: { type: "string", text: "" },
    hash: { type: "hash", epoch, fields: new Map() },
    list: { type: "list", epoch, items: [] },
    set: { type: "set", epoch, members: new Set() },
    zset: { type: "zset", epoch, scores: new Map() },
  };
  return made[type] as Extract<Value, { type: T }>;
}

export function copyOf(value: Value, epoch: number): Value {
  switch (value.type) {
    case "string":
      return value;
    case "hash":
      return { ...value, epoch, fields: new Map(value.fields) };
    case "list":
      return { ...value, epoch, items: [...value.items] };
    case "set":
      return { ...value, epoch, members: new Set(value.members) };
    case "zset":
      return { ...value, epoch, scores: new Map(value.scores) };
  }
}

export function sizeOf(value: Value): number {
  switch (value.type) {
    case "string":
      return value.text.length;
    case "hash":
      return value.fields.size;
    case "list":
      return value.items.length;
    case "set":
      return value.members.size;
    case "zset":
      return value.scores.size;
  }
}
