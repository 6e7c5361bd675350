import { describe, expect, it } from "vitest";
import { fromText } from "../../api/bytes.ts";
import { durationText } from "./duration.ts";
import { quote, quoteBytes, scanQuoted } from "./quote.ts";
import { parseBool, parseDuration, parseInt64, parseUint64 } from "./strconv.ts";
import { urlsProblem } from "./urls.ts";

describe("Go's %q", () => {
  it("escapes what does not print, and bytes that are no UTF-8 one by one", () => {
    expect(quoteBytes('\x00\x01\xff\x7f\n\x80"$')).toBe(String.raw`"\x00\x01\xff\x7f\n\x80\"$"`);
    expect(quote("é 鍵 🔒 \u200b \x1b[0m \x7f")).toBe('"é 鍵 🔒 \\u200b \\x1b[0m \\x7f"');
    expect(quoteBytes("\xed\xa0\x80")).toBe(String.raw`"\xed\xa0\x80"`);
  });

  it("is read back, in double quotes with escapes and in back quotes without", () => {
    expect(scanQuoted(String.raw`"a\tb\"\x41\u00e9" rest`)).toEqual({ value: `a\tb"A${fromText("é")}`, rest: " rest" });
    expect(scanQuoted("`a\\t`)")).toEqual({ value: "a\\t", rest: ")" });
    expect(scanQuoted('"never closed')).toBeNull();
    expect(scanQuoted(String.raw`"a\q"`)).toBeNull();
  });
});

describe("Go's numbers", () => {
  it("integers have 64 bits, a base, and with base 0 a prefix", () => {
    expect(parseInt64("-8000000000000000", 16)).toEqual({ ok: true, value: "-9223372036854775808" });
    expect(parseInt64("1ffffffffffffffff", 16)).toMatchObject({
      error: 'strconv.ParseInt: parsing "1ffffffffffffffff": value out of range',
    });
    expect(parseInt64("0x12", 16)).toMatchObject({ error: 'strconv.ParseInt: parsing "0x12": invalid syntax' });
    expect(["0x12", "0b11", "017", "1_000", "0"].map((text) => parseInt64(text, 0))).toMatchObject(
      ["18", "3", "15", "1000", "0"].map((value) => ({ value })),
    );
    expect(parseInt64("", 0)).toMatchObject({ error: 'strconv.ParseInt: parsing "": invalid syntax' });
    expect(parseUint64("ffffffffffffffff", 16)).toEqual({ ok: true, value: "18446744073709551615" });
    expect(parseUint64("-1", 16).ok).toBe(false);
  });

  it("booleans are written in six ways each", () => {
    expect(parseBool("T")).toEqual({ ok: true, value: true });
    expect(parseBool("yes")).toMatchObject({ error: 'strconv.ParseBool: parsing "yes": invalid syntax' });
  });

  it("durations have units, and what is not zero is not lost", () => {
    expect(parseDuration("1h2m3.5s")).toEqual({ ok: true, value: 3_723_500_000 });
    expect(parseDuration("1ns")).toEqual({ ok: true, value: 1 });
    expect(parseDuration("5")).toMatchObject({ error: 'time: missing unit in duration "5"' });
    expect(parseDuration("soon")).toMatchObject({ error: 'time: invalid duration "soon"' });
    expect(parseDuration("5y")).toMatchObject({ error: 'time: unknown unit "y" in duration "5y"' });
    expect([0, 350, 1_250, 1_500_000, 3_723_000_000].map(durationText)).toEqual([
      "0s",
      "350µs",
      "1.25ms",
      "1.5s",
      "1h2m3s",
    ]);
  });
});

it("peer URLs have a scheme, a host and a port, and no path", () => {
  expect(urlsProblem(["http://a:1", "https://[::1]:2"])).toBeNull();
  expect(urlsProblem(["nonsense"])).toBe("URL scheme must be http, https, unix, or unixs: nonsense");
  expect(urlsProblem(["http://nonsense"])).toBe('URL address does not have the form "host:port": http://nonsense');
  expect(urlsProblem(["127.0.0.1:2380"])).toBe(
    'parse "127.0.0.1:2380": first path segment in URL cannot contain colon',
  );
  expect(urlsProblem(["http://h:1/x"])).toBe("URL must not contain a path: http://h:1/x");
});
