// The admin API of keys and groups: what requests do, and which of them are rejected.
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { setAuditSink } from "../../../../control-plane/admin/audit.ts";
import type { AuditEntry } from "../../../../control-plane/audit/audit-line.ts";
import { hashOf } from "../../../../control-plane/keys/key-records.ts";
import { type Desk, openDesk } from "./key-desk.ts";

const YAML = `
listeners:
  egress:
    api_keys: [{key: $TEAM_KEY, name: team}]
keys:
  defaults:
    models: [openai/gpt-4o]
    budget: {amount: 20 USD, per: month}
    expires_after: 90d
groups:
  research: {models: [anthropic/*]}
`;

let desk: Desk;
let entries: AuditEntry[];
beforeEach(async () => {
  desk = await openDesk(YAML);
  entries = [];
  setAuditSink((entry) => entries.push(entry));
});
afterEach(async () => {
  setAuditSink(undefined);
  await desk.close();
});

describe("a key", () => {
  it("a key is shown once, and has the defaults that its creator did not set", async () => {
    const { status, body } = await desk.ask("POST", "/keys", {
      name: "ann-laptop",
      owner: "ann@example.com",
    });
    expect(status).toBe(201);
    expect(body.key).toMatch(/^gwk_[\w-]{43}$/);
    expect(body).toMatchObject({
      name: "ann-laptop",
      status: "active",
      models: ["openai/gpt-4o"],
      budget: [{ amount: "20 USD", per: "month" }],
      created_by: "ann",
      version: 1,
    });
    expect(Date.parse(body.expires) - Date.parse(body.created)).toBe(90 * 86_400_000);
    const shown = await desk.ask("GET", `/keys/${body.id}`);
    expect(JSON.stringify(shown.body)).not.toContain(body.key);
    expect(shown.headers.get("etag")).toBe('"1"');
  });

  it("a key has no limit where its creator sets null, and the models of its groups", async () => {
    const { body } = await desk.ask("POST", "/keys", {
      name: "free",
      groups: ["research"],
      budget: null,
      expires: null,
    });
    expect(body).not.toHaveProperty("models");
    expect(body).not.toHaveProperty("budget");
    expect(body).not.toHaveProperty("expires");
    expect((await desk.ask("GET", "/groups/research")).body).toMatchObject({
      keys: 1,
      source: "configuration",
    });
  });

  it("a key is changed only in the version that the change is for", async () => {
    const { body } = await desk.ask("POST", "/keys", { name: "one" });
    const first = await desk.ask("PATCH", `/keys/${body.id}`, { disabled: true, version: 1 });
    expect(first.body).toMatchObject({ status: "disabled", version: 2 });
    const second = await desk.ask("PATCH", `/keys/one`, { disabled: false }, { "if-match": '"1"' });
    expect(second.status).toBe(412);
    const third = await desk.ask(
      "PATCH",
      `/keys/one`,
      { owner: "bob", budget: null },
      { "if-match": '"2"' },
    );
    expect(third.body).toMatchObject({ owner: "bob", version: 3 });
    expect(third.body).not.toHaveProperty("budget");
  });

  it("a key rotates with a grace period, and a second rotation ends the first one's", async () => {
    const { body } = await desk.ask("POST", "/keys", { name: "one" });
    const next = await desk.ask("POST", "/keys/one/rotate", { grace: "24h" });
    expect(next.body.key).not.toBe(body.key);
    expect(next.body.old_key_valid_until).toBeDefined();
    await desk.ask("POST", "/keys/one/rotate", {});
    const { previous = [] } = desk.keys.get("one");
    expect(previous.every(({ until }) => until <= Date.now())).toBe(true);
  });

  it("a key is revoked for good, and its name is free again", async () => {
    const { body } = await desk.ask("POST", "/keys", { name: "one" });
    expect((await desk.ask("DELETE", "/keys/one")).body.status).toBe("revoked");
    expect((await desk.ask("PATCH", `/keys/${body.id}`, { disabled: false })).status).toBe(409);
    expect((await desk.ask("POST", "/keys", { name: "one" })).status).toBe(201);
    expect((await desk.ask("GET", "/keys")).body.data).toHaveLength(1);
    expect((await desk.ask("GET", "/keys?status=revoked")).body.data).toHaveLength(1);
  });

  it("a key has a name that no other key has, of the configuration either", async () => {
    await desk.ask("POST", "/keys", { name: "one" });
    for (const name of ["one", "team"]) {
      const { status, body } = await desk.ask("POST", "/keys", { name });
      expect(status).toBe(409);
      expect(body.error.message).toContain(name);
    }
  });
});

it("a list has pages, and is searched by name, owner, group and status", async () => {
  for (const [at, name] of ["b", "c", "a", "d", "e"].entries())
    await desk.ask("POST", "/keys", {
      name,
      owner: at % 2 === 0 ? "Ann" : "bob",
      ...(name === "d" ? { groups: ["research"] } : {}),
    });
  const names: string[] = [];
  let after = "";
  for (let pages = 0; pages < 3; pages++) {
    const { body } = await desk.ask("GET", `/keys?limit=2${after}`);
    names.push(...body.data.map(({ name }) => name));
    after = `&after=${body.next}`;
    if (body.next === undefined) break;
  }
  expect(names).toEqual(["a", "b", "c", "d", "e"]);
  const find = async (query: string) =>
    (await desk.ask("GET", `/keys?${query}`)).body.data.map(({ name }) => name);
  expect(await find("search=ANN")).toEqual(["a", "b", "e"]);
  expect(await find("search=%25")).toEqual([]);
  expect(await find("owner=bob")).toEqual(["c", "d"]);
  expect(await find("group=research")).toEqual(["d"]);
  expect(await find("status=expired")).toEqual([]);
});

it("a group is created, changed, and deleted when it has no keys", async () => {
  expect(
    (
      await desk.ask("POST", "/groups", {
        name: "ops",
        ratelimits: [{ requests: 5, unit: "minute" }],
      })
    ).status,
  ).toBe(201);
  expect((await desk.ask("POST", "/groups", { name: "ops" })).status).toBe(409);
  expect((await desk.ask("POST", "/groups", { name: "research" })).status).toBe(409);
  expect((await desk.ask("PATCH", "/groups/research", { models: null })).status).toBe(409);
  await desk.ask("POST", "/keys", { name: "one", groups: ["ops"] });
  expect((await desk.ask("DELETE", "/groups/ops")).status).toBe(409);
  const changed = await desk.ask("PATCH", "/groups/ops", {
    budget: [{ amount: "5 USD", per: "day" }],
  });
  expect(changed.body).toMatchObject({
    budget: [{ amount: "5 USD", per: "day" }],
    version: 2,
    keys: 1,
  });
  await desk.ask("DELETE", "/keys/one");
  expect(["ops", "research"].map((name) => desk.keys.groups.hasCreated(name))).toEqual([
    true,
    false,
  ]);
  expect((await desk.ask("DELETE", "/groups/ops")).status).toBe(200);
  expect(desk.keys.groups.hasCreated("ops")).toBe(false);
  expect((await desk.ask("GET", "/groups/ops")).status).toBe(404);
  expect((await desk.ask("POST", "/groups", { name: "ops" })).status).toBe(201);
});

it("a user's limits are set, changed and removed, whatever keys the user has", async () => {
  const ann = "/users/ann%40example.com";
  const budget = [{ amount: "5 USD", per: "month" }];
  await desk.ask("POST", "/keys", { name: "one", owner: "ann@example.com" });
  const created = await desk.ask("POST", "/users", { name: "ann@example.com", budget });
  expect([created.status, created.body]).toMatchObject([201, { budget, keys: 1, source: "api" }]);
  expect((await desk.ask("POST", "/users", { name: "ann@example.com" })).status).toBe(409);
  expect((await desk.ask("POST", "/users", { name: "ann,bob" })).body.error.fields).toMatchObject([
    { field: "name" },
  ]);
  const ofUsers = () =>
    desk.keys.budgets().filter(({ subject }) => subject !== "all" && "user" in subject);
  expect(ofUsers()).toMatchObject([{ subject: { user: "ann@example.com" }, per: "month" }]);
  // A group of that name is something else.
  expect((await desk.ask("GET", "/groups")).body.data).not.toContainEqual(
    expect.objectContaining({ name: expect.stringContaining("ann") as string }),
  );
  const changed = await desk.ask("PATCH", ann, { budget: null, models: ["openai/*"] });
  expect(changed.body).toMatchObject({ models: ["openai/*"], version: 2 });
  expect(ofUsers()).toEqual([]);
  expect((await desk.ask("DELETE", ann)).status).toBe(200);
  expect((await desk.ask("GET", ann)).status).toBe(404);
  expect((await desk.ask("GET", "/keys/one")).body.status).toBe("active");
});

it.each([
  [{ name: "a b" }, "name"],
  [{ name: "x", models: [] }, "models"],
  [{ name: "x", models: ["gpt-5"] }, "models[0]"],
  [{ name: "x", groups: ["nobody"] }, "groups[0]"],
  [{ name: "x", budget: [{ amount: "5 EUR", per: "day" }] }, "budget[0].amount"],
  [
    {
      name: "x",
      budget: [
        { amount: "5 USD", per: "day" },
        { amount: "6 USD", per: "day" },
      ],
    },
    "budget",
  ],
  [{ name: "x", ratelimits: [{ unit: "minute" }] }, "ratelimits[0]"],
  [{ name: "x", expires: "soon" }, "expires"],
  [{ name: "x", key: "sk-my-own" }, "key"],
  [{ name: "x", owner: "a\u0000b" }, "owner"],
])("an invalid member is named: %j", async (body, field) => {
  const response = await desk.ask("POST", "/keys", body);
  expect(response.status).toBe(400);
  expect(response.body.error.fields.map((one) => one.field)).toEqual([field]);
  expect(JSON.stringify(response.body)).not.toContain("sk-my-own");
});

it("anything that is no request of the API is rejected with a reason", async () => {
  expect((await desk.ask("POST", "/keys", "{")).status).toBe(400);
  expect((await desk.ask("POST", "/keys", "{}", { "content-type": "text/plain" })).status).toBe(
    400,
  );
  expect(
    (await desk.ask("POST", "/keys", JSON.stringify({ name: "x".repeat(2 ** 20) }))).status,
  ).toBe(413);
  expect((await desk.ask("PUT", "/keys/one")).status).toBe(404);
  expect((await desk.ask("GET", "/keys/key_0")).status).toBe(404);
  expect((await desk.ask("GET", "/keys?limit=1000000")).status).toBe(400);
  expect((await desk.ask("GET", "/keys?after=zzz")).status).toBe(400);
  expect((await desk.ask("GET", "/keys?nothing=1")).status).toBe(400);
});

it("random JSON is never an internal error", async () => {
  let seed = 42;
  const random = (count: number) => (seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31) % count;
  const value = (depth: number): unknown => {
    const kinds = [null, true, 0, -1, 1e308, "", "x", "research", "\u0000", "5 USD", "🦊"];
    if (depth === 0 || random(3) === 0) return kinds[random(kinds.length)];
    if (random(2) === 0) return Array.from({ length: random(4) }, () => value(depth - 1));
    const names = [
      "name",
      "owner",
      "groups",
      "models",
      "ratelimits",
      "budget",
      "expires",
      "metadata",
      "__proto__",
      "version",
    ];
    return Object.fromEntries(
      Array.from({ length: random(5) }, () => [names[random(names.length)], value(depth - 1)]),
    );
  };
  const paths = [
    "/keys",
    "/keys/import",
    "/keys/one",
    "/keys/one/rotate",
    "/groups",
    "/groups/research",
    "/groups/%00",
  ];
  for (let round = 0; round < 1_000; round++) {
    const method = ["POST", "PATCH", "DELETE"][random(3)] ?? "POST";
    const { status, body } = await desk.ask(method, paths[random(paths.length)] ?? "", value(4));
    expect(status, JSON.stringify(body)).toBeLessThan(500);
  }
});

it("no key is in the file, in the log, or in an audit entry; neither is a hash in an entry", async () => {
  const { body } = await desk.ask("POST", "/keys", { name: "one" });
  const { body: rotated } = await desk.ask("POST", "/keys/one/rotate", { grace: "1h" });
  await desk.ask("PATCH", "/keys/one", { disabled: true });
  await desk.ask("DELETE", "/keys/one");
  expect(entries.map(({ action }) => action)).toEqual([
    "keys.create",
    "keys.rotate",
    "keys.update",
    "keys.revoke",
  ]);
  const files = readdirSync(desk.directory).map((name) =>
    readFileSync(join(desk.directory, name), "latin1"),
  );
  for (const { key } of [body, rotated]) {
    for (const text of [...files, ...desk.lines, JSON.stringify(entries)])
      expect(text).not.toContain(key.slice(4, 30));
    expect(JSON.stringify(entries)).not.toContain(hashOf(key));
  }
});

it("an import takes keys by their hashes, all or none", async () => {
  const hash = hashOf("sk-1234");
  const one = {
    name: "old",
    hash,
    hint: "sk-...1234",
    models: ["not-configured"],
    groups: ["new"],
  };
  const { status, body } = await desk.ask("POST", "/keys/import", {
    keys: [one],
    groups: [{ name: "new" }],
  });
  expect([status, body]).toEqual([201, { keys: 1, groups: 1, unchanged: 0 }]);
  expect((await desk.ask("GET", "/keys/old")).body).toMatchObject({
    hint: "sk-...1234",
    models: ["not-configured"],
  });
  const again = await desk.ask("POST", "/keys/import", {
    keys: [
      { ...one, name: "fresh", hash: hashOf("x") },
      { ...one, name: "twin" },
    ],
  });
  expect(again.status).toBe(409);
  expect((await desk.ask("GET", "/keys/fresh")).status).toBe(404);
});

it("a user's name has at most 200 bytes of JSON", async () => {
  const create = (name: string) => desk.ask("POST", "/users", { name });
  const rejected = await create(`CORP\\${"a".repeat(195)}`);
  expect(rejected.status).toBe(400);
  expect(rejected.body.error.fields).toMatchObject([{ field: "name" }]);
  expect((await create(`CORP\\${"a".repeat(194)}`)).status).toBe(201);
});

it("a user is no group whose name begins with `user`", async () => {
  await desk.ask("POST", "/users", { name: "ann" });
  expect((await desk.ask("GET", "/groups/user%20ann")).status).toBe(404);
  expect((await desk.ask("GET", "/users/ann")).status).toBe(200);
  expect([desk.keys.groups.hasCreated("user ann"), desk.keys.users.hasCreated("ann")]).toEqual([
    false,
    true,
  ]);
});

it.each([
  ["expires", { expires: "1969-12-31" }, "expires"],
  ["a time that is over", { expires: "2020-01-01" }, "expires"],
  ["an owner that takes more bytes as JSON", { owner: '"'.repeat(101) }, "owner"],
  [
    "a model of more bytes than characters",
    { models: ["anthropic/" + "é".repeat(150)] },
    "models[0]",
  ],
  ["a row of more than 16 KiB", { groups: ["research"], models: many(150) }, "models"],
])("a change that Envoy would reject is rejected: %s", async (_, members, field) => {
  const created = await desk.ask("POST", "/keys", { name: "one", ...members });
  expect([created.status, created.body.error.fields[0]?.field]).toEqual([400, field]);
  await desk.ask("POST", "/keys", { name: "two" });
  const changed = await desk.ask("PATCH", "/keys/two", members);
  expect([changed.status, changed.body.error.fields[0]?.field]).toEqual([400, field]);
  expect((await desk.ask("GET", "/keys/two")).body).toMatchObject({ version: 1 });
});

it("an import that Envoy would reject names the key and the member", async () => {
  const { status, body } = await desk.ask("POST", "/keys/import", {
    keys: [
      { name: "one", hash: hashOf("1"), expires: "2020-01-01" },
      { name: "two", hash: hashOf("2"), owner: '"'.repeat(101) },
    ],
  });
  expect([status, body.error.fields[0]?.field]).toEqual([400, "keys[1].owner"]);
});

it("an import that is made again creates what is missing, and counts what was spent once", async () => {
  const key = (at: number) => ({ name: `key-${String(at)}`, hash: hashOf(String(at)) });
  const groups = [{ name: "new", models: ["a"], budget: [{ amount: "5 USD", per: "day" }] }];
  const spent = [0, 1, 2].map((at) => ({ key: `key-${String(at)}`, dollars: 1 }));
  desk.storesSpent = false;
  const first = await desk.ask("POST", "/keys/import", { keys: [key(0), key(1)], groups, spent });
  expect([first.status, first.body.error.message]).toEqual([
    503,
    expect.stringContaining("Send the same import again"),
  ]);
  desk.storesSpent = true;
  const body = { keys: [key(0), key(1), key(2)], groups, spent };
  const second = await desk.ask("POST", "/keys/import", body);
  expect(second).toMatchObject({ status: 201, body: { keys: 1, groups: 0, unchanged: 3 } });
  await desk.ask("POST", "/keys/import", body);
  expect(desk.spent.map(({ key: name }) => name)).toEqual(["key-0", "key-1", "key-2"]);
  const changed = { keys: [{ ...key(0), hash: hashOf("other") }] };
  expect((await desk.ask("POST", "/keys/import", changed)).status).toBe(409);
});

it("an import of 500 keys is a few lines of the audit log, which have every key", async () => {
  const keys = Array.from({ length: 500 }, (_, at) => ({
    ...{ name: `key-${String(at)}`, hash: hashOf(String(at)) },
  }));
  expect((await desk.ask("POST", "/keys/import", { keys })).status).toBe(201);
  expect(entries.length).toBeLessThan(5);
  for (const entry of entries) expect(JSON.stringify(entry.after).length).toBeLessThan(65_536);
  const views = entries.flatMap(({ after }) => after as { name: string }[]);
  expect(views.map(({ name }) => name)).toEqual(keys.map(({ name }) => name));
});

it.each([
  ["name", "1", "2", "one", "one"],
  ["key", "1", "1", "one", "two"],
])("an import with one %s twice is rejected", async (_, first, second, name, other) => {
  const { status } = await desk.ask("POST", "/keys/import", {
    keys: [
      { name, hash: hashOf(first) },
      { name: other, hash: hashOf(second) },
    ],
  });
  expect(status).toBe(409);
  expect((await desk.ask("GET", "/keys")).body.data).toEqual([]);
});

it("the OpenAPI document has every operation", async () => {
  const { body } = await desk.ask("GET", "/openapi.json");
  expect(body.openapi).toBe("3.1.0");
  const operations = Object.entries(body.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method} ${path}`),
  );
  expect(operations).toHaveLength(19);
  expect(
    body.paths["/api/v1/keys"]?.["post"]?.requestBody.content["application/json"]?.schema
      .properties,
  ).toHaveProperty("budget");
});

function many(count: number): string[] {
  return Array.from({ length: count }, (_, at) => `anthropic/${"x".repeat(110)}${String(at)}`);
}
