// People without the role `operator` see and change their own keys, and create keys in their groups.
import { Hono } from "hono";
import { expect, it } from "vitest";
import { setActor } from "../../../../../control-plane/admin/actor.ts";
import type { Role } from "../../../../../control-plane/admin/actor.ts";
import { limitToOwn } from "../../../../../control-plane/observability/sign-in/own-keys.ts";

const OWNERS: Readonly<Record<string, string>> = { key_a: "ann", key_b: "bob" };
const MAX_KEYS = 2;

function open(name: string, roles: Role[], groups: string[] = []) {
  const changes: unknown[] = [];
  const created: unknown[] = [];
  const app = new Hono();
  app.use(async (context, next) => {
    setActor(context, { kind: "user", name, roles, groups });
    await next();
  });
  limitToOwn(app, MAX_KEYS);
  app.get("/api/v1/keys", (context) => context.json({ query: context.req.query(), data: created }));
  app.post("/api/v1/keys", async (context) => {
    const body: unknown = await context.req.json();
    created.push(body);
    return context.json(body, 201);
  });
  app.get("/api/v1/keys/:id", (context) => {
    const id = context.req.param("id");
    return context.json({ id, owner: OWNERS[id] });
  });
  app.on(["PATCH", "POST", "DELETE"], "/api/v1/keys/:id/:action?", async (context) => {
    changes.push(`${context.req.method} ${context.req.path} ${await context.req.text()}`);
    return context.json({});
  });
  app.get("/api/v1/groups", (context) =>
    context.json({ data: [{ name: "red" }, { name: "blue" }] }),
  );
  app.get("/api/v1/groups/:name", (context) => context.json({ name: context.req.param("name") }));
  const ask = (method: string, path: string, body?: object) =>
    app.request(`http://gateway/api/v1/${path}`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  return { ask, changes };
}

it("a person lists the own keys only, whatever the query asks for", async () => {
  const { ask } = open("ann", ["viewer"]);
  expect(await (await ask("GET", "keys?owner=bob&limit=5")).json()).toEqual({
    query: { owner: "ann", limit: "5" },
    data: [],
  });
  expect((await ask("GET", "keys/key_a")).status).toBe(200);
  expect((await ask("GET", "keys/key_b")).status).toBe(404);
});

it("a person changes the own keys only, and not their limits", async () => {
  const { ask, changes } = open("ann", []);
  expect((await ask("POST", "keys/key_a/rotate", { grace: "1h" })).status).toBe(200);
  expect((await ask("PATCH", "keys/key_a", { disabled: true })).status).toBe(200);
  expect((await ask("DELETE", "keys/key_a")).status).toBe(200);
  const allowed = [...changes];
  expect(allowed).toEqual([
    'POST /api/v1/keys/key_a/rotate {"grace":"1h"}',
    'PATCH /api/v1/keys/key_a {"disabled":true}',
    "DELETE /api/v1/keys/key_a ",
  ]);
  expect((await ask("PATCH", "keys/key_a", { models: ["*"] })).status).toBe(403);
  expect((await ask("PATCH", "keys/key_a", { owner: "bob" })).status).toBe(403);
  for (const [method, path] of [
    ["DELETE", "keys/key_b"],
    ["PATCH", "keys/key_b"],
    ["POST", "keys/key_b/rotate"],
    ["POST", "keys/import"],
  ] as const)
    expect((await ask(method, path)).status, `${method} ${path}`).toBe(404);
  expect(changes).toEqual(allowed);
});

it("a person creates keys in the own groups, as their owner", async () => {
  const { ask } = open("ann", [], ["red"]);
  const created = await ask("POST", "keys", { name: "laptop", groups: ["red"], owner: "bob" });
  expect(created.status).toBe(201);
  expect(await created.json()).toEqual({ name: "laptop", groups: ["red"], owner: "ann" });
  for (const body of [
    { name: "x" },
    { name: "x", groups: [] },
    { name: "x", groups: ["blue"] },
    { name: "x", groups: ["red", "blue"] },
    { name: "x", groups: ["red"], models: ["*"] },
    { name: "x", groups: ["red"], budget: { amount: "1 USD", per: "day" } },
    { name: "x", groups: ["red"], expires: "10000d" },
  ])
    expect((await ask("POST", "keys", body)).status, JSON.stringify(body)).toBe(403);
});

it("a person cannot enable a key that was disabled", async () => {
  const { ask, changes } = open("ann", []);
  for (const disabled of [false, null, 0, "true"])
    expect((await ask("PATCH", "keys/key_a", { disabled })).status).toBe(403);
  expect(changes).toEqual([]);
});

it("a person has at most a number of keys, also by requests at the same time", async () => {
  const { ask } = open("ann", [], ["red"]);
  const results = await Promise.all(
    ["a", "b", "c", "d"].map(async (name) => ask("POST", "keys", { name, groups: ["red"] })),
  );
  expect(results.map(({ status }) => status)).toEqual([201, 201, 403, 403]);
  expect(await results[3]?.text()).toContain("max_keys");
});

it("a person reads the own groups only", async () => {
  const { ask } = open("ann", ["viewer"], ["red"]);
  expect(await (await ask("GET", "groups")).json()).toEqual({ data: [{ name: "red" }] });
  expect((await ask("GET", "groups/red")).status).toBe(200);
  expect((await ask("GET", "groups/blue")).status).toBe(403);
});

it("a body of a person is limited to 64 KiB, and one of an administrator is not", async () => {
  const body = { name: "x", groups: ["red"], metadata: { note: "x".repeat(70_000) } };
  expect((await open("ann", [], ["red"]).ask("POST", "keys", body)).status).toBe(413);
  expect((await open("olga", ["admin"]).ask("POST", "keys", body)).status).toBe(201);
});

it("an operator is not limited", async () => {
  const { ask, changes } = open("olga", ["operator"]);
  expect(await (await ask("GET", "keys?owner=bob")).json()).toMatchObject({
    query: { owner: "bob" },
  });
  expect((await ask("DELETE", "keys/key_b")).status).toBe(200);
  expect(changes).toHaveLength(1);
});
