// The providers of the soak in one process: each response repeats the number of its request, and has the fault that the prompt
// requests. They report to the parent by messages: their ports first, then what each response reports as its usage.
import type { ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { type ReceivedRequest, startProvider } from "../scripted-provider.ts";
import { type Facts, latin1, type ResponseParts, type Usage, WIRES } from "../wire.ts";
import { isStreamRequested, type Requested, sendFault } from "./faults.ts";
import {
  FAULT,
  NONCE,
  PACE_MS,
  type Ports,
  PROVIDERS,
  type ProviderName,
  type ProviderReport,
  SLOW,
  textsOf,
} from "./nonce-words.ts";

const report = (message: ProviderReport) => process.send?.(message);

const ports = Object.fromEntries(
  await Promise.all(PROVIDERS.map(async (name) => [name, await startBoth(name)])),
) as Ports;
report({ ports });
process.on("disconnect", () => process.exit());

async function startBoth(name: ProviderName): Promise<Ports[ProviderName]> {
  const start = (hasFaults: boolean) =>
    startProvider((response, request) => respond(name, hasFaults, response, request), {
      keepsRequests: false,
    });
  const [healthy, faulty] = [await start(false), await start(true)];
  return { healthy: healthy.port, faulty: faulty.port };
}

async function respond(
  dialect: ProviderName,
  hasFaults: boolean,
  response: ServerResponse,
  { path, body, bytes }: ReceivedRequest,
): Promise<void> {
  const number = Number(NONCE.exec(body)?.[1] ?? 0);
  const usage = usageOf(number, bytes.length);
  report({ number, ...usage });
  const requested = requestedOf(dialect, number, usage, isStreamRequested(path, body));
  const fault = hasFaults ? FAULT.exec(body)?.[1] : undefined;
  if (fault === SLOW && requested.isStream) await sendSlowly(response, requested);
  else sendFault(fault === undefined || fault === SLOW ? "healthy" : fault, response, requested);
}

/** More than any estimate of the gateway from the request's bytes and the response's. */
function usageOf(number: number, bytes: number): Usage {
  return { input: bytes + (number % 3000), output: 1000 + (number % 900) };
}

function requestedOf(
  dialect: ProviderName,
  number: number,
  usage: Usage,
  isStream: boolean,
): Requested {
  const wire = WIRES[dialect];
  const facts: Facts = { id: `id-${String(number)}`, usage };
  const texts = textsOf(number);
  const text = texts.join("");
  const deltas = texts.map((delta) => wire.delta(delta, facts));
  const events = [...wire.begin(facts), ...deltas, ...wire.end(facts, text)].map(latin1);
  const parts: Record<"complete" | "stream", ResponseParts> = {
    complete: {
      ...{ status: 200, type: "application/json" },
      parts: [JSON.stringify(wire.complete(text, facts))],
    },
    stream: { status: 200, type: wire.contentType, parts: events },
  };
  const begun = [...wire.begin(facts), ...deltas.slice(0, 1)].map(latin1).join("");
  return { dialect, isStream, healthyParts: (kind) => parts[kind], begun };
}

async function sendSlowly(response: ServerResponse, { healthyParts }: Requested): Promise<void> {
  const { type, parts } = healthyParts("stream");
  response.writeHead(200, { "content-type": type });
  for (const event of parts) {
    if (response.destroyed) return;
    response.write(event, "latin1");
    await sleep(PACE_MS);
  }
  response.end();
}
