// The admin API of sessions of agents: end one, and list what has ended.
import type { Context, Hono } from "hono";
import { z } from "zod";
import { MAX_SESSION_BYTES } from "../../contract/session-ends-format.ts";
import { isRowText } from "../../model/keys.ts";
import type { Actor } from "../admin/actor.ts";
import { audit } from "../admin/audit.ts";
import type { EndedSessions } from "../observability/sign-in/page-session.ts";
import { type EndedSubject, idOf, subjectOf } from "./ended-id.ts";

/** How long a session stays ended, also over restarts. */
export const ENDED_DAYS = 30;
const ENDED_S = ENDED_DAYS * 24 * 3600;

export interface AgentSessions {
  ended: Pick<EndedSessions, "all" | "end">;
  /** Resolves when Envoy rejects what has ended. */
  delivered: () => Promise<void>;
}

export const sessionSchema = z
  .string()
  .regex(new RegExp(`^[A-Za-z0-9_.:-]{1,${String(MAX_SESSION_BYTES)}}$`), {
    error: `expected up to ${String(MAX_SESSION_BYTES)} letters, digits and -_.: as gateway sessions shows it`,
  });

const key = z
  .string()
  .refine(isRowText, { error: "expected the name of a client key" })
  .meta({ description: "The only client key whose session it is. Absent: of all keys." });

export const endSchema = z.strictObject({ key: key.optional() });

export const endedSchema = z.object({
  session: z.string(),
  key: z.string().optional(),
  until: z
    .string()
    .meta({ description: `A time (RFC 3339): ${String(ENDED_DAYS)} days after the end.` }),
});

export const endedListSchema = z.object({ data: z.array(endedSchema) });

type EndedView = z.output<typeof endedSchema>;

/** What the routes need of the API that they are a part of. */
export interface SessionRoutesOptions {
  /** Returns the sessions. Throws if the configuration records none. */
  sessions: () => AgentSessions;
  callerOf: (context: Context) => Actor;
  bodyOf: (context: Context) => Promise<unknown>;
  check: <Schema extends z.ZodType>(schema: Schema, value: unknown) => z.output<Schema>;
  now: () => number;
}

/** Adds the routes. @param api the path of the API */
export function addSessionRoutes(
  app: Hono,
  api: string,
  { sessions, callerOf, bodyOf, check, now }: SessionRoutesOptions,
): void {
  app.get(`${api}/sessions/ended`, (context) =>
    context.json({
      data: [...sessions().ended.all]
        .filter(([, until]) => until * 1000 > now())
        .map(([id, until]) => viewOf(subjectOf(id), until))
        .sort((one, other) => (one.until < other.until ? 1 : -1)),
    }),
  );

  app.post(`${api}/sessions/:id/end`, async (context) => {
    const actor = callerOf(context);
    const session = check(sessionSchema, context.req.param("id"));
    const body = check(endSchema, await bodyOf(context));
    const { ended, delivered } = sessions();
    const subject = { session, ...(body.key === undefined ? {} : { key: body.key }) };
    const id = idOf(subject);
    const seconds = now() / 1000;
    ended.end({ id, expires: Math.ceil(seconds) + ENDED_S }, seconds);
    const view = viewOf(subject, ended.all.get(id) ?? seconds);
    // The audit log hides what a member `key` has.
    const after = {
      until: view.until,
      ...(body.key === undefined ? {} : { of_key_named: body.key }),
    };
    audit(actor, "sessions.end", session, { after });
    await delivered();
    return context.json(view);
  });
}

function viewOf(subject: EndedSubject, until: number): EndedView {
  return { ...subject, until: new Date(until * 1000).toISOString() };
}
