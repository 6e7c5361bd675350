/** The peer URLs that etcd's tools take (pkg/types, NewURLs), with Go's errors. */
import { quote } from "./quote.ts";

/** What is wrong with the first bad one; null when all are good. */
export function urlsProblem(urls: readonly string[]): string | null {
  for (const url of urls) {
    const problem = urlProblem(url.trim());
    if (problem !== null) return problem;
  }
  return null;
}

function urlProblem(url: string): string | null {
  // oxlint-disable-next-line no-control-regex
  if (/[\u0000-\u001f\u007f]/.test(url)) return `parse ${quote(url)}: net/url: invalid control character in URL`;
  const found = /^([a-zA-Z][a-zA-Z0-9+.-]*):(.*)$/.exec(url);
  const scheme = found?.[1]?.toLowerCase() ?? "";
  if (found === null && url.startsWith(":")) return `parse ${quote(url)}: missing protocol scheme`;
  if (found === null && /^[^/?#]*:/.test(url))
    return `parse ${quote(url)}: first path segment in URL cannot contain colon`;
  if (!["http", "https", "unix", "unixs"].includes(scheme))
    return `URL scheme must be http, https, unix, or unixs: ${url}`;
  const rest = (found?.[2] ?? "").replace(/[?#].*$/, "");
  const parts = /^\/\/([^/]*)(.*)$/.exec(rest);
  const host = (parts?.[1] ?? "").replace(/^.*@/, "");
  const port = /:([^:\]]*)$/.exec(host);
  if (port !== null && !/^[0-9]*$/.test(port[1] as string))
    return `parse ${quote(url)}: invalid port ${quote(`:${port[1] as string}`)} after host`;
  if (!/^(\[[^\]]*\]|[^:[\]]*):[^:]*$/.test(host)) return `URL address does not have the form "host:port": ${url}`;
  return (parts?.[2] ?? "") === "" ? null : `URL must not contain a path: ${url}`;
}
