// What one prompt may not show to another, to a log or to its client: keys, and the texts of other requests.
import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { joined } from "./readers.ts";
import {
  all,
  api,
  CHOICE,
  expectNothingLeaked,
  modelServer,
  pathsOf,
  say,
  send,
  setUp,
  short,
  steps,
} from "./set-up.ts";

setUp({ withShort: true });

it("a key that an API quotes reaches neither the client nor the language model", async () => {
  expect((await say("@echo")).text).toBe("Wrong key: Bearer ***");
  const said = await say("@echo_to_model");
  expect(JSON.stringify(said.model)).toContain("Wrong key: Bearer ***");
});

it("a key that the configuration puts into a query reaches the API and no log", async () => {
  const said = await say("@keyed please");
  expect(api.of(said.id)[0]?.path).toBe("/keyed?appkey=S3CRET&a=b");
  expect(Object.keys(api.of(said.id)[0]?.headers ?? {})).not.toContain("x-gateway-logged-path");
  expect(pathsOf(await steps(said.id, 4))).toEqual([...CHOICE, "/keyed?appkey=***&a=b"]);
});

it("a client that disconnects in the middle affects no other request", async () => {
  const gone = new AbortController();
  const { id, response } = send("@hang", {}, { signal: gone.signal });
  await expect.poll(() => api.of(id)).toHaveLength(1);
  gone.abort();
  await expect(response).rejects.toThrow();
  await all.gateway.waitForLog("ingress", ({ requestId }) => requestId === id);
  expect((await say("@plain")).metadata?.prompt_target.name).toBe("plain");
});

it("50 concurrent prompts of all kinds get no word of each other's", async () => {
  const nonces = Array.from({ length: 50 }, () => randomUUID());
  const kinds = [
    (nonce: string) => `@weather ${JSON.stringify({ city: nonce })}`,
    (nonce: string) => `@book ${JSON.stringify({ guests: 1, note: nonce })}`,
    (nonce: string) => `hello ${nonce}`,
    (nonce: string) => `@weather say: what is ${nonce}?`,
    (nonce: string) => `@plain ${nonce} slow: /embeddings`,
    (nonce: string) => `@silent ${nonce}`,
  ];
  const responses = await Promise.all(
    nonces.map(async (nonce, index) => {
      const kind = kinds[index % kinds.length] ?? String;
      const { id, response } = send(kind(nonce), { stream: index % 4 < 2, through: short });
      return { id, nonce, text: await (await response).text(), isSilent: index % 6 === 5 };
    }),
  );
  const seen = [...api.requests, ...modelServer.requests, ...short.openai.requests];
  for (const { id, nonce, text, isSilent } of responses) {
    const others = nonces.filter((other) => other !== nonce);
    if (isSilent) expect(text).toContain("did not respond within the listener's timeout");
    else expect(joined(text)).toContain(nonce);
    const own = seen.filter(({ headers }) => headers["x-request-id"] === id);
    expect(own.length).toBeGreaterThanOrEqual(4);
    const all = [text, ...own.map((one) => `${one.path} ${one.body}`)].join("\n");
    expect(others.filter((other) => all.includes(other))).toEqual([]);
  }
});

it("the providers found nothing to object to", () => {
  expectNothingLeaked();
});
