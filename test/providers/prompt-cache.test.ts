// The caches of the fake providers: what a real one reads, writes and refuses.
import { describe, expect, it } from "vitest";
import { openaiDialect } from "./openai.ts";
import {
  automaticCache,
  breakpointCache,
  chatPieces,
  chatUsage,
  markedCache,
  withPromptCache,
} from "./prompt-cache.ts";
import type { Piece, Prompt, PromptCache } from "./prompt-cache.ts";

/** Pieces of 100 tokens each, with the model in front; marked and ending a message at the given places. */
function promptOf(count: number, marks: number[] = [], more: Partial<Prompt> = {}): Prompt {
  const pieces = Array.from({ length: count }, (_, index): Piece => {
    return {
      text: String(index).padStart(400, "x"),
      isMarked: marks.includes(index),
      endsMessage: true,
    };
  });
  return { model: "m", key: "k", mode: undefined, pieces, ...more };
}

function readBy(cache: PromptCache, ...prompts: Prompt[]): number {
  return prompts.map((prompt) => cache(prompt).read).at(-1) ?? 0;
}

describe("a cache by marks", () => {
  it("a cache by marks reads up to a mark of an earlier request at most 20 blocks before its own", () => {
    expect(readBy(markedCache(100), promptOf(20, [19]), promptOf(40, [39]))).toBe(2000);
    expect(readBy(markedCache(100), promptOf(20, [19]), promptOf(41, [40]))).toBe(0);
    expect(readBy(markedCache(100), promptOf(20, [19]), promptOf(41, [19, 40]))).toBe(2000);
  });

  it("a cache by marks reads and writes nothing without marks, and below the minimum", () => {
    expect(markedCache(100)(promptOf(20))).toEqual({ total: 2000, read: 0, written: 0 });
    expect(markedCache(1024)(promptOf(10, [9]))).toEqual({ total: 1000, read: 0, written: 0 });
  });

  it("a cache by marks writes what it has not read, up to the last mark", () => {
    const cache = markedCache(100);
    cache(promptOf(10, [9]));
    expect(cache(promptOf(13, [9, 11]))).toEqual({ total: 1300, read: 1000, written: 200 });
  });
});

describe("an automatic cache", () => {
  it("an automatic cache reads steps of 128 tokens from 1,024 on", () => {
    expect(readBy(automaticCache(1024, 1), promptOf(10), promptOf(10))).toBe(0);
    expect(readBy(automaticCache(1024, 1), promptOf(20), promptOf(20))).toBe(1920);
  });

  it("an automatic cache keeps a session at one machine by its key", () => {
    const keyless = promptOf(20, [], { key: undefined });
    expect(readBy(automaticCache(1024, 8), keyless, keyless)).toBe(0);
    expect(readBy(automaticCache(1024, 8), promptOf(20), promptOf(20))).toBe(1920);
  });
});

describe("a cache by breakpoints", () => {
  it("a cache by breakpoints reads the message at which the last request ended, exactly", () => {
    const cache = breakpointCache(1024, 1);
    expect(readBy(cache, promptOf(20), promptOf(30))).toBe(2000);
  });

  it("caches nothing in mode explicit without breakpoints", () => {
    const explicit = (marks: number[]) => promptOf(20, marks, { mode: "explicit" });
    expect(readBy(breakpointCache(1024, 1), explicit([]), explicit([]))).toBe(0);
    expect(readBy(breakpointCache(1024, 1), explicit([14]), explicit([14]))).toBe(1500);
  });
});

describe("a provider without breakpoints", () => {
  const dialect = withPromptCache(openaiDialect({ key: "k" }), {
    cache: automaticCache(1024, 1),
    piecesOf: chatPieces,
    usageOf: chatUsage,
  });
  const refusalOf = (more: object): number | undefined => {
    const json = { model: "gpt-5", messages: [{ role: "user", content: "Hi" }], ...more };
    const { response } = dialect.handle(
      {
        method: "POST",
        path: "/v1/chat/completions",
        headers: { "content-type": "application/json", authorization: "Bearer k" },
        body: JSON.stringify(json),
        json,
        violations: [],
        wasCut: Promise.resolve(false),
      },
      undefined,
    );
    return response?.status;
  };

  it("a provider without breakpoints refuses options of the cache, breakpoints and long keys", () => {
    const part = { type: "text", text: "Hi", prompt_cache_breakpoint: { mode: "explicit" } };
    expect(refusalOf({})).toBe(200);
    expect(refusalOf({ prompt_cache_options: { mode: "implicit" } })).toBe(400);
    expect(refusalOf({ messages: [{ role: "user", content: [part] }] })).toBe(400);
    expect(refusalOf({ prompt_cache_key: "k".repeat(65) })).toBe(400);
  });
});
