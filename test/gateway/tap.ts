// A proxy between the gateway and a fake provider that keeps what the provider sent: the ledger that metrics are compared with.
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";

export interface TappedResponse {
  path: string;
  status: number;
  /** The body as far as it was sent. */
  text: string;
}

export interface Tap {
  port: number;
  /** Port of the provider on 127.0.0.1; set before the first request. */
  target: number;
  responses: TappedResponse[];
  stop(): Promise<void>;
}

/** Starts a proxy. */
export async function startTap(): Promise<Tap> {
  const responses: TappedResponse[] = [];
  const server = createServer((incoming, outgoing) => {
    const path = incoming.url ?? "";
    const { method, headers } = incoming;
    const upstream = request(
      { host: "127.0.0.1", port: tap.target, path, method, headers, agent: false },
      (response) => {
        const kept: TappedResponse = { path, status: response.statusCode ?? 0, text: "" };
        responses.push(kept);
        outgoing.writeHead(kept.status, response.rawHeaders);
        response.on("data", (bytes: Buffer) => {
          kept.text += bytes.toString();
          outgoing.write(bytes);
        });
        response.on("end", () => outgoing.end());
        response.on("error", () => outgoing.destroy());
      },
    );
    upstream.on("error", () => outgoing.destroy());
    outgoing.on("close", () => upstream.destroy());
    incoming.pipe(upstream);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const stop = () =>
    new Promise<void>((resolve) => {
      server.close(() => {
        resolve();
      });
      server.closeAllConnections();
    });
  const tap = { port: (server.address() as AddressInfo).port, target: 0, responses, stop };
  return tap;
}

/** Tokens as the usage records count them: cached ones are a part of the input. */
export interface Ledger {
  input: number;
  cacheRead: number;
  cacheWrite: number;
  output: number;
  reasoning: number;
}

type Json = Record<string, unknown>;

/** Returns the tokens that the response of a provider reports, in whichever of the three dialects. */
export function ledgerOf({ text }: TappedResponse): Ledger {
  const documents = text.startsWith("{")
    ? [text]
    : text.split("\n").flatMap((line) => (line.startsWith("data: {") ? [line.slice(6)] : []));
  const usage: Json = {};
  for (const document of documents) {
    // The last event of a stream that the client cut may be half.
    if (!document.endsWith("}")) continue;
    const value = JSON.parse(document) as Json;
    const inner = (value["message"] ?? value["response"]) as Json | undefined;
    Object.assign(usage, value["usage"] ?? inner?.["usage"] ?? {});
  }
  const number = (object: unknown, ...names: string[]): number => {
    const found = names.map((name) => (object as Json | undefined)?.[name]);
    return found.find((one) => typeof one === "number") ?? 0;
  };
  const inputDetails = usage["prompt_tokens_details"] ?? usage["input_tokens_details"];
  const outputDetails = usage["completion_tokens_details"] ?? usage["output_tokens_details"];
  // Of Anthropic's counts alone none includes another.
  const own = {
    read: number(usage, "cache_read_input_tokens"),
    write: number(usage, "cache_creation_input_tokens"),
  };
  return {
    input: number(usage, "prompt_tokens", "input_tokens") + own.read + own.write,
    cacheRead: own.read + number(inputDetails, "cached_tokens"),
    cacheWrite: own.write,
    output: number(usage, "completion_tokens", "output_tokens"),
    reasoning: number(outputDetails, "reasoning_tokens"),
  };
}
