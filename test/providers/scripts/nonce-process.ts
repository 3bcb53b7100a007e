// The provider of the soak as a process: each response repeats the nonce of its request, and fails if the prompt requests it.
// `node nonce-process.ts` prints its port; it ends with its standard input.
import type { ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { type ReceivedRequest, sendJson, startProvider } from "../scripted-provider.ts";
import { type Facts, WIRES } from "../wire.ts";
import { DELTAS, FAULT, NONCE, PACE_MS } from "./nonce-words.ts";
import type { Fault } from "./nonce-words.ts";

/** Below `/healthy` nothing fails, so that a fallback has somewhere to go. */
const HEALTHY = "/healthy/";

const { port } = await startProvider(respond, { keepsRequests: false });
console.log(port);
process.stdin.on("end", () => process.exit()).resume();

async function respond(
  response: ServerResponse,
  { path, body: text }: ReceivedRequest,
): Promise<void> {
  const { stream, model } = JSON.parse(text) as { stream?: boolean; model: string };
  const isMessages = path.endsWith("/messages");
  const wire = isMessages ? WIRES.messages : WIRES.chat;
  const nonce = NONCE.exec(text)?.[1] ?? "";
  const fault = path.startsWith(HEALTHY) ? undefined : (FAULT.exec(text)?.[1] as Fault | undefined);
  const facts: Facts = {
    id: `${isMessages ? "msg_" : "chatcmpl-"}${nonce}`,
    model,
    usage: { input: 3, output: DELTAS },
  };
  const texts = Array.from({ length: DELTAS }, (_, at) => `nonce:${nonce};${String(at)} `);
  if (fault === "reset") response.destroy();
  else if (fault === "error") sendJson(response, wire.error(`broken nonce:${nonce};`), 500);
  else if (stream === true) {
    response.writeHead(200, { "content-type": wire.contentType });
    const deltas = texts.map((delta) => wire.delta(delta, facts));
    const events = [...wire.begin(facts), ...deltas, ...wire.end(facts)];
    await sendEvents(response, events.map(String), fault);
  } else sendComplete(response, wire.complete(texts.join(""), facts), fault);
}

function sendComplete(response: ServerResponse, body: object, fault: Fault | undefined): void {
  const bytes = Buffer.from(JSON.stringify(body));
  response.writeHead(200, { "content-type": "application/json", "content-length": bytes.length });
  if (fault !== "cut") response.end(bytes);
  else response.write(bytes.subarray(0, bytes.length >> 1), () => response.destroy());
}

async function sendEvents(
  response: ServerResponse,
  events: string[],
  fault: Fault | undefined,
): Promise<void> {
  const end = fault === "cut" ? events.length >> 1 : events.length;
  for (const event of events.slice(0, end)) {
    if (response.destroyed) return;
    response.write(event);
    if (fault === "slow") await sleep(PACE_MS);
  }
  if (fault === "cut") response.write(": ", () => response.destroy());
  else response.end();
}
