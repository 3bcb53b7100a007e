// Tokens that Envoy has verified, in a gateway with keys of run time: what Envoy's metadata has is a property of the request here.
import { expect, it } from "vitest";
import { FAILURE, PAYLOAD, TOKEN_METADATA } from "../../../contract/token-metadata.ts";
import { errorOf } from "../budgets/set-up.ts";
import { type Ask, KEY, keysPush, recordOf, startWorkers, type Worker } from "./set-up.ts";

const ISSUER = "https://issuer.test";
const TOKEN = "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhIn0.c2lnbmF0dXJl";
const LISTENERS = `
listeners:
  egress:
    api_keys: [$TEAM_A]
    jwt:
      issuer: ${ISSUER}
      audiences: [llm]
      jwks_uri: https://issuer.test/keys
      claims: {groups: groups, models: [may, use]}
`;
const CONFIGURATION = `${LISTENERS}
keys: {}
groups: {research: {}}
llm_providers:
  - {model: openai/gpt, access_key: $OPENAI_API_KEY}
  - {model: openai/*, access_key: $OPENAI_API_KEY}
`;
const PASS_THROUGH = `${LISTENERS}
keys: {}
llm_providers:
  - {model: openai/gpt, passthrough_auth: true}
`;

type Claim = string | number | Claim[];

/** As Envoy writes a list: the number of its items, the sizes of each, and their bytes. */
function listBytes(items: Claim[]): string {
  const sizes = Buffer.alloc(4 + 8 * items.length);
  sizes.writeUInt32LE(items.length, 0);
  const texts = items.map((item, at) => {
    const text = typeof item === "string" ? item : "";
    sizes.writeUInt32LE(text.length, 4 + 8 * at);
    return `${text}\0\0`;
  });
  return sizes.toString("latin1") + texts.join("");
}

/** A request whose token Envoy has removed, after it has verified it. */
function verified(claims: Record<string, Claim> = {}): Ask {
  const properties: Record<string, string | number> = {};
  for (const [name, value] of Object.entries({ iss: ISSUER, sub: "service", ...claims })) {
    const path = `metadata.filter_metadata.${TOKEN_METADATA}.${PAYLOAD}0.${name}`;
    if (Array.isArray(value)) {
      properties[path] = listBytes(value);
      value.forEach((item, at) => {
        if (!Array.isArray(item)) properties[`${path}.${String(at)}`] = item as string | number;
      });
    } else properties[path] = value;
  }
  return { headers: [], input: { properties } };
}

/** A request whose token Envoy has rejected, and left in place. */
function rejected(message: string, token = TOKEN): Ask {
  const path = `metadata.filter_metadata.${TOKEN_METADATA}.${FAILURE}.message`;
  return {
    headers: [["authorization", `Bearer ${token}`]],
    input: { properties: { [path]: message } },
  };
}

async function started(text = CONFIGURATION): Promise<Worker> {
  const [worker] = await startWorkers(1, { text });
  if (worker === undefined) throw new Error("no worker");
  return worker;
}

const isKnown = { reset: 1, complete: 1, groups: { research: {} } } as const;

it("a token needs the rows: before the first whole push it gets 503", async () => {
  const worker = await started();
  for (const claims of [{}, { groups: ["research"] }] as Record<string, Claim>[]) {
    const asked = worker.ask("", verified(claims));
    expect(errorOf(asked)).toMatchObject({ status: 503, headers: { "retry-after": "1" } });
  }
  worker.push(isKnown);
  expect(worker.try("", verified({ groups: ["research"] }))).toBe("200");
});

it("a worker that has seen tokens only knows of a push that another has received", async () => {
  const [first, second] = await startWorkers(2, { text: CONFIGURATION });
  // Longer than an API key.
  const expired = rejected("Jwt is expired", TOKEN + "a".repeat(5000));
  expect(second?.try("", expired)).toContain("503");
  first?.push(isKnown);
  expect(second?.try("", expired)).toBe("401 The token has expired. Get a new one.");
  expect(second?.try("", rejected("Audiences in Jwt are not allowed"))).toContain("403");
});

it("a push of ended sessions at the same time as the first push of keys does not undo it", async () => {
  const [first, second] = await startWorkers(2, { text: CONFIGURATION });
  let pushes = 0;
  const shared = second?.shared;
  if (shared === undefined) throw new Error("no worker");
  // The row of a session, which is read between the state of all rows and what would be written to it.
  shared.afterGet = (key) => {
    if (!key.startsWith("\u0004")) return;
    shared.afterGet = undefined;
    first?.push({ ...isKnown, ...keysPush({ [KEY]: {} }) });
    pushes++;
  };
  second?.push({ sessions: { "*": {} } });
  expect(pushes).toBe(1);
  for (const worker of [first, second]) {
    expect(worker?.try("", verified({ groups: ["research"] }))).toBe("200");
    expect(worker?.try(KEY)).toBe("200");
  }
  expect(second?.push({ sessions: { later: {} } })).toEqual({ keys: 1 });
});

it("a group's removal counts for the next token", async () => {
  const [first, second] = await startWorkers(2, { text: CONFIGURATION });
  first?.push(isKnown);
  expect(second?.try("", verified({ groups: ["research"] }))).toBe("200");
  first?.push({ reset: 1, complete: 1 });
  expect(second?.try("", verified({ groups: ["research"] }))).toContain("403");
});

it.each<[string, Record<string, Claim>, RegExp]>([
  ["no claims", {}, /^200/],
  ["groups and models", { groups: ["a", "research"], "may.use": ["openai/gpt"] }, /^200/],
  ["texts", { groups: "research", "may.use": "openai/*" }, /^200/],
  ["an empty list of groups", { groups: [] }, /^200/],
  ["32 groups", { groups: Array.from({ length: 32 }, () => "research") }, /^200/],
  ["33 groups", { groups: Array.from({ length: 33 }, () => "research") }, /^403 .*'groups'/],
  ["an empty group", { groups: "" }, /^403 .*'groups'/],
  ["a list with an empty group", { groups: ["research", "", "b"] }, /^403 .*'groups'/],
  ["a list with an item that is null", { groups: ["research", []] }, /^403 .*'groups'/],
  ["a list of null", { groups: [[]] }, /^403 .*'groups'/],
  ["a number as group", { groups: 0 }, /^403 .*'groups'/],
  ["the bytes of a double as group", { groups: 1 }, /^403 .*'groups'/],
  ["an empty list of models", { "may.use": [] }, /^403 .*may not be used/],
  ["an empty model", { "may.use": "" }, /^403 .*'may\.use'/],
  ["a list with an empty model", { "may.use": ["openai/gpt", ""] }, /^403 .*'may\.use'/],
  ["a list of null as models", { "may.use": [[]] }, /^403 .*'may\.use'/],
  ["an empty name", { sub: "" }, /^403 .*'sub'/],
])("a token with %s", async (_, claims, said) => {
  const worker = await started();
  worker.push(isKnown);
  expect(worker.try("", verified(claims))).toMatch(said);
});

it("a group counts without keys and groups of the gateway too, in usage records alone", async () => {
  const text = CONFIGURATION.replace(/keys: \{\}\ngroups.*\n/, "");
  expect(text).not.toBe(CONFIGURATION);
  const worker = await started(`${text}observability: {metrics: {address: 127.0.0.1}}\n`);
  const asked = worker.ask("", verified({ groups: ["eu"], "may.use": ["openai/gpt"] }));
  expect(asked.response.status).toBe(200);
  expect(recordOf(asked)).toMatchObject({ key: "jwt:service", group: "eu", user: "service" });
});

it("a client's key is not sent to a provider while it may be a key or a token of the gateway", async () => {
  const worker = await started(PASS_THROUGH);
  const team: [string, string] = ["x-gateway-api-key", "a".repeat(30)];
  const sent = (more: Ask) =>
    JSON.stringify(worker.ask("", { ...more, headers: [team, ...(more.headers ?? [])] }).sent);
  const bearer = (value: string): Ask => ({ headers: [["authorization", `Bearer ${value}`]] });
  // Before the first push nobody knows.
  expect(sent(bearer("sk-own"))).not.toContain("sk-own");
  worker.push({ ...keysPush({ [KEY]: {}, removed: {} }), reset: 1, complete: 1 });
  expect(sent(bearer("sk-own"))).toContain("sk-own");
  expect(sent(bearer("removed"))).not.toContain("removed");
  worker.push(keysPush({ removed: null }));
  expect(sent(bearer("removed"))).not.toContain("removed");
  worker.push({ reset: 1, complete: 1 });
  expect(sent(bearer(KEY))).not.toContain(KEY);
  // Of no issuer of the listener: a token for the provider.
  expect(sent(bearer(TOKEN))).toContain(TOKEN);
  expect(sent({ headers: [["x-api-key", TOKEN]] })).toContain(TOKEN);
  expect(sent({ headers: [["authorization", `bearer ${TOKEN}`]] })).toContain(TOKEN);
  expect(sent(rejected("Jwt issuer is not configured"))).toContain(TOKEN);
  expect(sent(rejected("Jwt is expired"))).not.toContain(TOKEN);
  // Envoy does not look there.
  expect(sent({ headers: [["authorization", `BEARER ${TOKEN}`]] })).not.toContain(TOKEN);
});

it("rejected tokens need no memory", async () => {
  const worker = await started();
  worker.push(isKnown);
  const flood = (times: number) => {
    for (let i = 0; i < times; i++) worker.try("", rejected("Jwt header is bad"));
  };
  flood(200);
  const before = worker.host.memorySize;
  flood(4000);
  expect(worker.host.memorySize).toBe(before);
}, 60_000);
