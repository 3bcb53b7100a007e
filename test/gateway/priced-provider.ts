// A fake of OpenAI whose prompts decide the usage that it reports, and its ledger: what it has answered, by the number of the
// request. A prompt is `<number> <input tokens> <output tokens>`.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface Booking {
  model: string;
  input: number;
  output: number;
  /** How often it was answered. */
  times: number;
}

export interface PricedProvider {
  url: string;
  bookings: Map<number, Booking>;
  /** Requests without a whole response, now. */
  open: () => number;
  /** Milliseconds until a response begins. */
  delayMs: number;
  stop: () => Promise<void>;
}

interface Body {
  model: string;
  stream?: boolean;
  messages: { content: string }[];
}

export async function startPricedProvider(): Promise<PricedProvider> {
  const bookings = new Map<number, Booking>();
  let open = 0;
  const server = createServer((request, response) => {
    let text = "";
    open += 1;
    response.on("close", () => (open -= 1));
    request.on("data", (bytes: Buffer) => (text += bytes.toString()));
    request.on("end", () => {
      const body = JSON.parse(text) as Body;
      const [number = 0, input = 0, output = 0] = (body.messages.at(-1)?.content ?? "")
        .split(" ")
        .map(Number);
      const answer = () => {
        const found = bookings.get(number);
        bookings.set(number, { model: body.model, input, output, times: (found?.times ?? 0) + 1 });
        const usage = {
          prompt_tokens: input,
          completion_tokens: output,
          total_tokens: input + output,
        };
        if (body.stream === true) {
          response.writeHead(200, { "content-type": "text/event-stream" });
          response.end(streamOf(body.model, usage));
        } else {
          response.writeHead(200, { "content-type": "application/json" });
          response.end(JSON.stringify(wholeOf(body.model, usage)));
        }
      };
      if (provider.delayMs === 0) answer();
      else setTimeout(answer, provider.delayMs);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const provider: PricedProvider = {
    url: `http://127.0.0.1:${String(port)}/v1`,
    bookings,
    open: () => open,
    delayMs: 0,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
  return provider;
}

function wholeOf(model: string, usage: object): object {
  const message = { role: "assistant", content: "Hello." };
  return {
    ...{ id: "c1", object: "chat.completion", created: 1, model },
    choices: [{ index: 0, message, finish_reason: "stop" }],
    usage,
  };
}

function streamOf(model: string, usage: object): string {
  const chunk = { id: "c1", object: "chat.completion.chunk", created: 1, model };
  const choice = (delta: object, reason: string | null) => ({
    choices: [{ index: 0, delta, finish_reason: reason }],
  });
  return [
    { ...chunk, ...choice({ role: "assistant", content: "Hello." }, null) },
    { ...chunk, ...choice({}, "stop") },
    { ...chunk, choices: [], usage },
  ]
    .map((event) => `data: ${JSON.stringify(event)}\n\n`)
    .concat("data: [DONE]\n\n")
    .join("");
}
