// Rate limits that count for each session or each user, whichever of the user's keys, or a token, a request has.
import { expect, it } from "vitest";
import { type Ask, CONFIGURATION, keysPush, payloadHeader, startWorkers } from "./set-up.ts";

it("a rate limit with selector: user counts for each owner of keys and subject of tokens", async () => {
  const text = `${CONFIGURATION.replace(
    "  egress:\n",
    `  egress:
    jwt: {issuer: i, audiences: [a], jwks_uri: "https://issuer.test/keys"}
`,
  ).replace("name: grouped,", "name: grouped, owner: anna,")}
ratelimits: [{model: openai/gpt, selector: user, limit: {requests: 2, unit: hour}}]
`;
  const [first, second] = await startWorkers(2, { text });
  if (first === undefined || second === undefined) throw new Error("no worker");
  const rows = { one: { owner: "anna" }, two: { owner: "bob" }, three: {} };
  first.push({ reset: 1, complete: 1, groups: { research: {} }, ...keysPush(rows) });
  const configured: Ask = { headers: [["x-api-key", "b".repeat(30)]] };
  const token = (sub: string): Ask => ({ headers: [payloadHeader({ iss: "i", sub })] });
  expect([first.try("one"), second.try("", configured)]).toEqual(["200", "200"]);
  for (const refused of [first.try("one"), second.try("one"), second.try("", configured)]) {
    expect(refused).toContain("429 ");
    expect(refused).toContain("2 requests an hour for openai/gpt and each user");
  }
  expect([second.try("two"), second.try("two")]).toEqual(["200", "200"]);
  expect(first.try("two")).toContain("429 ");
  expect([1, 2, 3].map(() => first.try("", token("carl")).slice(0, 3))).toEqual([
    "200",
    "200",
    "429",
  ]);
  expect(first.try("", token("dora"))).toBe("200");
  expect([1, 2, 3, 4].map(() => first.try("three"))).toEqual(["200", "200", "200", "200"]);
});

it("a rate limit with selector: session counts for each session of a key, and not for requests without one", async () => {
  const text = `${CONFIGURATION}
ratelimits: [{model: openai/gpt, selector: session, limit: {requests: 2, unit: hour}}]
`;
  const [first, second] = await startWorkers(2, { text });
  if (first === undefined || second === undefined) throw new Error("no worker");
  first.push({ reset: 1, complete: 1, ...keysPush({ one: {}, two: { name: "bob-laptop" } }) });
  const of = (session: string, key: string): Ask => ({
    headers: [
      ["x-session-id", session],
      ["x-api-key", key],
    ],
  });
  expect([first.try("", of("s", "one")), second.try("", of("s", "one"))]).toEqual(["200", "200"]);
  const refused = first.try("", of("s", "one"));
  expect(refused).toContain("429 ");
  expect(refused).toContain("2 requests an hour for openai/gpt and each session");
  expect([first.try("", of("t", "one")), first.try("", of("s", "two"))]).toEqual(["200", "200"]);
  expect([1, 2, 3].map(() => first.try("one"))).toEqual(["200", "200", "200"]);
});
