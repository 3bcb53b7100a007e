// One request of the soak, and whether its response is the one that it should have: its own, whole, or the failure that it requested.
import type { Agent } from "node:http";
import { request as httpRequest } from "node:http";
import { faultTable, outcomeIn } from "../../scripts/faults.ts";
import { PATHS } from "../envoy/ask.ts";
import { type Outcome, outcomeOfBody } from "../envoy/provider-faults/outcomes.ts";
import { FAULTS_OF_A_SERVER } from "../providers/scripts/faults.ts";
import {
  CLIENTS,
  PROVIDERS,
  type ProviderName,
  SLOW,
  textsOf,
} from "../providers/scripts/nonce-words.ts";
import type { DialectName } from "../providers/wire.ts";
import type { Random } from "../exchanges/random.ts";

/** `alone`: the faulty provider, by its name. `safe`: the faulty provider with a fallback. */
export const PLACES = ["healthy", "alone", "safe"] as const;
export type Place = (typeof PLACES)[number];

export interface Kind {
  client: DialectName;
  provider: ProviderName;
  place: Place;
  isStream: boolean;
  /** What the provider is told to do. */
  fault: string | undefined;
  /** The client goes away after the first bytes. */
  leaves: boolean;
  /** Characters of the prompt. */
  size: number;
  /** A prompt for the ingress listener, for which the model server selects a target. */
  isPrompt: boolean;
}

export interface Seen {
  status: number;
  text: string;
  /** The connection broke. */
  isCut: boolean;
}

/** What became of a request: the words of docs/faults.yaml, and the client that went away. */
export type How = Outcome["how"] | "left";

export interface Judged {
  how: How;
  status: number;
  /** Undefined if all is well. */
  problem?: string | undefined;
}

/** Above it the rate is more than the machine can do, and requests are left out instead of piling up. */
export const MAX_OPEN = 400;
/** Milliseconds for a whole response; far more than any of them takes. */
const PATIENCE = 60_000;

const TABLE = new Map(faultTable().map((row) => [row.fault, row]));
export const FAULTS = FAULTS_OF_A_SERVER.filter((name) => name !== "healthy");
/** The faulty provider has `decompress_responses`. */
const READ_ANYWAY = "compressed";
/** What it damages depends on the text: the end of the stream, its usage or a delta. Any outcome is right that is not a hang. */
const DAMAGED = "damaged gzip";
/** Its padding is more than the provider reports as tokens, and an estimate counts it. */
export const PADDED = "gzip of too much";

/** Nine of ten are healthy. */
export function kindOf(chance: Random): Kind {
  const roll = chance.below(100);
  if (roll >= 98) return { ...PROMPT, isStream: chance.below(2) === 0 };
  const isStream = chance.below(2) === 0;
  const place = chance.of<Place>(["healthy", "healthy", "alone", "safe"]);
  const isFailing = place !== "healthy" && chance.below(5) === 0;
  return {
    place,
    isStream,
    client: chance.of(CLIENTS),
    provider: chance.of(PROVIDERS),
    fault: isFailing ? chance.of(FAULTS) : roll < 4 && isStream ? SLOW : undefined,
    leaves: !isFailing && roll >= 95,
    size: chance.below(20) === 0 ? 200_000 : chance.of([100, 1000, 8000]),
    isPrompt: false,
  };
}

const PROMPT: Kind = {
  client: "chat",
  provider: "chat",
  place: "healthy",
  isStream: false,
  fault: undefined,
  leaves: false,
  size: 60,
  isPrompt: true,
};

export function idOf(number: number): string {
  return `soak-${String(number)}`;
}

/** @returns the number of a request of this run; undefined of another one */
export function numberOf(id: string): number | undefined {
  const number = /^soak-(\d+)$/.exec(id)?.[1];
  return number === undefined ? undefined : Number(number);
}

function bodyOf({ client, provider, place, isStream, fault, size }: Kind, number: number): string {
  const marker = fault === undefined ? "" : ` [fault ${fault}]`;
  const filling = "words of a prompt ".repeat(Math.ceil(size / 18));
  const content = `nonce:${String(number)};${marker} ${filling}`;
  return JSON.stringify({
    model: `${place}-${provider}`,
    stream: isStream,
    ...(client === "responses"
      ? { input: content }
      : { max_tokens: 99, messages: [{ role: "user", content }] }),
  });
}

export interface Destination {
  agent: Agent;
  port: number;
  /** The client's key. */
  key: string;
}

export function send({ agent, port, key }: Destination, kind: Kind, number: number): Promise<Seen> {
  const body = bodyOf(kind, number);
  return new Promise((resolve) => {
    const seen: Seen = { status: 0, text: "", isCut: false };
    const outgoing = httpRequest(
      {
        agent,
        port,
        host: "127.0.0.1",
        method: "POST",
        path: PATHS[kind.client],
        headers: {
          authorization: `Bearer ${key}`,
          "content-type": "application/json",
          "content-length": Buffer.byteLength(body),
          "x-request-id": idOf(number),
        },
        timeout: PATIENCE,
      },
      (incoming) => {
        seen.status = incoming.statusCode ?? 0;
        incoming.setEncoding("utf8");
        incoming.on("data", (text: string) => {
          seen.text += text;
          if (kind.leaves) outgoing.destroy();
        });
        incoming.on("error", () => (seen.isCut = true));
        incoming.on("close", () => {
          resolve({ ...seen, isCut: seen.isCut || !incoming.complete });
        });
      },
    );
    outgoing.on("timeout", () => outgoing.destroy(new Error("no response in time")));
    outgoing.on("error", (error) => {
      resolve({ ...seen, text: seen.text + error.message, isCut: true });
    });
    outgoing.end(body);
  });
}

export function judge(kind: Kind, number: number, seen: Seen): Judged {
  const { status, text, isCut } = seen;
  const foreign = [...text.matchAll(/nonce:(\d+);/g)].find(([, other]) => Number(other) !== number);
  if (foreign !== undefined)
    return { how: "passes", status, problem: `the response of another request (${foreign[0]})` };
  if (kind.leaves) return { how: "left", status };
  const got = isCut ? { how: "breaks" as const, status, message: "" } : read(kind, number, seen);
  return { how: got.how, status, problem: problemOf(kind, got) };
}

function read({ client, isStream }: Kind, number: number, { status, text }: Seen): Outcome {
  try {
    const wanted = textsOf(number).join("");
    return outcomeOfBody(text, { status, dialect: client, isStream, wanted });
  } catch (problem) {
    return { how: "passes", status, message: `not in the client's format: ${String(problem)}` };
  }
}

function problemOf(kind: Kind, got: Outcome): string | undefined {
  if (kind.fault === DAMAGED) return undefined;
  const { how, status } = expectedOf(kind);
  // A provider that was ejected is passed over.
  const isSaved = kind.place === "safe" && got.how === "answer";
  if (isSaved || (got.how === how && (how === "breaks" || got.status === status))) return undefined;
  return `${got.how} ${String(got.status)} instead of ${how} ${String(status)}: ${got.message.slice(0, 300)}`;
}

function expectedOf({ fault, place, isStream, client, provider }: Kind) {
  const row = TABLE.get(fault === undefined || fault === READ_ANYWAY ? "healthy" : fault);
  if (row === undefined || fault === SLOW) return { how: "answer", status: 200 };
  return outcomeIn(
    row,
    isStream ? "stream" : "complete",
    client === provider ? "same" : "other",
    place === "safe",
  );
}
