// What the page's data has of budgets and spend, and what a person without the role `viewer` sees of it.
import { Hono } from "hono";
import { expect, it } from "vitest";
import { setActor } from "../../../../control-plane/admin/actor.ts";
import type { Role } from "../../../../control-plane/admin/actor.ts";
import type { BudgetGauge } from "../../../../control-plane/observability/envoy-stats.ts";
import type { History } from "../../../../control-plane/observability/history/history.ts";
import { addPage } from "../../../../control-plane/observability/page/page-routes.ts";
import type { PageSource } from "../../../../control-plane/observability/page/page-routes.ts";

const PAGE = 100;

const budget = (kind: "key" | "group" | "user" | "model", name: string): BudgetGauge => ({
  ...{ name: `${kind} ${name} a month`, subject: { kind, name }, per: "month" },
  ...{ limit: 50, spent: 12, resets: 1_000 },
});
const ALL: BudgetGauge = { name: "all requests in total", per: "total", limit: 9, spent: 1 };

/** @param owned how many keys the person has; isKnown: whether there are callers that the gateway knows */
function open({
  roles = [] as Role[],
  groups = ["red"],
  owned = 1,
  ofKeys = [] as BudgetGauge[],
  isKnown = true,
} = {}) {
  const app = new Hono();
  app.use(async (context, next) => {
    if (isKnown) setActor(context, { kind: "user", name: "ann", roles, groups });
    await next();
  });
  app.get("/api/v1/keys", (context) => {
    const first = Number(context.req.query("after") ?? 0);
    const end = Math.min(first + PAGE, owned);
    const data = Array.from({ length: end - first }, (_, at) => ({
      name: `k${String(first + at)}`,
    }));
    return context.json({ data, ...(end < owned ? { next: String(end) } : {}) });
  });
  const asked: unknown[] = [];
  const statement = () => ({ all: (...values: unknown[]) => (asked.push(...values), []) });
  const history = { overPeriods: (work: (file: object) => unknown) => work({ statement }) };
  addPage(app, {
    model: () => undefined,
    budgets: () => [ALL, budget("model", "a")],
    keyBudgets: () => ofKeys,
    parts: () => ({ history: history as unknown as History }) as ReturnType<PageSource["parts"]>,
    contentLog: () => undefined,
    now: () => 0,
  });
  const ask = async (path: string) => {
    const response = await app.request(`http://gateway/api/${path}`);
    const text = await response.text();
    return { status: response.status, body: response.ok ? (JSON.parse(text) as unknown) : text };
  };
  const names = async (path: string) =>
    ((await ask(path)).body as BudgetGauge[]).map(({ name }) => name);
  return { ask, names, asked };
}

const OF_KEYS = [
  budget("key", "k0"),
  budget("key", "k9"),
  budget("group", "red"),
  budget("group", "blue"),
  budget("user", "ann"),
];

it("budgets of keys, groups and users are shown with those of the configuration", async () => {
  const { ask, names } = open({ roles: ["viewer"], ofKeys: OF_KEYS });
  expect((await ask("budgets")).body).toEqual([ALL, budget("model", "a"), ...OF_KEYS]);
  expect(await names("budgets?kind=key&name=k9&name=none")).toEqual(["key k9 a month"]);
  expect(await names("budgets?kind=group")).toEqual(["group red a month", "group blue a month"]);
  expect((await ask("budgets?name=k9")).status).toBe(400);
});

it("no more than a thousand budgets of keys are shown", async () => {
  const ofKeys = Array.from({ length: 1_500 }, (_, at) => budget("key", `k${String(at)}`));
  const { names } = open({ roles: ["viewer"], ofKeys });
  expect(await names("budgets")).toHaveLength(1_002);
  expect(await names("budgets?kind=key&name=k1499")).toEqual(["key k1499 a month"]);
});

it("a person sees the budgets of the own name, groups and keys", async () => {
  const { names } = open({ ofKeys: OF_KEYS });
  expect(await names("budgets")).toEqual([
    "key k0 a month",
    "group red a month",
    "user ann a month",
  ]);
});

it("the spend of a person has all of the own keys, not only the first page", async () => {
  const { ask, asked } = open({ owned: 250 });
  expect((await ask("spend?by=key")).status).toBe(200);
  const own = asked.find((value) => typeof value === "string" && value.startsWith("["));
  expect(JSON.parse(String(own))).toHaveLength(250);
});

it("spend is of at most 400 days", async () => {
  const { ask } = open({ roles: ["viewer"] });
  expect((await ask("spend?days=400")).status).toBe(200);
  expect((await ask("spend?days=401")).status).toBe(400);
});

it.each([
  { roles: [], groups: [], isKnown: true, can: ["changeOwnKeys"] },
  { roles: ["viewer"], groups: [], isKnown: true, can: ["seeLive", "changeOwnKeys"] },
  { roles: [], groups: ["red"], isKnown: true, can: ["changeOwnKeys", "createKeys"] },
  {
    ...{ roles: ["operator"], groups: [], isKnown: true },
    can: [
      "seeLive",
      "seeStories",
      "usePlayground",
      "endSessions",
      "changeAllKeys",
      "changeOwnKeys",
      "createKeys",
    ],
  },
  {
    ...{ roles: ["admin"], groups: [], isKnown: true },
    can: [
      ...[
        "seeLive",
        "seeStories",
        "usePlayground",
        "endSessions",
        "changeAllKeys",
        "changeOwnKeys",
        "createKeys",
      ],
      "changeGroups",
    ],
  },
  // Without a token and people, the admin API changes nothing.
  { roles: [], groups: [], isKnown: false, can: ["seeLive", "seeStories", "usePlayground"] },
] satisfies { roles: Role[]; groups: string[]; isKnown: boolean; can: string[] }[])(
  "the page offers to $roles in $groups (known: $isKnown) what the admin API accepts",
  async ({ can, ...person }) => {
    const me = (await open(person).ask("me")).body as { can: Record<string, boolean> };
    expect(Object.keys(me.can).filter((name) => me.can[name])).toEqual(can);
  },
);
