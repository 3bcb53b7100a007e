// Reads the responses of a prompt, complete and streamed, in each dialect of the ingress listener.
import { expect } from "vitest";
import { checkResponsesStream } from "../../unit/filter/responses-lifecycle.ts";

export interface Message {
  role: string;
  content: string;
}

export interface Metadata {
  prompt_target: { name: string; arguments: Record<string, unknown>; status: number };
}

export interface Content {
  text: string;
  metadata: Metadata | undefined;
}

interface Chunk {
  object: string;
  metadata?: Metadata;
  choices: { delta: { content?: string } }[];
}

/** The reader of each dialect. */
export const READERS = { chat: readCompletion, responses: readResponse };

interface ResponseObject {
  output: { content: { text: string }[] }[];
  gateway_metadata?: Metadata;
}

function readResponse(body: string, isStream = false): Content {
  const textOf = ({ output }: ResponseObject) =>
    output.flatMap(({ content }) => content.map(({ text }) => text)).join("");
  if (!isStream) {
    const whole = JSON.parse(body) as ResponseObject;
    return { text: textOf(whole), metadata: whole.gateway_metadata };
  }
  const { types, response } = checkResponsesStream(
    body.replace(/"gateway_metadata":\{.*?\}\},/, ""),
  );
  expect(types.at(-1)).toBe("response.completed");
  const [first = ""] = /\{.*\}/.exec(body) ?? [];
  const { gateway_metadata: metadata } = JSON.parse(first) as ResponseObject;
  return { text: textOf(response as unknown as ResponseObject), metadata };
}

function readCompletion(body: string, isStream = false): Content {
  if (!isStream) {
    const whole = JSON.parse(body) as { metadata?: Metadata; choices: { message: Message }[] };
    return { text: whole.choices[0]?.message.content ?? "", metadata: whole.metadata };
  }
  const data = body.split("\n\n").flatMap((event) => /^data: (.*)$/m.exec(event)?.[1] ?? []);
  expect(data.at(-1)).toBe("[DONE]");
  const chunks = data.slice(0, -1).map((one) => JSON.parse(one) as Chunk);
  expect(new Set(chunks.map(({ object }) => object))).toEqual(new Set(["chat.completion.chunk"]));
  const text = chunks.map(({ choices }) => choices[0]?.delta.content ?? "").join("");
  return { text, metadata: chunks[0]?.metadata };
}

/** Returns the text of a response, with the pieces of a stream put together. */
export function joined(body: string): string {
  const pieces = [...body.matchAll(/"content": ?"((?:[^"\\]|\\.)*)"/g)].map(([, one]) => one);
  return pieces.join("");
}
