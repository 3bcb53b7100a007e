// What people without the role `operator` may do in the admin API: see, rotate, disable and revoke their own keys, create keys in
// their groups, and read these groups. A key that they create has what its groups allow, and nothing else.
import type { Context, Hono, MiddlewareHandler } from "hono";
import { bodyLimit } from "hono/body-limit";
import { actorOf } from "../../admin/actor.ts";
import type { Actor } from "../../admin/actor.ts";
import { hasRole } from "../../admin/permissions.ts";
import { readAs } from "../../admin/read-as.ts";

const KEYS = "/api/v1/keys";
const GROUPS = "/api/v1/groups";
const MAX_BODY = 65_536;

/** Members of a key that its owner may set. */
const MAY_CREATE = new Set(["name", "groups", "metadata", "owner"]);
const MAY_CHANGE = new Set(["disabled", "metadata", "version"]);

/** Adds the checks, before the routes of the API. @param maxKeys keys that a person may have */
export function limitToOwn(app: Hono, maxKeys: number): void {
  app.use(`${KEYS}/*`, limitBody, forPeople(keysOf(app, maxKeys)));
  app.use(`${GROUPS}/*`, forPeople(groupsOf));
}

type Check = (
  context: Context,
  actor: Actor,
  next: () => Promise<void>,
) => Promise<Response | undefined>;

const limitBodyOfAll = bodyLimit({ maxSize: MAX_BODY });
const limitBody: MiddlewareHandler = (context, next) =>
  isLimited(actorOf(context)) ? limitBodyOfAll(context, next) : next();

function isLimited(actor: Actor | undefined): actor is Actor {
  return actor !== undefined && !hasRole(actor, "operator");
}

/** Runs the check for whoever may not see everything. */
function forPeople(check: Check): MiddlewareHandler {
  return async (context, next) => {
    const actor = actorOf(context);
    if (!isLimited(actor)) return next();
    return check(context, actor, next);
  };
}

function keysOf(app: Hono, maxKeys: number): Check {
  const inTurn = takeTurns();
  const countOwn = async (context: Context): Promise<number> => {
    const shown = await readAs(app, context, `${KEYS}?limit=${String(maxKeys)}`);
    if (shown.status !== 200) return 0;
    return ((await shown.json()) as { data: unknown[] }).data.length;
  };
  return async (context, actor, next) => {
    const { method, path } = context.req;
    const id = path.slice(KEYS.length + 1).split("/")[0] ?? "";
    if (id === "" && method === "POST") {
      const refused = await createOwn(context, actor);
      if (refused !== undefined) return refuse(context, refused);
      // One after the other, so that two requests cannot both be for the last key.
      return inTurn(async () => {
        if ((await countOwn(context)) >= maxKeys) return refuse(context, tooMany(maxKeys));
        await next();
        return undefined;
      });
    }
    if (id === "") {
      if (method === "GET") listOwn(context, actor);
      await next();
      return undefined;
    }
    if (method === "GET") {
      await next();
      if (context.res.status !== 200) return undefined;
      const { owner } = (await context.res.clone().json()) as { owner?: string };
      if (owner !== actor.name) context.res = notFound(context);
      return undefined;
    }
    // The same check as for reading it.
    const shown = await readAs(app, context, `${KEYS}/${id}`);
    if (shown.status !== 200) return notFound(context);
    if (method === "PATCH") {
      const body = await readBody(context);
      const other = Object.keys(body).find((name) => !MAY_CHANGE.has(name));
      if (other !== undefined)
        return refuse(context, `${other} of a key is changed by an operator.`);
      if (Object.hasOwn(body, "disabled") && body["disabled"] !== true)
        return refuse(context, "A disabled key is enabled by an operator.");
    }
    await next();
    return undefined;
  };
}

/** Returns a function that begins a work when the one before has ended. */
function takeTurns() {
  let last: Promise<unknown> = Promise.resolve();
  return <Result>(work: () => Promise<Result>): Promise<Result> => {
    const own = last.then(work);
    last = own.catch(() => undefined);
    return own;
  };
}

function tooMany(maxKeys: number): string {
  return `You have ${String(maxKeys)} keys or more, and a person may have ${String(maxKeys)} (observability.metrics.sign_in.max_keys). Revoke one, or ask an operator.`;
}

const groupsOf: Check = async (context, { groups = [] }, next) => {
  const name = decodeURIComponent(context.req.path.slice(GROUPS.length + 1));
  if (name !== "" && !groups.includes(name))
    return refuse(context, "Only the groups of your own account are shown.");
  await next();
  if (name !== "" || context.res.status !== 200) return undefined;
  const { data } = (await context.res.json()) as { data: { name: string }[] };
  context.res = context.json({ data: data.filter((group) => groups.includes(group.name)) });
  return undefined;
};

function listOwn(context: Context, { name }: Actor): void {
  const url = new URL(context.req.url);
  url.searchParams.set("owner", name);
  context.req.raw = new Request(url, { headers: context.req.raw.headers });
}

/** Makes the person the owner. Returns why the key cannot be created. */
async function createOwn(
  context: Context,
  { name, groups: own = [] }: Actor,
): Promise<string | undefined> {
  const body = await readBody(context);
  const other = Object.keys(body).find((member) => !MAY_CREATE.has(member));
  if (other !== undefined) return `${other} follows from the key's groups; an operator can set it.`;
  const groups: unknown[] = Array.isArray(body["groups"]) ? body["groups"] : [];
  if (groups.length === 0) return "The key needs a group: it may do what the group may.";
  const foreign = groups.find((group) => typeof group !== "string" || !own.includes(group));
  if (foreign !== undefined)
    return `You are not in the group ${JSON.stringify(foreign).slice(0, 100)}.`;
  writeBody(context, { ...body, owner: name });
  return undefined;
}

/** Returns the body's members. The routes read it again. */
async function readBody(context: Context): Promise<Record<string, unknown>> {
  const text = await context.req.raw.text();
  writeBody(context, text);
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === "object" && body !== null ? (body as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

function writeBody(context: Context, body: string | object): void {
  const { url, method, headers } = context.req.raw;
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const fresh = new Headers(headers);
  fresh.delete("content-length");
  context.req.raw = new Request(url, {
    ...{ method, headers: fresh },
    ...(text === "" ? {} : { body: text }),
  });
}

function refuse(context: Context, message: string) {
  return context.json({ error: { type: "forbidden", message } }, 403);
}

function notFound(context: Context) {
  return context.json(
    { error: { type: "not_found", message: "There is no such key of yours." } },
    404,
  );
}
