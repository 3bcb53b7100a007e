// The admin API of keys, groups, users and ended sessions, on the metrics listener and on the control socket.
import { type Context, Hono, type MiddlewareHandler } from "hono";
import { bodyLimit } from "hono/body-limit";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import type { z } from "zod";
import { type Actor, actorOf } from "../../admin/actor.ts";
import { audit } from "../../admin/audit.ts";
import { addSessionRoutes, type AgentSessions } from "../../agent-sessions/session-routes.ts";
import { parseLifetime } from "../../config/lifetime.ts";
import type { Keys } from "../key-service.ts";
import type { KeyRecord } from "../key-records.ts";
import { type Field, StoreError } from "../store-error.ts";
import type { Subjects } from "../subjects.ts";
import { openApiDocument } from "./openapi.ts";
import {
  groupUpdateSchema,
  importSchema,
  keyUpdateSchema,
  listSchema,
  newGroupSchema,
  newKeySchema,
  newUserSchema,
  rotateSchema,
} from "./schemas.ts";
import {
  readAllowance,
  readGroup,
  readImport,
  readKeyUpdate,
  readNewKey,
  viewOfGroup,
  viewOfKey,
} from "./view.ts";

const API = "/api/v1";
const MAX_BODY = 1_048_576;
/** Of the views in one line of the audit log; of 64 KiB and more it would have the hash alone. */
const MAX_AUDIT_BYTES = 60_000;

export interface KeysApiOptions {
  /** Returns the keys; undefined if `keys` is not configured. */
  keys: () => Keys | undefined;
  /** Returns the sessions of agents; undefined if none is recorded. */
  sessions?: () => AgentSessions | undefined;
  version: string;
  /** Receives what is no fault of a request. */
  report?: (line: string, level?: "error") => void;
  now?: () => number;
}

/** Returns the routes. A request without a caller (`setActor`) is rejected. */
export function keysApi({
  keys: find,
  sessions: findSessions,
  version,
  report,
  now = Date.now,
}: KeysApiOptions): Hono {
  const app = new Hono();
  const keys = (): Keys => {
    const found = find();
    if (found !== undefined) return found;
    throw new StoreError("not_found", "keys is not configured: add keys: {} to the configuration.");
  };
  app.use(`${API}/*`, requireCaller);
  app.use(
    `${API}/*`,
    bodyLimit({
      maxSize: MAX_BODY,
      onError: (context) => failure(context, 413, "too_large", "The body is larger than 1 MiB."),
    }),
  );
  app.onError((error, context) => {
    if (error instanceof StoreError) {
      if (error.kind === "unavailable") context.header("retry-after", "5");
      return failure(context, error.status, error.kind, error.message, error.fields);
    }
    report?.(`Internal error of the admin API: ${error.stack ?? error.name}`, "error");
    return failure(context, 500, "internal", "Internal error; the gateway's log has the reason.");
  });
  const shown = (record: KeyRecord) => viewOfKey(record, now());

  app.get(`${API}/openapi.json`, (context) => context.json(openApiDocument(version)));

  app.get(`${API}/keys`, (context) => {
    const { after, limit, ...query } = check(listSchema, context.req.query());
    // One more shows whether there is another page.
    const found = keys().list({
      ...query,
      limit: limit + 1,
      after: after === undefined ? undefined : readCursor(after),
    });
    const page = found.slice(0, limit);
    const last = page.at(-1);
    return context.json({
      data: page.map(shown),
      ...(found.length > limit && last !== undefined ? { next: cursorOf(last) } : {}),
    });
  });

  app.post(`${API}/keys`, async (context) => {
    const actor = callerOf(context);
    const input = readNewKey(check(newKeySchema, await bodyOf(context)), now());
    const { record, key } = await keys().create(input, actor.name);
    const view = shown(record);
    audit(actor, "keys.create", record.id, { after: view });
    context.header("etag", etagOf(record));
    return context.json({ ...view, key }, 201);
  });

  app.post(`${API}/keys/import`, async (context) => {
    const actor = callerOf(context);
    const input = readImport(check(importSchema, await bodyOf(context)), now());
    const done = await keys().import(input, actor.name);
    // One line of a key would be one write to the disk each.
    for (const after of batchesOf(done.groups.map((group) => viewOfGroup(group, 0))))
      audit(actor, "groups.import", String(after.length), { after });
    for (const after of batchesOf(done.keys.map(shown)))
      audit(actor, "keys.import", String(after.length), { after });
    if (!done.isSpentStored)
      throw new StoreError(
        "unavailable",
        "The keys are imported, but what was spent with them is not stored. Send the same import again: it counts that, and leaves the keys as they are.",
      );
    const { unchanged } = done;
    return context.json({ keys: done.keys.length, groups: done.groups.length, unchanged }, 201);
  });

  app.get(`${API}/keys/:id`, (context) => {
    const record = keys().get(context.req.param("id"));
    context.header("etag", etagOf(record));
    return context.json(shown(record));
  });

  app.patch(`${API}/keys/:id`, async (context) => {
    const actor = callerOf(context);
    const body = check(keyUpdateSchema, await bodyOf(context));
    const version = versionOf(context, body.version);
    const [before, after] = await keys().update(
      context.req.param("id"),
      readKeyUpdate(body, now()),
      version,
    );
    return changed(context, actor, "keys.update", before, after);
  });

  app.post(`${API}/keys/:id/rotate`, async (context) => {
    const actor = callerOf(context);
    const body = check(rotateSchema, await bodyOf(context));
    const graceMs = parseLifetime(body.grace ?? "0") ?? 0;
    const version = versionOf(context, body.version);
    const rotated = await keys().rotate(context.req.param("id"), { graceMs, version });
    const { before, record, key } = rotated;
    const view = shown(record);
    audit(actor, "keys.rotate", record.id, { before: shown(before), after: view });
    context.header("etag", etagOf(record));
    return context.json({ ...view, key });
  });

  app.delete(`${API}/keys/:id`, async (context) => {
    const actor = callerOf(context);
    const [before, after] = await keys().revoke(context.req.param("id"), versionOf(context));
    return changed(context, actor, "keys.revoke", before, after);
  });

  const changed = (
    context: Context,
    actor: Actor,
    action: string,
    before: KeyRecord | undefined,
    after: KeyRecord | undefined,
  ) => {
    const [old, view] = [before && shown(before), after && shown(after)];
    audit(actor, action, after?.id ?? "", { before: old, after: view });
    if (after !== undefined) context.header("etag", etagOf(after));
    return context.json(view);
  };

  addSubjectRoutes(app, "groups", newGroupSchema, () => keys().groups);
  addSubjectRoutes(app, "users", newUserSchema, () => keys().users);

  addSessionRoutes(app, API, {
    sessions() {
      const found = findSessions?.();
      if (found !== undefined) return found;
      throw new StoreError(
        "not_found",
        "Sessions are not recorded: add observability: {} to the configuration.",
      );
    },
    ...{ callerOf, bodyOf, check, now },
  });

  app.all(`${API}/*`, (context) =>
    failure(
      context,
      404,
      "not_found",
      "There is no such path or method; see /api/v1/openapi.json.",
    ),
  );
  return app;
}

/** Adds the routes of groups, or of users. */
function addSubjectRoutes(
  app: Hono,
  what: "groups" | "users",
  newSchema: typeof newGroupSchema | typeof newUserSchema,
  subjects: () => Subjects,
): void {
  const shown = (one: Parameters<typeof viewOfGroup>[0]) =>
    viewOfGroup(one, subjects().countOf(one.name));
  const path = `${API}/${what}`;
  const one = `${API}/${what}/:name` as const;

  app.get(path, (context) => context.json({ data: subjects().list().map(shown) }));

  app.post(path, async (context) => {
    const actor = callerOf(context);
    const { name, ...input } = readGroup(check(newSchema, await bodyOf(context)));
    const view = shown(await subjects().create(name, input));
    audit(actor, `${what}.create`, name, { after: view });
    return context.json(view, 201);
  });

  app.get(one, (context) => context.json(shown(subjects().get(context.req.param("name")))));

  app.patch(one, async (context) => {
    const actor = callerOf(context);
    const name = context.req.param("name");
    const body = check(groupUpdateSchema, await bodyOf(context));
    const changes = { ...readAllowance(body), metadata: body.metadata };
    const [before, after] = await subjects().update(
      name,
      changes,
      versionOf(context, body.version),
    );
    const [old, view] = [before && shown(before), after && shown(after)];
    audit(actor, `${what}.update`, name, { before: old, after: view });
    return context.json(view);
  });

  app.delete(one, async (context) => {
    const actor = callerOf(context);
    const name = context.req.param("name");
    const [before] = await subjects().delete(name, versionOf(context));
    const view = before && viewOfGroup(before, 0);
    audit(actor, `${what}.delete`, name, { before: view });
    return context.json(view);
  });
}

/** Cuts views into lists that a line of the audit log shows completely. */
function batchesOf<View>(views: readonly View[]): View[][] {
  const batches: View[][] = [];
  let bytes = Infinity;
  for (const view of views) {
    const size = Buffer.byteLength(JSON.stringify(view)) + 1;
    if (bytes + size > MAX_AUDIT_BYTES) {
      batches.push([]);
      bytes = 0;
    }
    batches.at(-1)?.push(view);
    bytes += size;
  }
  return batches;
}

const requireCaller: MiddlewareHandler = async (context, next) => {
  callerOf(context);
  await next();
};

function callerOf(context: Context): Actor {
  const actor = actorOf(context);
  if (actor === undefined) throw new StoreError("forbidden", "The caller is not known.");
  return actor;
}

/** Returns the body, as JSON. A program of another origin cannot send this type without asking first. */
async function bodyOf(context: Context): Promise<unknown> {
  const text = await context.req.text();
  if (text === "") return {};
  const type = context.req.header("content-type")?.split(";")[0]?.trim().toLowerCase();
  if (type !== "application/json")
    throw new StoreError("invalid", "The body must be application/json.");
  try {
    return JSON.parse(text);
  } catch {
    throw new StoreError("invalid", "The body is not valid JSON.");
  }
}

function check<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const fields = result.error.issues.slice(0, 20).flatMap((issue): Field[] => {
    const at = pathText(issue.path);
    if (issue.code !== "unrecognized_keys") return [{ field: at, message: issue.message }];
    return issue.keys.slice(0, 20).map((key) => ({
      field: at === "" ? key.slice(0, 64) : `${at}.${key.slice(0, 64)}`,
      message: "unknown member",
    }));
  });
  throw new StoreError("invalid", "A member has an invalid value.", fields);
}

function pathText(path: readonly PropertyKey[]): string {
  return path
    .map((part, at) => {
      if (typeof part === "number") return `[${String(part)}]`;
      return (at === 0 ? "" : ".") + String(part).slice(0, 64);
    })
    .join("");
}

/** Returns the version that a change is for: of the body, or of the header `if-match`. */
function versionOf(context: Context, ofBody?: number): number | undefined {
  const header = context.req.header("if-match");
  if (header === undefined || header === "*") return ofBody;
  const [, number] = /^"?(\d{1,15})"?$/.exec(header) ?? [];
  if (number === undefined)
    throw new StoreError("invalid", "if-match has to be the etag of the last response.");
  return Number(number);
}

function etagOf({ version }: KeyRecord): string {
  return `"${String(version)}"`;
}

function cursorOf({ name, id }: KeyRecord): string {
  return Buffer.from(JSON.stringify([name, id])).toString("base64url");
}

function readCursor(text: string): { name: string; id: string } {
  try {
    const [name, id] = JSON.parse(Buffer.from(text, "base64url").toString()) as unknown[];
    if (typeof name === "string" && typeof id === "string") return { name, id };
  } catch {
    // It is no cursor.
  }
  throw new StoreError("invalid", "A member has an invalid value.", [
    { field: "after", message: "expected next of the page before" },
  ]);
}

function failure(
  context: Context,
  status: ContentfulStatusCode,
  type: string,
  message: string,
  fields: readonly Field[] = [],
) {
  return context.json(
    { error: { type, message, ...(fields.length === 0 ? {} : { fields }) } },
    status,
  );
}
