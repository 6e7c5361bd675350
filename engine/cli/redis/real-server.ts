/** A real redis-server on loopback and connections to it: RESP2 over a socket, bytes as strings. */
import { Buffer } from "node:buffer";
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { encodeCommand } from "../../redis/bytes.ts";
import type { Reply } from "../../redis/reply.ts";

/** The version line of an installed server, or null. */
export function installedServer(): string | null {
  const { stdout, status } = spawnSync("redis-server", ["--version"], { encoding: "utf8" });
  return status === 0 ? stdout.trim() : null;
}

export interface RealServer {
  readonly port: number;
  stop(): Promise<void>;
}

export async function startServer(options: readonly string[]): Promise<RealServer> {
  const port = await freePort();
  const dir = mkdtempSync(join(tmpdir(), "lockstep-redis-"));
  const own = ["--bind", "127.0.0.1", "--port", String(port), "--dir", dir, "--save", "", "--appendonly", "no"];
  const child = spawn("redis-server", [...own, "--enable-debug-command", "local", ...options], { stdio: "ignore" });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const deadline = Date.now() + 10_000;
  for (;;) {
    try {
      // One try after the other.
      // oxlint-disable-next-line no-await-in-loop
      (await RealConnection.open(port)).close();
      break;
    } catch (error) {
      if (Date.now() > deadline) throw error;
      // oxlint-disable-next-line no-await-in-loop
      await pause(20);
    }
  }
  return {
    port,
    stop: async () => {
      child.kill("SIGTERM");
      await ended;
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}

export class RealConnection {
  readonly #socket: Socket;
  #buffer = "";
  readonly #waiting: { readonly resolve: (reply: Reply) => void; readonly reject: (error: Error) => void }[] = [];
  readonly pushes: (readonly string[])[] = [];

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on("data", (data) => {
      this.#buffer += data.toString("latin1");
      this.#read();
    });
    socket.on("close", () => {
      for (const { reject } of this.#waiting.splice(0)) reject(new Error("the server closed the connection"));
    });
    socket.on("error", () => undefined);
  }

  static open(port: number): Promise<RealConnection> {
    return new Promise((resolve, reject) => {
      const socket = connect({ host: "127.0.0.1", port });
      socket.setNoDelay(true);
      socket.once("connect", () => resolve(new RealConnection(socket)));
      socket.once("error", reject);
    });
  }

  command(args: readonly string[]): Promise<Reply> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      this.#socket.write(Buffer.from(encodeCommand(args), "latin1"));
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #read(): void {
    for (;;) {
      const read = readReply(this.#buffer, 0);
      if (read === null) return;
      this.#buffer = this.#buffer.slice(read.end);
      const { reply } = read;
      const words =
        reply.type === "array" ? reply.items.map((item) => ("value" in item ? String(item.value) : "")) : [];
      if (words.length >= 3 && (words[0] === "message" || words[0] === "pmessage")) this.pushes.push(words);
      else this.#waiting.shift()?.resolve(reply);
    }
  }
}

function readReply(text: string, at: number): { readonly reply: Reply; readonly end: number } | null {
  const line = text.indexOf("\r\n", at);
  if (line < 0) return null;
  const head = text.slice(at + 1, line);
  const end = line + 2;
  switch (text[at]) {
    case "+":
      return { reply: { type: "status", value: head }, end };
    case "-":
      return { reply: { type: "error", value: head }, end };
    case ":":
      return { reply: { type: "int", value: Number(head) }, end };
    case "$": {
      const length = Number(head);
      if (length < 0) return { reply: { type: "nil" }, end };
      if (text.length < end + length + 2) return null;
      return { reply: { type: "bulk", value: text.slice(end, end + length) }, end: end + length + 2 };
    }
    case "*": {
      const count = Number(head);
      if (count < 0) return { reply: { type: "nilarray" }, end };
      const items: Reply[] = [];
      let next = end;
      for (let i = 0; i < count; i += 1) {
        const item = readReply(text, next);
        if (item === null) return null;
        items.push(item.reply);
        next = item.end;
      }
      return { reply: { type: "array", items }, end: next };
    }
    default:
      throw new Error(`not RESP2: ${JSON.stringify(text.slice(at, at + 40))}`);
  }
}
