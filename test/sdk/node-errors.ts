// What the SDKs of Node throw when a provider fails: the same cases for each client and each dialect behind the gateway.
import type Anthropic from "@anthropic-ai/sdk";
import type OpenAI from "openai";
import { expect, it } from "vitest";
import type { WithFakes } from "../gateway/with-fakes.ts";

interface Client {
  /** The subject of the titles. */
  name: string;
  /** Its classes of errors have the same names in both. */
  sdk: typeof OpenAI | typeof Anthropic;
  fake: () => WithFakes["openai" | "anthropic" | "responses"];
  ask: (content: string) => Promise<unknown>;
  stream: (content: string) => Promise<AsyncIterable<unknown>>;
  /** A status that only this client is tested with, and the name of its class. */
  also?: [number, "InternalServerError" | "UnprocessableEntityError"];
  /** The error that it throws after the status of `shown`, beside the header `retry-after`. */
  shown: { status: number; error: object };
}

/** Declares the tests of a client. */
export function testErrors({ name, sdk, fake, ask, stream, also, shown }: Client): void {
  const drain = async (content: string): Promise<void> => {
    for await (const _ of await stream(content));
  };

  const rows: [string, abstract new (...words: never) => unknown][] = [
    ["[error 400]", sdk.BadRequestError],
    ["[error 401]", sdk.AuthenticationError],
    ["[error 403]", sdk.PermissionDeniedError],
    ["[error 404]", sdk.NotFoundError],
    ["[error 429]", sdk.RateLimitError],
    ["[error 500]", sdk.InternalServerError],
    ["[html 502]", sdk.InternalServerError],
    ["[empty 500]", sdk.InternalServerError],
    ["[reset]", sdk.InternalServerError],
    ["[hang]", sdk.InternalServerError],
  ];
  if (also !== undefined) rows.push([`[error ${String(also[0])}]`, sdk[also[1]]]);
  it.concurrent.each(rows)("%s by its class", async (content, kind) => {
    const errors = await Promise.all([thrown(ask(content)), thrown(stream(content))]);
    for (const error of errors) expect(error).toBeInstanceOf(kind);
  });

  it(`${name}'s error keeps status, message and retry-after`, async () => {
    fake().next({ kind: "error", status: shown.status, retryAfter: "7" });
    const error = await thrown(ask("hi"));
    expect(error).toMatchObject(shown);
    expect((error as { headers: Headers }).headers.get("retry-after")).toBe("7");
  });

  it.each(["[error event 3]", "[reset 3]"])("%s in mid-stream is an error", async (content) => {
    expect(await thrown(drain(content))).toBeInstanceOf(Error);
  });
}

/** Returns what is thrown, by a call or in the course of a stream. */
export function thrown(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => undefined,
    (error: unknown) => error,
  );
}
