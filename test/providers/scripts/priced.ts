// A fake of OpenAI whose prompts decide the usage that it reports, and its ledger: the responses that it has sent, by the number of
// the request. A prompt is `<number> <input tokens> <output tokens>`.
import { setTimeout as sleep } from "node:timers/promises";
import { type ScriptedProvider, sendJson, startProvider } from "../scripted-provider.ts";
import { WIRES } from "../wire.ts";

export interface Booking {
  model: string;
  input: number;
  output: number;
  /** How often a response was sent. */
  times: number;
}

export interface PricedProvider extends ScriptedProvider {
  url: string;
  bookings: Map<number, Booking>;
  /** Milliseconds until a response begins. */
  delayMs: number;
}

interface Body {
  model: string;
  stream?: boolean;
  messages: { content: string }[];
}

export async function startPricedProvider(): Promise<PricedProvider> {
  const bookings = new Map<number, Booking>();
  const provider = await startProvider(
    async (response, request) => {
      const { model, messages, stream } = JSON.parse(request.body) as Body;
      const prompt = messages.at(-1)?.content ?? "";
      const [number = 0, input = 0, output = 0] = prompt.split(" ").map(Number);
      if (priced.delayMs > 0) await sleep(priced.delayMs);
      const times = (bookings.get(number)?.times ?? 0) + 1;
      bookings.set(number, { model, input, output, times });
      const facts = { model, usage: { input, output } };
      const { begin, delta, end, complete, contentType } = WIRES.chat;
      if (stream !== true) {
        sendJson(response, complete("Hello.", facts));
        return;
      }
      response.writeHead(200, { "content-type": contentType });
      response.end([...begin(facts), delta("Hello.", facts), ...end(facts)].join(""));
    },
    { keepsRequests: false },
  );
  const url = `http://127.0.0.1:${String(provider.port)}/v1`;
  const priced: PricedProvider = Object.assign(provider, { url, bookings, delayMs: 0 });
  return priced;
}
