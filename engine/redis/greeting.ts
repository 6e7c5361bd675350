/** HELLO and AUTH: RESP2 is spoken here, and there is one user, who needs no password. */
import { lower } from "./bytes.ts";
import { toInt64 } from "./numbers.ts";
import { array, bulk, error, int, OK, type Reply, SYNTAX } from "./reply.ts";
import type { Session } from "./session.ts";

const BAD_NAME = "ERR Client names cannot contain spaces, newlines or special characters.";

/** @param args without the command's name */
export function auth(args: readonly string[]): Reply {
  if (args.length > 2) return error(SYNTAX);
  if (args.length === 1)
    return error(
      "ERR AUTH <password> called without any password configured for the default user. Are you sure your configuration is correct?",
    );
  return args[0] === "default" ? OK : error("WRONGPASS invalid username-password pair or user is disabled.");
}

export function hello(session: Session, args: readonly string[], isReplica: boolean): Reply {
  if (args.length > 1) {
    const version = toInt64(args[1] as string);
    if (version === null) return error("ERR Protocol version is not an integer or out of range");
    if (version < 2n || version > 3n) return error("NOPROTO unsupported protocol version");
    // RESP3 is not spoken here: a client that asks for it has to go on with RESP2, as with an older server.
    if (version === 3n) return error("NOPROTO unsupported protocol version");
  }
  let name: string | null = null;
  for (let i = 2; i < args.length; i += 1) {
    const word = lower(args[i] as string);
    const left = args.length - 1 - i;
    if (word === "auth" && left >= 2) {
      const reply = auth([args[i + 1] as string, args[i + 2] as string]);
      if (reply.type === "error") return reply;
      i += 2;
    } else if (word === "setname" && left >= 1) {
      name = args[i + 1] as string;
      if (/[^!-~]/.test(name)) return error(BAD_NAME);
      i += 1;
    } else return error(`ERR Syntax error in HELLO option '${args[i] as string}'`);
  }
  if (name !== null) session.name = name;
  const pairs: readonly (readonly [string, Reply])[] = [
    ["server", bulk("redis")],
    ["version", bulk("7.0.15")],
    ["proto", int(2)],
    ["id", int(session.number)],
    ["mode", bulk("standalone")],
    ["role", bulk(isReplica ? "replica" : "master")],
    ["modules", array([])],
  ];
  return array(pairs.flatMap(([key, value]) => [bulk(key), value]));
}
