// One request of the soak, and whether its answer is the one it should have got: its own, whole, or the failure that it asked for.
import { randomBytes } from "node:crypto";
import type { Agent } from "node:http";
import { request as httpRequest } from "node:http";
import { DELTAS } from "../providers/scripts/nonce-words.ts";
import type { Fault } from "../providers/scripts/nonce-words.ts";

export interface Kind {
  isMessages: boolean;
  model: string;
  isStream: boolean;
  /** What the provider is told to do. */
  fault: Fault | undefined;
  /** Whether another provider stands in, so that no fault reaches the client. */
  hasFallback: boolean;
  /** The client goes away after the first bytes. */
  leaves: boolean;
  /** Characters of the prompt. */
  size: number;
}

export interface Seen {
  status: number;
  text: string;
  /** Whether the connection broke. */
  isCut: boolean;
}

/** Milliseconds for a whole answer; far more than any of them takes. */
const PATIENCE = 60_000;

/** @returns what is wrong, or undefined */
export async function ask(agent: Agent, port: number, kind: Kind): Promise<string | undefined> {
  const nonce = randomBytes(8).toString("hex");
  const seen = await send(agent, port, kind, bodyOf(kind, nonce));
  const problem = kind.leaves ? undefined : judge(kind, nonce, seen);
  return problem === undefined
    ? undefined
    : `${JSON.stringify(kind)}: ${problem}: ${String(seen.status)} ${seen.text.slice(0, 300)}`;
}

function bodyOf({ model, isStream, fault, size }: Kind, nonce: string): string {
  const marker = fault === undefined ? "" : ` [fault ${fault}]`;
  const content = `nonce:${nonce};${marker} ${"words of a prompt ".repeat(Math.ceil(size / 18))}`;
  return JSON.stringify({
    model,
    max_tokens: 99,
    stream: isStream,
    messages: [{ role: "user", content }],
  });
}

function send(agent: Agent, port: number, kind: Kind, body: string): Promise<Seen> {
  return new Promise((resolve) => {
    const seen: Seen = { status: 0, text: "", isCut: false };
    const outgoing = httpRequest(
      {
        agent,
        port,
        host: "127.0.0.1",
        method: "POST",
        path: kind.isMessages ? "/v1/messages" : "/v1/chat/completions",
        headers: { "content-type": "application/json", "content-length": Buffer.byteLength(body) },
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
    outgoing.on("timeout", () => outgoing.destroy(new Error("no answer in time")));
    outgoing.on("error", (error) => {
      resolve({ ...seen, text: seen.text + error.message, isCut: true });
    });
    outgoing.end(body);
  });
}

function judge(kind: Kind, nonce: string, seen: Seen): string | undefined {
  const others = [...seen.text.matchAll(/nonce:([0-9a-f]+);/g)].find(
    ([, other]) => other !== nonce,
  );
  if (others !== undefined) return `another request's answer (${others[0]})`;
  const isFailing = kind.fault !== undefined && kind.fault !== "slow" && !kind.hasFallback;
  return isFailing ? judgeFailure(kind, seen) : judgeWhole(kind, nonce, seen);
}

function judgeWhole(kind: Kind, nonce: string, { status, text, isCut }: Seen): string | undefined {
  if (status !== 200) return "not answered";
  if (isCut) return "cut off";
  for (let at = 0; at < DELTAS; at++) {
    if (!text.includes(`nonce:${nonce};${String(at)} `)) return `delta ${String(at)} is lost`;
  }
  const parts = text.match(/nonce:/g)?.length;
  if (parts !== DELTAS) return `${String(parts)} deltas`;
  const end = kind.isMessages ? "message_stop" : "[DONE]";
  return kind.isStream && !text.includes(end) ? "no end of the stream" : undefined;
}

/** The failure that was asked for, in the client's envelope; never a hang, never a clean end. */
function judgeFailure(kind: Kind, { status, text, isCut }: Seen): string | undefined {
  const isLate = kind.fault === "cut";
  if (isLate && (isCut || (status === 200 && kind.isStream && text.includes('"error"'))))
    return undefined;
  if (isLate && kind.isStream) return "a stream that was cut ends as if nothing was";
  if (status < 500) return "a failure of the provider is not told";
  return text.includes('"error"') ? undefined : "an error without the envelope";
}
