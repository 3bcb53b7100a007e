// Many requests at once, of both dialects, complete and streamed: no byte of one ever reaches another.
import { afterAll, beforeAll, expect, it } from "vitest";
import { startWithFakes } from "../gateway/with-fakes.ts";
import type { WithFakes } from "../gateway/with-fakes.ts";
import { random } from "../exchanges/random.ts";
import { ask } from "./ask.ts";

const COUNT = 100;
const ROUNDS = 3;
let all: WithFakes;

beforeAll(async () => {
  all = await startWithFakes({ timeoutMs: 20_000 });
});
afterAll(() => all.stop());

/** The text of a streamed or complete answer of either dialect. */
function textOf(body: string): string {
  if (!body.startsWith("data:") && !body.startsWith("event:")) {
    const { choices, content } = JSON.parse(body) as {
      choices?: { message: { content: string } }[];
      content?: { text: string }[];
    };
    return choices?.[0]?.message.content ?? content?.[0]?.text ?? "";
  }
  const events = [...body.matchAll(/^data: (\{.*\})$/gm)].map(
    ([, json = "{}"]) =>
      JSON.parse(json) as {
        choices?: { delta: { content?: string | null } }[];
        delta?: { text?: string };
      },
  );
  return events
    .map(({ choices, delta }) => choices?.[0]?.delta.content ?? delta?.text ?? "")
    .join("");
}

it(`${COUNT} at once, ${ROUNDS} times`, async () => {
  const chance = random(7);
  for (let round = 0; round < ROUNDS; round++) {
    const asked = Array.from({ length: COUNT }, async (_, index) => {
      const nonce = `nonce-${round}-${index}-${"é😀x".repeat(chance.below(400))}-end`;
      const dialect = chance.below(2) === 0 ? "chat" : "messages";
      const response = await ask(all.gateway, dialect, {
        text: nonce,
        stream: chance.below(2) === 0,
        listener: dialect === "chat" && chance.below(2) === 0 ? "ingress" : "egress",
        headers: { "x-request-id": `concurrent-${round}-${index}` },
      });
      expect(response.status).toBe(200);
      expect(textOf(await response.text())).toBe(`You said: ${nonce}`);
    });
    await Promise.all(asked);
  }
  const ids = [...all.openai.requests, ...all.anthropic.requests].map(({ headers, body }) => [
    headers["x-request-id"],
    /nonce-(\d+-\d+)-/.exec(body)?.[1],
  ]);
  expect(ids).toHaveLength(COUNT * ROUNDS);
  for (const [id, nonce] of ids) expect(id).toBe(`concurrent-${nonce}`);
});
