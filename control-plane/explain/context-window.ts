// By how much a request is too long for a model: as a provider's error has reported it, and as the catalogue's context window lets
// expect it before a request is sent.
import { modelFacts } from "../../model/facts/model-facts.ts";
import { knownProvider } from "../../model/model.ts";
import type { Target } from "../../model/model.ts";
import type { UsageRecord } from "../usage/usage-line.ts";

/** The code that the filter gives to each provider's error for a request that is too long (hub/faults/context-length.ts). */
const TOO_LONG = "context_length_exceeded";
/** English text and code have about as many bytes for a token. */
const BYTES_PER_TOKEN = 4;

/** An attempt that a provider rejected because the request was too long. */
export interface Overflow {
  /** `<provider>/<model>` as configured. */
  target: string;
  /** What the request needed, and what the model accepts; absent if the provider has not reported it. */
  tokens?: number | undefined;
  limit?: number | undefined;
}

/** Returns the attempts of a request that were too long, in their order. */
export function overflowsOf({ attempts = [], target, ...record }: UsageRecord): Overflow[] {
  const last = { target: target ?? "", error: record.code ?? record.error };
  const { context_tokens, context_limit } = record;
  return [...attempts, { ...last, context_tokens, context_limit }].flatMap((one) =>
    one.error === TOO_LONG
      ? [{ target: one.target, tokens: one.context_tokens, limit: one.context_limit }]
      : [],
  );
}

/** Returns it as a part of a sentence: `212,000 tokens, 12,000 more than its context window of 200,000`. */
export function overflowText({ tokens, limit }: Omit<Overflow, "target">): string {
  const window =
    limit === undefined ? "its context window" : `its context window of ${shown(limit)}`;
  if (tokens === undefined) return `more tokens than ${window}`;
  // A count of the prompt alone may be below the limit.
  const more = limit === undefined || tokens <= limit ? "more" : `${shown(tokens - limit)} more`;
  return `${shown(tokens)} tokens, ${more} than ${window}`;
}

const shown = (count: number) => count.toLocaleString("en");

export interface ContextUse {
  /** About as many tokens as the texts of the request have. */
  tokens: number;
  /** The context window of the model, by the catalogue. */
  window: number;
}

/** Returns how much of a model's context window a request takes; undefined if the catalogue does not have the model. */
export function contextUse(target: Target, model: string, body: string): ContextUse | undefined {
  const window = modelFacts(knownProvider(target), model)?.contextWindow;
  return window === undefined ? undefined : { tokens: estimatedTokens(body), window };
}

function estimatedTokens(body: string): number {
  return Math.ceil(Buffer.byteLength(withoutFiles(body)) / BYTES_PER_TOKEN);
}

/** Images and files, in base64, have other counts. */
function withoutFiles(body: string): string {
  const isFile = (name: string, value: unknown) =>
    typeof value === "string" &&
    (name === "data" || name === "file_data" || value.startsWith("data:"));
  try {
    return JSON.stringify(JSON.parse(body), (name, value: unknown) =>
      isFile(name, value) ? undefined : value,
    );
  } catch {
    return body;
  }
}
