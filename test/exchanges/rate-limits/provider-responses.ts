// What the providers of the rate limit tests return: 20 input tokens and 10 output tokens, complete and as a stream.
import type { UpstreamResponse } from "../../../control-plane/wasm-host/upstream.ts";
import { cutBody } from "../host-ring.ts";
import type { Cut } from "../host-ring.ts";

export type Dialect = "chat" | "messages";

export const CHAT = {
  complete: `{"id":"c","object":"chat.completion","created":1,"model":"gpt","choices":[{"index":0,"message":{"role":"assistant","content":"Hello \\"usage\\":{"},"finish_reason":"stop"}],"usage":{"prompt_tokens":20,"completion_tokens":10,"total_tokens":30}}`,
  stream: [
    `{"id":"c","object":"chat.completion.chunk","created":1,"model":"gpt","choices":[{"index":0,"delta":{"role":"assistant","content":"Hello"},"finish_reason":null}],"usage":null}`,
    `{"id":"c","object":"chat.completion.chunk","created":1,"model":"gpt","choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":null}`,
    `{"id":"c","object":"chat.completion.chunk","created":1,"model":"gpt","choices":[],"usage":{"prompt_tokens":20,"completion_tokens":10,"total_tokens":30}}`,
    "[DONE]",
  ],
};
const MESSAGES = {
  complete: `{"id":"m","type":"message","role":"assistant","model":"claude","content":[{"type":"text","text":"Hello"}],"stop_reason":"end_turn","stop_sequence":null,"usage":{"input_tokens":5,"cache_read_input_tokens":15,"output_tokens":10}}`,
  stream: [
    `{"type":"message_start","message":{"id":"m","type":"message","role":"assistant","model":"claude","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":5,"cache_read_input_tokens":15,"output_tokens":1}}}`,
    `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`,
    `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hello"}}`,
    `{"type":"content_block_stop","index":0}`,
    `{"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":10}}`,
    `{"type":"message_stop"}`,
  ],
};

/** Returns an event of a stream. */
export function event(data: string): string {
  const type = /"type":"(\w+)"/.exec(data)?.[1];
  return data.startsWith('{"type"') ? `event: ${type}\ndata: ${data}\n\n` : `data: ${data}\n\n`;
}

/** Returns a response of a provider. */
export function providerResponse(
  dialect: Dialect,
  stream: boolean,
  cut: Cut = "at once",
): UpstreamResponse {
  const { complete, stream: events } = dialect === "chat" ? CHAT : MESSAGES;
  const body = Buffer.from(stream ? events.map(event).join("") : complete);
  return {
    status: 200,
    headers: [["content-type", stream ? "text/event-stream" : "application/json"]],
    chunks: cutBody([body], cut),
    ending: "complete",
  };
}
