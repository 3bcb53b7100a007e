// `endpoints`: the backends of prompt targets, as addresses that Envoy can call.
import { isIP } from "node:net";
import type { PromptEndpoint } from "../ir/prompt.ts";
import { readAddress } from "./address.ts";
import { checkHost } from "./provider/base-url.ts";
import type { Path } from "./diagnostics/problem.ts";
import { parseDuration } from "./quantity.ts";
import type { Reading } from "./reading.ts";
import type { Configuration } from "./schema.ts";
import type { Draft } from "./shape.ts";

type Entry = Draft<NonNullable<Configuration["endpoints"]>[string]>;

const CONNECT_TIMEOUT_MS = 5_000;

export function readEndpoints(
  reading: Reading,
  entries: Draft<NonNullable<Configuration["endpoints"]>>,
): PromptEndpoint[] {
  return Object.entries(entries).flatMap(([name, entry]): PromptEndpoint[] => {
    const path = ["endpoints", name];
    const isName = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/.test(name);
    if (!isName) {
      reading.problem(path, "the name of an endpoint has letters, digits, . _ and - only", {
        part: "key",
      });
    }
    if (entry === undefined) return [];
    const endpoint = readEndpoint(reading, path, name, entry);
    if (endpoint === undefined) reading.misread.add(name);
    return endpoint === undefined || !isName ? [] : [endpoint];
  });
}

function readEndpoint(
  reading: Reading,
  path: Path,
  name: string,
  entry: Entry,
): PromptEndpoint | undefined {
  const tls = entry.protocol === "https";
  const usual = tls ? 443 : 80;
  const address = readAddress(
    reading,
    [...path, "endpoint"],
    entry.endpoint,
    usual,
    `the protocol has a key of its own: protocol: ${entry.endpoint?.split(":")[0] ?? "https"}`,
  );
  const httpHost = checkHost(reading, [...path, "http_host"], entry.http_host);
  if (address === undefined) return undefined;
  const { host, port } = address;
  const shown = host.includes(":") ? `[${host}]` : host;
  // No certificate is asked for by an IP address where there is a name.
  const serverName =
    httpHost !== undefined && isIP(host) !== 0
      ? httpHost.replace(/:\d+$/, "").replace(/^\[|\]$/g, "")
      : host;
  return {
    name,
    address: { kind: "host", host, port, tls, serverName },
    authority: httpHost ?? (port === usual ? shown : `${shown}:${port}`),
    connectTimeoutMs:
      (entry.connect_timeout === undefined ? undefined : parseDuration(entry.connect_timeout)) ??
      CONNECT_TIMEOUT_MS,
  };
}
