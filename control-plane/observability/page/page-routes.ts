// The live page: its documents, its files, and the data that its scripts ask for.
import type { Context, Hono } from "hono";
import { keyNames } from "../../../model/client-keys.ts";
import type { GatewayModel } from "../../../model/model.ts";
import { actorOf } from "../../admin/actor.ts";
import { hasRole, neededRole } from "../../admin/permissions.ts";
import { readAs } from "../../admin/read-as.ts";
import type { BudgetGauge } from "../envoy-stats.ts";
import { contentOf } from "../history/request-content.ts";
import { storyOf } from "../history/story.ts";
import { RANGES, spendBy, summaryOf } from "../history/summary.ts";
import type { Range } from "../history/summary.ts";
import type { Live } from "../live/live.ts";
import { viewOf } from "../live/row.ts";
import { addPlayground, playgroundSettings } from "../playground/playground.ts";
import { ASSETS } from "./assets.ts";
import { searchRequests } from "./search.ts";
import { addSessions } from "./page-sessions.ts";
import type { SessionParts } from "./page-sessions.ts";
import { shell } from "./shell.ts";

/** What the page shows. Undefined parts do not exist yet, or no longer. */
export interface PageSource {
  model: () => GatewayModel | undefined;
  /** Returns what was spent on each budget of the configuration. */
  budgets: () => BudgetGauge[];
  /** The same of keys, groups and users at run time: there may be a hundred thousand. Absent: there are none. */
  keyBudgets?: (() => BudgetGauge[]) | undefined;
  parts: () => (SessionParts & { live: Live }) | undefined;
  /** Returns the path of access_content.log; undefined if no bodies are written. */
  contentLog: () => string | undefined;
  /** Milliseconds since 1970. */
  now: () => number;
}

const FOREVER = "public, max-age=31536000, immutable";
/** The longest request id that is looked up. */
const MAX_ID = 200;
/** Names that a request may ask for. */
const MAX_NAMES = 100;
/** Budgets of keys, groups and users in a response. */
const MAX_BUDGETS = 1_000;
/** Pages of a person's own keys, of 100 each. */
const MAX_KEY_PAGES = 100;
/** The longest retention of sums. */
const MAX_DAYS = 400;
const UNAVAILABLE = "The gateway is starting or stopping.\n";

/** Adds the routes. */
export function addPage(app: Hono, source: PageSource): void {
  app.get("/", (context) => context.html(shell("live")));
  app.get("/requests/:id", (context) => context.html(shell("story")));
  app.get("/sessions", (context) => context.html(shell("sessions")));
  app.get("/sessions/:id", (context) => context.html(shell("session")));
  app.get("/playground", (context) => context.html(shell("playground")));
  app.get("/keys", (context) => context.html(shell("keys")));
  app.get("/assets/:hash/:name", (context) => {
    const { hash, name } = context.req.param();
    const asset = ASSETS.find(hash, name);
    if (asset === undefined) return context.notFound();
    return context.body(asset.zipped, 200, {
      "content-type": asset.type,
      "content-encoding": "gzip",
      "cache-control": FOREVER,
    });
  });
  addOwn(app);
  addBudgets(app, source);
  addData(app, source);
  addSessions(app, source.parts, source.now);
  addPlayground(app, source.model);
}

/** Adds what a person sees of the own account. Without a token and people, everybody may see everything, and nobody changes keys. */
function addOwn(app: Hono): void {
  app.get("/api/me", (context) => {
    const actor = actorOf(context);
    const isOperator = actor !== undefined && hasRole(actor, "operator");
    const may = (method: string, path: string) =>
      actor === undefined || hasRole(actor, neededRole(method, path));
    return context.json({
      kind: actor?.kind,
      name: actor?.name,
      roles: actor?.roles ?? [],
      groups: actor?.groups ?? [],
      can: {
        seeLive: may("GET", "/"),
        seeStories: may("GET", "/requests/id"),
        usePlayground: may("GET", "/playground"),
        endSessions: isOperator,
        changeAllKeys: isOperator,
        changeOwnKeys: actor !== undefined,
        // A person's key is in one of the own groups.
        createKeys: isOperator || (actor?.groups ?? []).length > 0,
        changeGroups: actor !== undefined && may("POST", "/api/v1/groups"),
      },
    });
  });
}

/** Adds what was spent on budgets; `kind` and `name` choose some. A person who may not see all gets the own ones. */
function addBudgets(app: Hono, { budgets, keyBudgets }: PageSource): void {
  app.get("/api/budgets", async (context) => {
    const kind = context.req.query("kind");
    const names = context.req.queries("name");
    if ((names?.length ?? 0) > MAX_NAMES || (names !== undefined && kind === undefined))
      return context.text("name needs kind, and there are at most 100 names.\n", 400);
    const isAll = seesAll(context);
    const own = new Map<string, Set<string>>();
    for (const subject of isAll ? [] : SUBJECTS) {
      if (kind !== undefined && kind !== subject) continue;
      const found = await ownNames(app, context, subject);
      if (found === undefined) return context.text("The own keys cannot be read.\n", 503);
      own.set(subject, new Set(found));
    }
    const asked = names && new Set(names);
    const isShown = ({ subject }: BudgetGauge) => {
      if (kind !== undefined && subject?.kind !== kind) return false;
      if (asked?.has(subject?.name ?? "") === false) return false;
      return isAll || (subject !== undefined && own.get(subject.kind)?.has(subject.name) === true);
    };
    const ofKeys = (keyBudgets?.() ?? []).filter(isShown).slice(0, MAX_BUDGETS);
    return context.json([...budgets().filter(isShown), ...ofKeys]);
  });
}

function addData(app: Hono, { model, parts, contentLog, now }: PageSource): void {
  app.get("/api/live", (context) => {
    const found = parts();
    if (found === undefined) return context.text(UNAVAILABLE, 503);
    const events = found.live.subscribe();
    if (events === undefined) return context.text("Too many browsers are connected.\n", 503);
    return context.body(events, 200, { "content-type": "text/event-stream" });
  });
  app.get("/api/history", (context) => {
    const found = parts();
    if (found === undefined) return context.text(UNAVAILABLE, 503);
    const { range = "1h", model: name, key } = context.req.query();
    if (!isRange(range)) return context.text("The range is not known.\n", 400);
    return context.json(summaryOf(found.history, { range, model: name, key }, now() / 1000));
  });
  app.get("/api/spend", async (context) => {
    const found = parts();
    if (found === undefined) return context.text(UNAVAILABLE, 503);
    const { by = "key", days = "30" } = context.req.query();
    if (!isSubject(by) || !/^[1-9]\d{0,2}$/.test(days) || Number(days) > MAX_DAYS)
      return context.text(`by is key, user or group, and days 1 to ${String(MAX_DAYS)}.\n`, 400);
    const isAll = seesAll(context);
    const names = isAll ? undefined : await ownNames(app, context, by);
    if (!isAll && names === undefined) return context.text("The own keys cannot be read.\n", 503);
    return context.json(spendBy(found.history, { by, days: Number(days), names }, now() / 1000));
  });
  app.get("/api/requests", (context) => {
    const found = parts();
    if (found === undefined) return context.text(UNAVAILABLE, 503);
    return context.json(searchRequests(found.history, found.observe, context.req.query()));
  });
  app.get("/api/requests/:id", (context) => {
    const found = parts();
    if (found === undefined) return context.text(UNAVAILABLE, 503);
    const id = context.req.param("id").slice(0, MAX_ID);
    const requests = storyOf(found.history, found.observe, id).map(viewOf);
    const log = contentLog();
    const content = log === undefined ? undefined : contentOf(log, id);
    const { problem } = found.history;
    return context.json({ id, requests, hasContent: log !== undefined, content, problem });
  });
  app.get("/api/settings", (context) => {
    const active = model();
    if (active === undefined) return context.text(UNAVAILABLE, 503);
    return context.json({
      models: active.targets.flatMap(({ name, wildcard }) =>
        wildcard === undefined ? [name] : [],
      ),
      keys: keyNames([active.ingress, active.egress]),
      playground: playgroundSettings(active),
    });
  });
}

const SUBJECTS = ["key", "user", "group"] as const;
type Subject = (typeof SUBJECTS)[number];

function isSubject(text: string): text is Subject {
  return SUBJECTS.some((subject) => subject === text);
}

/** Whether the caller may see everybody's spend. */
function seesAll(context: Context): boolean {
  const actor = actorOf(context);
  return actor === undefined || hasRole(actor, "viewer");
}

/** Returns whose spend a person may see who does not see all: the own name, groups or keys. */
async function ownNames(
  app: Hono,
  context: Context,
  by: Subject,
): Promise<readonly string[] | undefined> {
  const actor = actorOf(context);
  if (by === "key") return ownKeys(app, context);
  if (by === "group") return actor?.groups ?? [];
  return actor === undefined ? [] : [actor.name];
}

/** Returns the names of a person's keys, as the admin API lists them; undefined if it does not. */
async function ownKeys(app: Hono, context: Context): Promise<string[] | undefined> {
  const names: string[] = [];
  let after = "";
  for (let page = 0; page < MAX_KEY_PAGES; page++) {
    const response = await readAs(app, context, `/api/v1/keys?limit=100${after}`);
    if (!response.ok) return undefined;
    const { data, next } = (await response.json()) as { data: { name: string }[]; next?: string };
    names.push(...data.map(({ name }) => name));
    if (next === undefined) break;
    after = `&after=${encodeURIComponent(next)}`;
  }
  return names;
}

function isRange(text: string): text is Range {
  return Object.hasOwn(RANGES, text);
}
