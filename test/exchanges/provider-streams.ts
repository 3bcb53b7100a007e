// Streams of each provider's format, made of the same parts of texts.
import { escaping, runsOf, streamOf } from "../unit/filter/client-streams.ts";
import type { Part } from "../unit/filter/client-streams.ts";
import * as converse from "../unit/filter/converse-streams.ts";
import * as gemini from "../unit/filter/gemini-streams.ts";
import { chunkFrame } from "../providers/event-stream.ts";

export interface ProviderStream {
  type: string;
  body: Buffer;
}

const SSE = "text/event-stream";
const FRAMES = "application/vnd.amazon.eventstream";

const text = (body: string): ProviderStream => ({ type: SSE, body: Buffer.from(body) });

/** By the name of a model in config/guarded-responses.yaml. */
export const PROVIDER_STREAMS: Readonly<
  Record<string, (parts: readonly Part[]) => ProviderStream>
> = {
  "openai/gpt-4o": (parts) => text(streamOf("openai_chat", parts)),
  "anthropic/claude-sonnet-4-5": (parts) => text(streamOf("anthropic_messages", parts, escaping)),
  responses: (parts) => text(streamOf("openai_responses", parts)),
  gemini: (parts) => text(geminiStream(parts)),
  converse: (parts) => ({ type: FRAMES, body: converseStream(parts) }),
  "bedrock-claude": (parts) => ({
    type: FRAMES,
    body: Buffer.concat(
      [...streamOf("anthropic_messages", parts).matchAll(/^data: (.*)$/gm)].map(([, data = ""]) =>
        chunkFrame(data),
      ),
    ),
  }),
};

/** Gemini has no parts of arguments. */
function geminiStream(parts: readonly Part[]): string {
  const events = runsOf(parts).flatMap((run) => {
    const whole = run.map((part) => part.text).join("");
    if (run[0]?.kind === "arguments") {
      const args = JSON.parse(whole) as Record<string, unknown>;
      return [contentOf({ functionCall: { name: "write", args } })];
    }
    const isThought = run[0]?.kind === "reasoning";
    return run.map((part) => contentOf({ text: part.text, ...(isThought && { thought: true }) }));
  });
  const usage = { promptTokenCount: 5, candidatesTokenCount: 7, totalTokenCount: 12 };
  return gemini.sseOf([
    ...events,
    gemini.event({ ...contentParts({ text: "" }), finishReason: "STOP" }, { usageMetadata: usage }),
  ]);
}

const contentParts = (part: object) => ({ content: { parts: [part], role: "model" } });
const contentOf = (part: object) => gemini.event(contentParts(part));

function converseStream(parts: readonly Part[]): Buffer {
  const blocks = runsOf(parts).flatMap((run, index): Buffer[] => {
    const kind = run[0]?.kind;
    const start = kind === "arguments" ? [converse.toolStart(index, "tooluse_1", "write")] : [];
    const deltas = run.map((part) => {
      if (kind === "arguments") return converse.delta(index, { toolUse: { input: part.text } });
      return converse.delta(
        index,
        kind === "reasoning" ? { reasoningContent: { text: part.text } } : { text: part.text },
      );
    });
    return [...start, ...deltas, converse.blockStop(index)];
  });
  return Buffer.concat([
    converse.START,
    ...blocks,
    converse.messageStop("end_turn"),
    converse.METADATA,
  ]);
}
