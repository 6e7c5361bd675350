/**
 * Who may do what with a node: ACLs, and the ids that a connection has shown (ZooKeeper's PrepRequestProcessor and its
 * authentication providers world, auth, digest and ip).
 */
import { utf8Encode } from "../base/bytes.ts";
import { hashCode } from "./java-set.ts";
import { sha1 } from "../base/sha1.ts";

/** Bits of `perms`. */
export const PERMS = { read: 1, write: 2, create: 4, delete: 8, admin: 16, all: 31 } as const;

export interface Id {
  readonly scheme: string;
  readonly id: string;
}

export interface Acl extends Id {
  readonly perms: number;
}

export const ANYONE: Id = { scheme: "world", id: "anyone" };
export const OPEN_ACL: readonly Acl[] = [{ ...ANYONE, perms: PERMS.all }];
export const READ_ONLY_ACL: readonly Acl[] = [{ ...ANYONE, perms: PERMS.read }];
/** All clients of the page sit at the members' own machine. */
export const OWN_ADDRESS: Id = { scheme: "ip", id: "127.0.0.1" };

/** What `addAuth` makes of a name and password; null: there is no such scheme. */
export function authenticated(scheme: string, auth: string): Id | null {
  if (scheme === "ip") return OWN_ADDRESS;
  return scheme === "digest" ? { scheme, id: digestId(auth) } : null;
}

/** `user:password` as `user:` and the hash of the whole, in base64. */
function digestId(auth: string): string {
  const bytes = utf8Encode(auth);
  const text = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return `${auth.split(":")[0] ?? ""}:${base64(sha1(text))}`;
}

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** Of hexadecimal digits: three are two letters. */
function base64(hex: string): string {
  const bits = hex.length * 4;
  const padded = hex.padEnd(Math.ceil(bits / 24) * 6, "0");
  let out = "";
  for (let i = 0; i < padded.length; i += 3) {
    const value = Number.parseInt(padded.slice(i, i + 3), 16);
    out += `${LETTERS[value >> 6] ?? ""}${LETTERS[value & 63] ?? ""}`;
  }
  return out.slice(0, Math.ceil(bits / 6)).padEnd(out.length, "=");
}

/** The ids of a connection: its address, and what it has shown besides, as a set of Java's walks them. */
export function idsOf(shown: readonly Id[]): readonly Id[] {
  if (shown.length === 0) return [OWN_ADDRESS];
  const BUCKETS = 16;
  const bucketOf = ({ scheme, id }: Id): number => {
    const hash = (Math.imul(37, Math.imul(37, 17) + hashCode(scheme)) + hashCode(id)) | 0;
    return (hash ^ (hash >>> 16)) & (BUCKETS - 1);
  };
  return [OWN_ADDRESS, ...shown]
    .map((id) => ({ id, bucket: bucketOf(id) }))
    .sort((a, b) => a.bucket - b.bucket)
    .map(({ id }) => id);
}

/** An ACL as it is kept: each entry once, `auth` made the ids that the caller has shown; null: it is none. */
export function fixed(acl: readonly Acl[], shown: readonly Id[]): readonly Acl[] | null {
  const result: Acl[] = [];
  const unique = acl.filter((one, i) => acl.findIndex((other) => sameEntry(one, other)) === i);
  if (unique.length === 0) return null;
  for (const entry of unique) {
    if (entry.scheme === "world" && entry.id === "anyone") result.push(entry);
    else if (entry.scheme === "auth") {
      // an address proves nothing
      const proven = idsOf(shown).filter(({ scheme }) => scheme === "digest");
      if (proven.length === 0) return null;
      result.push(...proven.map((id) => ({ ...id, perms: entry.perms })));
    } else if (isValid(entry)) result.push(entry);
    else return null;
  }
  return result;
}

const sameEntry = (a: Acl, b: Acl): boolean => a.perms === b.perms && a.scheme === b.scheme && a.id === b.id;

function isValid({ scheme, id }: Id): boolean {
  if (scheme === "digest") return id.split(":").length === 2 && !id.endsWith(":") && id !== ":";
  if (scheme !== "ip") return false;
  const [address = "", bits, ...more] = id.split("/");
  const bytes = bytesOf(address);
  if (bytes === null || more.length > 0) return false;
  return bits === undefined || (/^\d+$/.test(bits) && Number(bits) <= bytes.length * 8);
}

function bytesOf(address: string): readonly number[] | null {
  const parts = address.split(".");
  if (parts.length !== 4 || !parts.every((part) => /^\d{1,3}$/.test(part) && Number(part) < 256)) return null;
  return parts.map(Number);
}

export function allows(acl: readonly Acl[], perm: number, ids: readonly Id[]): boolean {
  return acl.some((entry) => {
    if ((entry.perms & perm) === 0) return false;
    if (entry.scheme === "world" && entry.id === "anyone") return true;
    return ids.some((id) => id.scheme === entry.scheme && matches(id.id, entry));
  });
}

function matches(shown: string, { scheme, id }: Id): boolean {
  if (scheme !== "ip") return shown === id;
  const [address = "", bits = "32"] = id.split("/");
  const [own, wanted] = [bytesOf(shown), bytesOf(address)];
  if (own === null || wanted === null) return false;
  const bitsOf = (bytes: readonly number[]): string => bytes.map((byte) => byte.toString(2).padStart(8, "0")).join("");
  return bitsOf(own).slice(0, Number(bits)) === bitsOf(wanted).slice(0, Number(bits));
}

/** As others than its administrators see it: without the hashes. */
export function masked(acl: readonly Acl[]): readonly Acl[] {
  return acl.map((entry) => (entry.scheme === "digest" ? { ...entry, id: entry.id.replace(/:.*/s, ":x") } : entry));
}
