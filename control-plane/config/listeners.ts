// The two listeners, from the mapping or the list form, with their defaults and without collisions.
import { isIP } from "node:net";
import type { Listener } from "../model.ts";
import { readApiKeys } from "./api-keys.ts";
import { readListenerTls } from "./listener-tls.ts";
import type { Path } from "./problem.ts";
import { parseDuration } from "./quantity.ts";
import type { Reading } from "./reading.ts";
import { showWord } from "./reading.ts";
import type { Configuration } from "./schema.ts";
import type { Draft } from "./shape.ts";
import { isMisspelt } from "./unknown-key.ts";

const DEFAULT_PORT = { ingress: 10000, egress: 12000 } as const;
const DEFAULT_ADDRESS = "0.0.0.0";
const DEFAULT_TIMEOUT_MS = 30_000;

interface Entry {
  kind: Listener["name"];
  path: Path;
  settings: {
    address?: string | undefined;
    port?: number | undefined;
    timeout?: string | undefined;
    api_keys?: readonly (string | undefined)[] | undefined;
    tls?: { certificate?: string | undefined; key?: string | undefined } | undefined;
  };
}

export function readListeners(
  reading: Reading,
  listeners: Draft<Configuration["listeners"]>,
): { ingress: Listener; egress: Listener } {
  const entries = entriesOf(reading, listeners);
  const ingress = readListener(reading, "ingress", entries);
  const egress = readListener(reading, "egress", entries);
  if (ingress.port === egress.port && overlap(ingress.address, egress.address)) {
    const last = entries.at(-1);
    reading.problem(
      last === undefined ? [] : [...last.path, "port"],
      `port ${egress.port} is used by both listeners, ingress and egress`,
      {
        hint: "give one of them another port (the defaults are 10000 for ingress and 12000 for egress)",
      },
    );
  }
  return { ingress, egress };
}

function entriesOf(reading: Reading, listeners: Draft<Configuration["listeners"]>): Entry[] {
  if (listeners === undefined) return [];
  if (!Array.isArray(listeners)) {
    return Object.entries(listeners).flatMap(([name, settings]): Entry[] =>
      settings === undefined
        ? []
        : [{ kind: kindByName(name), path: ["listeners", name], settings }],
    );
  }
  return listeners.flatMap((settings, index): Entry[] => {
    if (settings === undefined) return [];
    const path = ["listeners", index];
    if (settings.type !== undefined) {
      return [{ kind: settings.type === "model" ? "egress" : "ingress", path, settings }];
    }
    if (/^(?:in|e)gress/.test(settings.name ?? "")) {
      return [{ kind: kindByName(settings.name ?? ""), path, settings }];
    }
    if (Object.hasOwn(settings, "type") || isMisspelt(path, settings, "type")) return [];
    reading.problem(path, "type is missing; expected model (egress) or prompt (ingress)");
    return [];
  });
}

function kindByName(name: string): Listener["name"] {
  return name.startsWith("ingress") ? "ingress" : "egress";
}

function readListener(reading: Reading, kind: Listener["name"], entries: Entry[]): Listener {
  const [entry, second] = entries.filter((candidate) => candidate.kind === kind);
  if (second !== undefined) {
    reading.problem(second.path, `a second ${kind} listener; there can be one`, { part: "key" });
  }
  const { address = DEFAULT_ADDRESS, port = DEFAULT_PORT[kind], timeout } = entry?.settings ?? {};
  if (entry !== undefined && isIP(address) === 0) {
    reading.problem(
      [...entry.path, "address"],
      `expected an IP address, not ${reading.show([...entry.path, "address"], address)}`,
      { hint: addressHint(address) },
    );
  }
  const timeoutMs = timeout === undefined ? DEFAULT_TIMEOUT_MS : parseDuration(timeout);
  const tls = entry && readListenerTls(reading, entry.path, entry.settings.tls);
  const apiKeys = entry && readApiKeys(reading, entry.path, entry.settings.api_keys);
  return {
    name: kind,
    address,
    port,
    timeoutMs: timeoutMs ?? DEFAULT_TIMEOUT_MS,
    ...(apiKeys === undefined ? {} : { apiKeys }),
    ...(tls === undefined ? {} : { tls }),
  };
}

function addressHint(address: string): string {
  if (address === "localhost") return "write 127.0.0.1";
  if (/:\d+$/.test(address)) return "the port has a key of its own: port";
  return `write ${showWord(DEFAULT_ADDRESS)} for every interface, "127.0.0.1" for this machine only`;
}

function overlap(one: string, other: string): boolean {
  const isWildcard = (address: string): boolean => address === "0.0.0.0" || address === "::";
  return one === other || isWildcard(one) || isWildcard(other);
}
