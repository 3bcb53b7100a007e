// Prompt caches as the real providers have them, in front of any fake provider: what a request reads and writes is in the usage of
// its response. A prompt is a list of pieces; a mark is no part of it, and neither is the form in which a text is written.
import { createHash } from "node:crypto";
import type { Dialect, ProviderRequest, FakeResponse } from "./server.ts";

type Json = Record<string, unknown>;

export interface Piece {
  text: string;
  isMarked: boolean;
  /** Whether a message of the user, or the result of a tool, ends here. */
  endsMessage: boolean;
}

/** Input tokens. */
export interface CacheUse {
  total: number;
  read: number;
  written: number;
}

export interface Prompt {
  model: string;
  /** The key of the session; undefined if the request has none. */
  key: string | undefined;
  /** `prompt_cache_options.mode`. */
  mode: string | undefined;
  pieces: Piece[];
}

/** Returns what a prompt reads and writes, and keeps what it writes. */
export type PromptCache = (prompt: Prompt) => CacheUse;

const BYTES_PER_TOKEN = 4;

/** The tokens up to each piece, and a hash of all that stands before its end. */
function prefixes({ model, pieces }: Prompt): { tokens: number; hash: string }[] {
  const hash = createHash("sha256").update(model);
  let bytes = 0;
  return pieces.map(({ text }) => {
    hash.update(text).update("\0");
    bytes += text.length;
    return { tokens: Math.ceil(bytes / BYTES_PER_TOKEN), hash: hash.copy().digest("hex") };
  });
}

/** Of Anthropic: each mark finds an entry that ends at most 20 blocks before it. */
const LOOKBACK_BLOCKS = 20;

/**
 * Anthropic, by marks (https://platform.claude.com/docs/en/build-with-claude/prompt-caching). A prefix below the minimum is not
 * cached, and nothing says so.
 */
export function markedCache(minimum: number): PromptCache {
  const entries = new Set<string>();
  return (prompt) => {
    const ends = prefixes(prompt);
    const marks = prompt.pieces.flatMap(({ isMarked }, index) => (isMarked ? [index] : []));
    const isLongEnough = (index: number): boolean => (ends[index]?.tokens ?? 0) >= minimum;
    let found = -1;
    for (const mark of marks)
      for (let index = mark; index >= 0 && index >= mark - LOOKBACK_BLOCKS; index--)
        if (index > found && entries.has(ends[index]?.hash ?? "")) found = index;
    const total = ends.at(-1)?.tokens ?? 0;
    const read = ends[found]?.tokens ?? 0;
    const written = marks.filter(isLongEnough);
    for (const mark of written) entries.add(ends[mark]?.hash ?? "");
    const last = ends[written.at(-1) ?? -1]?.tokens ?? 0;
    return { total, read, written: Math.max(0, last - read) };
  };
}

/**
 * The machines of a provider, which share nothing. The agents of an organisation have one system prompt, by which a request is
 * routed if it has no key; above about 15 requests a minute they go to any machine
 * (https://developers.openai.com/api/docs/guides/prompt-caching). A key keeps a session at one of them.
 */
function machines(count: number): (key: string | undefined) => Set<string> {
  const all = Array.from({ length: count }, () => new Set<string>());
  let next = 0;
  return (key) => {
    const index =
      key === undefined ? next++ : createHash("sha256").update(key).digest().readUInt32BE();
    return all[index % count] ?? new Set();
  };
}

/** By itself, in steps of tokens: OpenAI up to GPT-5.5, xAI, Cerebras; with one machine Gemini. */
export function automaticCache(minimum: number, machineCount: number, step = 128): PromptCache {
  const machineOf = machines(machineCount);
  return (prompt) => {
    const machine = machineOf(prompt.key);
    const text = `${prompt.model}\0${prompt.pieces.map((piece) => `${piece.text}\0`).join("")}`;
    const total = Math.ceil(text.length / BYTES_PER_TOKEN);
    let read = 0;
    const hash = createHash("sha256");
    for (let tokens = step; tokens <= total; tokens += step) {
      const end = tokens * BYTES_PER_TOKEN;
      hash.update(text.slice(end - step * BYTES_PER_TOKEN, end));
      const entry = hash.copy().digest("hex");
      if (machine.has(entry) && tokens >= minimum) read = tokens;
      machine.add(entry);
    }
    return { total, read, written: 0 };
  };
}

/** "For cache matching, OpenAI considers up to the latest 80 breakpoints." */
const READ_BREAKPOINTS = 80;
const WRITTEN_BREAKPOINTS = 4;

/** GPT-5.6 and newer: exact boundaries; one implicit breakpoint, at the latest message, unless the mode is explicit (npm openai 7.57.0). */
export function breakpointCache(minimum: number, machineCount: number): PromptCache {
  const machineOf = machines(machineCount);
  return (prompt) => {
    const machine = machineOf(prompt.key);
    const ends = prefixes(prompt);
    const isImplicit = prompt.mode !== "explicit";
    const indices = prompt.pieces.map((_, index) => index);
    const explicit = indices.filter((index) => prompt.pieces[index]?.isMarked);
    const messages = indices.filter((index) => prompt.pieces[index]?.endsMessage);
    const known = new Set([...explicit, ...(isImplicit ? messages : [])]);
    const considered = [...known].sort((one, other) => one - other).slice(-READ_BREAKPOINTS);
    const isUsable = (index: number): boolean => (ends[index]?.tokens ?? 0) >= minimum;
    const found = considered.findLast(
      (index) => isUsable(index) && machine.has(ends[index]?.hash ?? ""),
    );
    const written = [
      ...explicit.slice(isImplicit ? 1 - WRITTEN_BREAKPOINTS : -WRITTEN_BREAKPOINTS),
      ...(isImplicit ? messages.slice(-1) : []),
    ].filter(isUsable);
    for (const index of written) machine.add(ends[index]?.hash ?? "");
    const read = ends[found ?? -1]?.tokens ?? 0;
    const last = ends[Math.max(-1, ...written)]?.tokens ?? 0;
    return { total: ends.at(-1)?.tokens ?? 0, read, written: Math.max(0, last - read) };
  };
}

// ---- Prompts of each format

const MARKS = new Set(["cache_control", "prompt_cache_breakpoint"]);

function plain(value: unknown): string {
  return JSON.stringify(value, (name, inner: unknown) => (MARKS.has(name) ? undefined : inner));
}

function listOf(value: unknown): Json[] {
  return Array.isArray(value) ? (value as Json[]) : [];
}

/** Parts of a content, which may be one text. */
function partsOf(content: unknown, type: string): Json[] {
  return typeof content === "string" ? [{ type, text: content }] : listOf(content);
}

function piece(head: string, value: Json): Piece {
  const isMarked = [...MARKS].some((name) => value[name] !== undefined);
  return { text: `${head} ${plain(value)}`, isMarked, endsMessage: false };
}

function ending(pieces: Piece[]): Piece[] {
  const last = pieces.at(-1);
  if (last !== undefined) last.endsMessage = true;
  return pieces;
}

export function anthropicPieces(body: Json): Piece[] {
  return [
    ...listOf(body["tools"]).map((tool) => piece("tool", tool)),
    ...partsOf(body["system"], "text").map((block) => piece("system", block)),
    ...listOf(body["messages"]).flatMap(({ role, content }) =>
      partsOf(content, "text").map((block) => piece(String(role), block)),
    ),
  ];
}

export function conversePieces(body: Json): Piece[] {
  const pieces: Piece[] = [];
  const add = (head: string, block: Json): void => {
    const last = pieces.at(-1);
    if (block["cachePoint"] === undefined) pieces.push(piece(head, block));
    else if (last !== undefined) last.isMarked = true;
  };
  for (const tool of listOf((body["toolConfig"] as Json | undefined)?.["tools"])) add("tool", tool);
  for (const block of listOf(body["system"])) add("system", block);
  for (const { role, content } of listOf(body["messages"]))
    for (const block of listOf(content)) add(String(role), block);
  return pieces;
}

export function chatPieces(body: Json): Piece[] {
  return [
    ...listOf(body["tools"]).map((tool) => piece("tool", tool)),
    ...listOf(body["messages"]).flatMap(({ role, content, ...message }) => {
      const pieces = partsOf(content, "text").map((part) => piece(String(role), part));
      if (role === "user" || role === "tool") ending(pieces);
      return [...pieces, { ...piece(String(role), message), isMarked: false }];
    }),
  ];
}

export function responsesPieces(body: Json): Piece[] {
  const { instructions, input } = body;
  const items = typeof input === "string" ? [{ role: "user", content: input }] : listOf(input);
  return [
    ...listOf(body["tools"]).map((tool) => piece("tool", tool)),
    ...(instructions == null ? [] : [piece("system", { text: instructions })]),
    ...items.flatMap((item: Json) => {
      const { role, content, output, ...rest } = item;
      if (output !== undefined) {
        const parts = partsOf(output, "input_text").map((part) => piece("output", part));
        return [piece("output", rest), ...ending(parts)];
      }
      if (content === undefined) return [piece("item", rest)];
      const parts = partsOf(content, "input_text").map((part) => piece(String(role), part));
      return role === "user" ? ending(parts) : parts;
    }),
  ];
}

export function geminiPieces(body: Json): Piece[] {
  const system = (body["systemInstruction"] as Json | undefined)?.["parts"];
  return [
    ...listOf(body["tools"]).map((tool) => piece("tool", tool)),
    ...listOf(system).map((part) => piece("system", part)),
    ...listOf(body["contents"]).flatMap(({ role, parts }) =>
      listOf(parts).map((part) => piece(String(role), part)),
    ),
  ];
}

// ---- In front of a provider

export interface CachingOptions {
  cache: PromptCache;
  piecesOf(body: Json): Piece[];
  /** The members of the response's usage. */
  usageOf(use: CacheUse): Json;
  /** The header with the session's key; without it `prompt_cache_key`. */
  keyHeader?: string;
  /** Whether the provider has `cache_control` on parts, beyond what the API behind it has. */
  hasMarks?: boolean;
  /** Whether `prompt_cache_options` and breakpoints are supported. */
  hasBreakpoints?: boolean;
  /** Called with what each request reads and writes. */
  onUse?: (use: CacheUse) => void;
}

export function withPromptCache(dialect: Dialect, options: CachingOptions): Dialect {
  return {
    ...dialect,
    handle(request, next) {
      const body = (request.json ?? {}) as Json;
      const refused = refusalOf(body, options);
      if (refused !== undefined)
        return { response: dialect.error(400, refused), behaviour: { kind: "answer" } };
      const handled = dialect.handle(options.hasMarks ? withoutMarks(request) : request, next);
      const { response } = handled;
      if (response?.status !== 200) return handled;
      const use = options.cache({
        model: typeof body["model"] === "string" ? body["model"] : request.path,
        key: keyOf(request, body, options),
        mode: (body["prompt_cache_options"] as { mode?: string } | undefined)?.mode,
        pieces: options.piecesOf(body),
      });
      options.onUse?.(use);
      return { ...handled, response: withUsage(response, options.usageOf(use)) };
    },
  };
}

function refusalOf(body: Json, { hasBreakpoints = false }: CachingOptions): string | undefined {
  if (hasBreakpoints) return undefined;
  if (body["prompt_cache_options"] !== undefined)
    return "Unsupported parameter: 'prompt_cache_options' is not supported with this model.";
  return JSON.stringify(body).includes('"prompt_cache_breakpoint":')
    ? "Unsupported parameter: 'prompt_cache_breakpoint' is not supported with this model."
    : undefined;
}

function withoutMarks(request: ProviderRequest): ProviderRequest {
  return { ...request, json: JSON.parse(plain(request.json)) as unknown };
}

function keyOf(
  { headers }: ProviderRequest,
  body: Json,
  { keyHeader }: CachingOptions,
): string | undefined {
  if (keyHeader !== undefined) return headers[keyHeader];
  return body["prompt_cache_key"] as string | undefined;
}

function withUsage(response: FakeResponse, usage: Json): FakeResponse {
  const parts = response.parts.map((part) => {
    if (typeof part !== "string") return part;
    if (!response.isStream) return JSON.stringify(patched(JSON.parse(part), usage));
    return part.replaceAll(/^data: (\{.*\})$/gm, (_, data: string) => {
      return `data: ${JSON.stringify(patched(JSON.parse(data), usage))}`;
    });
  });
  return { ...response, parts };
}

/** Replaces the members of the usage, wherever a response or an event has it. */
function patched(value: unknown, usage: Json): unknown {
  if (typeof value !== "object" || value === null) return value;
  const object = { ...(value as Json) };
  for (const name of ["usage", "usageMetadata"])
    if (typeof object[name] === "object" && object[name] !== null)
      object[name] = { ...(object[name] as Json), ...usage };
  for (const name of ["message", "response"])
    if (name in object) object[name] = patched(object[name], usage);
  return object;
}

export const anthropicUsage = ({ total, read, written }: CacheUse): Json => ({
  input_tokens: total - read - written,
  cache_read_input_tokens: read,
  cache_creation_input_tokens: written,
});

export const converseUsage = ({ total, read, written }: CacheUse): Json => ({
  inputTokens: total - read - written,
  cacheReadInputTokens: read,
  cacheWriteInputTokens: written,
});

export const chatUsage = ({ total, read, written }: CacheUse): Json => ({
  prompt_tokens: total,
  total_tokens: total + 1,
  prompt_tokens_details: { cached_tokens: read, cache_write_tokens: written },
});

export const responsesUsage = ({ total, read, written }: CacheUse): Json => ({
  input_tokens: total,
  total_tokens: total + 1,
  input_tokens_details: { cached_tokens: read, cache_write_tokens: written },
});

export const geminiUsage = ({ total, read }: CacheUse): Json => ({
  promptTokenCount: total,
  cachedContentTokenCount: read,
});
