// `endpoints`: the backends of prompt targets, as addresses that Envoy can call.
import { isIP } from "node:net";
import type { z } from "zod";
import type { PromptEndpoint } from "../../../model/prompts.ts";
import { readAddress } from "../read-address.ts";
import type { Path } from "../../report/problem.ts";
import { checkHost } from "../provider/base-url.ts";
import { parseDuration } from "../quantity.ts";
import type { Reading } from "../reading.ts";
import { duration, mapping, named, oneOf, text } from "../schema-words.ts";
import { type Draft, section } from "../section.ts";

const endpoint = mapping(
  {
    endpoint: text(
      "Backend address, `<host>:<port>` or `<host>` (port 443 for https, 80 for http).",
      "<host>:<port>",
    ),
    protocol: oneOf(["http", "https"], {
      description: "Protocol to the backend.",
      default: "http",
    }).optional(),
    connect_timeout: duration({
      description: "Longest time to connect.",
      default: "5s",
    }).optional(),
    http_host: text(
      "Value of the Host header for the backend, when it differs from the address.",
    ).optional(),
  },
  "One backend.",
);

const schema = named(endpoint, "Backends of the prompt targets.");

type Entry = Draft<z.output<typeof endpoint>>;

export const endpoints = section({
  key: "endpoints",
  schema,
  read({ reading }, entries = {}) {
    return { prompt: { endpoints: readEndpoints(reading, entries) } };
  },
});

const CONNECT_TIMEOUT_MS = 5_000;

function readEndpoints(
  reading: Reading,
  entries: Draft<z.output<typeof schema>>,
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
    if (endpoint === undefined) reading.invalidNames.add(name);
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
    `use the key protocol: protocol: ${entry.endpoint?.split(":")[0] ?? "https"}`,
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
