// Tokens that Envoy has verified, in a gateway with keys of run time: the payload is a header of the request, and what Envoy's metadata has is a property.
import { expect, it } from "vitest";
import { FAILURE, TOKEN_METADATA } from "../../../contract/token-metadata.ts";
import { errorOf } from "../budgets/set-up.ts";
import {
  type Ask,
  KEY,
  keysPush,
  payloadHeader,
  recordOf,
  startWorkers,
  type Worker,
} from "./set-up.ts";

const ISSUER = "https://issuer.test";
const TOKEN = "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhIn0.c2lnbmF0dXJl";
const LISTENERS = `
listeners:
  egress:
    api_keys: [$TEAM_A]
    jwt:
      - issuer: ${ISSUER}
        audiences: [llm]
        jwks_uri: https://issuer.test/keys
        claims: {groups: groups, models: [may, use]}
      - issuer: https://second.test
        audiences: [llm]
        jwks_uri: https://second.test/keys
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

/** A request whose token Envoy has verified. */
function verified(claims: object = {}): Ask {
  return { headers: [payloadHeader({ iss: ISSUER, sub: "service", ...claims })] };
}

/** A request whose token Envoy has rejected, and left in place. */
function rejected(message: string, token = TOKEN, issuer = 0): Ask {
  const path = `metadata.filter_metadata.${TOKEN_METADATA}.${FAILURE}${String(issuer)}.message`;
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
  for (const claims of [{}, { groups: ["research"] }]) {
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

it("a session that ends rejects a token that all workers have seen", async () => {
  const workers = await startWorkers(2, {
    text: CONFIGURATION,
    adapt(model) {
      const tokens = (model.egress.tokens ?? []).map((issuer) => ({
        ...issuer,
        claims: { ...issuer.claims, session: ["sid"] },
      }));
      return { ...model, egress: { ...model.egress, tokens } };
    },
  });
  const [first] = workers;
  first?.push(isKnown);
  for (const worker of workers)
    expect(worker.try("", verified({ sid: "one" }))).toContain("503 The gateway does not know its");
  first?.push({ sessions: { "*": {} } });
  for (const sid of ["one", "two"]) {
    for (const worker of workers) expect(worker.try("", verified({ sid }))).toBe("200");
  }
  first?.push({ sessions: { one: {} } });
  for (const worker of workers) {
    expect(worker.try("", verified({ sid: "one" }))).toContain("401 The session of the token");
    expect(worker.try("", verified({ sid: "two" }))).toBe("200");
    expect(worker.try("", verified())).toMatch(/^403 .*'sid'/);
  }
});

it.each<[string, object, RegExp]>([
  ["no claims", {}, /^200/],
  ["groups and models", { groups: ["a", "research"], may: { use: ["openai/gpt"] } }, /^200/],
  ["texts", { groups: "research", may: { use: "openai/*" } }, /^200/],
  ["an empty list of groups", { groups: [] }, /^200/],
  ["32 groups", { groups: Array.from({ length: 32 }, () => "research") }, /^200/],
  ["33 groups", { groups: Array.from({ length: 33 }, () => "research") }, /^403 .*'groups'/],
  ["an empty group", { groups: "" }, /^403 .*'groups'/],
  ["a list with an empty group", { groups: ["research", "", "b"] }, /^403 .*'groups'/],
  ["a list with an item that is null", { groups: ["research", null] }, /^403 .*'groups'/],
  ["a list of null", { groups: [null] }, /^403 .*'groups'/],
  ["a number as group", { groups: 0 }, /^403 .*'groups'/],
  ["null as group", { groups: null }, /^403 .*'groups'/],
  ["an object as groups", { groups: {} }, /^403 .*'groups'/],
  ["a group with a comma", { groups: ["a,b"] }, /^403 .*'groups'/],
  ["a group with an escaped line break", { groups: ["a\nb"] }, /^403 .*'groups'/],
  ["a text in place of an object", { may: "openai/gpt" }, /^200/],
  ["an empty list of models", { may: { use: [] } }, /^403 .*may not be used/],
  ["an empty model", { may: { use: "" } }, /^403 .*'may\.use'/],
  ["a list with an empty model", { may: { use: ["openai/gpt", ""] } }, /^403 .*'may\.use'/],
  ["a list of null as models", { may: { use: [null] } }, /^403 .*'may\.use'/],
  ["a user of 200 bytes of JSON", { sub: '"'.repeat(99) + "ü" }, /^200/],
  ["a user of 201 bytes of JSON", { sub: '"'.repeat(100) + "u" }, /^403 .*'sub'/],
  ["an empty name", { sub: "" }, /^403 .*'sub'/],
])("a token with %s", async (_, claims, said) => {
  const worker = await started();
  worker.push(isKnown);
  expect(worker.try("", verified(claims))).toMatch(said);
});

it("a claim is read from any JSON, by its last member, with escapes and any letters", async () => {
  const worker = await started(`${CONFIGURATION}observability: {metrics: {address: 127.0.0.1}}\n`);
  worker.push(isKnown);
  const [name] = payloadHeader({});
  const json = ' {"sub":"no","\\u0073ub":"\\u00fc?>~é","groups":[ "research" ] , "x": [{}, 1e9]}';
  const payload = Buffer.from(json).toString("base64url");
  expect(payload).toMatch(/[-_]/);
  const asked = worker.ask("", { headers: [[name, payload]] });
  expect(asked.response.status).toBe(200);
  const user = Buffer.from("ü?>~é").toString("latin1");
  expect(recordOf(asked)).toMatchObject({ key: `jwt:${user}`, group: "research", user });
});

it.each([
  ["no base64", "e!"],
  ["no JSON", Buffer.from('{"sub":"a"').toString("base64url")],
  ["a list", Buffer.from('["sub"]').toString("base64url")],
])("a payload that is %s gets 403", async (_, payload) => {
  const worker = await started();
  worker.push(isKnown);
  const [name] = payloadHeader({});
  expect(worker.try("", { headers: [[name, payload]] })).toMatch(/^403 .*'sub'/);
});

it("two tokens with the same hash place, and one above 4 KiB, keep their own clients", async () => {
  const worker = await started(`${CONFIGURATION}observability: {metrics: {address: 127.0.0.1}}\n`);
  worker.push(isKnown);
  const nameOf = (claims: object) => recordOf(worker.ask("", verified(claims)))["key"];
  const filler = "x".repeat(5000);
  for (let round = 0; round < 2; round++) {
    // More than a worker keeps.
    for (let number = 0; number < 1500; number++)
      expect(nameOf({ sub: `s-${String(number)}` })).toBe(`jwt:s-${String(number)}`);
    expect(nameOf({ sub: "long", filler })).toBe("jwt:long");
    expect(nameOf({ sub: "other", filler })).toBe("jwt:other");
  }
}, 60_000);

it("the payload is not sent to a provider", async () => {
  const worker = await started();
  worker.push(isKnown);
  const [name, payload] = payloadHeader({ iss: ISSUER, sub: "service" });
  const asked = worker.ask("", { headers: [[name, payload]] });
  expect(asked.response.status).toBe(200);
  expect(asked.sent).toHaveLength(1);
  expect(JSON.stringify(asked.sent)).not.toContain(payload);
  expect(JSON.stringify(asked.sent)).not.toContain(name);
});

it("a rejected token of several issuers gets the reason of its own issuer", async () => {
  const worker = await started();
  worker.push(isKnown);
  const foreign = "Jwt issuer is not configured";
  for (const [first, second] of [
    ["Jwt is expired", foreign],
    [foreign, "Jwt is expired"],
  ] as const) {
    const properties = {
      ...rejected(first).input?.properties,
      ...rejected(second, TOKEN, 1).input?.properties,
    };
    const asked = worker.try("", { ...rejected(first), input: { properties } });
    expect(asked).toBe("401 The token has expired. Get a new one.");
  }
});

it("a group counts without keys and groups of the gateway too, in usage records alone", async () => {
  const text = CONFIGURATION.replace(/keys: \{\}\ngroups.*\n/, "");
  expect(text).not.toBe(CONFIGURATION);
  const worker = await started(`${text}observability: {metrics: {address: 127.0.0.1}}\n`);
  const asked = worker.ask("", verified({ groups: ["eu"], may: { use: ["openai/gpt"] } }));
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
  const second = rejected("Jwt issuer is not configured", TOKEN, 1);
  expect(sent(second)).toContain(TOKEN);
  const both = { ...second.input?.properties, ...rejected("Jwt is expired").input?.properties };
  expect(sent({ ...second, input: { properties: both } })).not.toContain(TOKEN);
  // Envoy does not look there.
  expect(sent({ headers: [["authorization", `BEARER ${TOKEN}`]] })).not.toContain(TOKEN);
});

it("rejected tokens need no memory", async () => {
  const worker = await started();
  worker.push(isKnown);
  const flood = (times: number) => {
    for (let i = 0; i < times; i++) worker.try("", rejected("Jwt header is bad"));
  };
  // Until the memory has its size.
  flood(1000);
  const before = worker.host.memorySize;
  flood(4000);
  expect(worker.host.memorySize).toBe(before);
}, 60_000);
