// The page's sessions: a list, and one session as its turns. A person without the role `viewer` sees the own ones: those of keys
// that the person owns, and of the person's tokens.
import type { Context, Hono } from "hono";
import type { GatewayModel } from "../../../model/model.ts";
import { actorOf } from "../../admin/actor.ts";
import { hasRole } from "../../admin/permissions.ts";
import { reportSession } from "../../prompt-cache/session-doctor.ts";
import { priceFinder } from "../../usage/record-cost.ts";
import { readUsageLine } from "../../usage/usage-line.ts";
import type { History, RequestPlace } from "../history/history.ts";
import type { Observe } from "../history/observed-request.ts";
import { sessionOf } from "../history/session-history.ts";
import type {
  SessionHistory,
  SessionName,
  SessionPlace,
  SessionSums,
} from "../history/session-history.ts";
import { viewOf } from "../live/row.ts";
import { matchesSession } from "./assets/filter.js";

const MAX_LIMIT = 200;
/** Sessions that one search reads: the process does nothing else meanwhile. */
const MAX_READ = 5_000;
/** Turns of a page of one session, and turns before them with which they are compared. */
const MAX_TURNS = 200;
const COMPARED_TURNS = 20;
/** Sessions with one id, of different keys and people. */
const MAX_SAME = 20;
/** The longest id of a session, as the filter writes it, and of a name of a key or a person. */
const MAX_NAME = 512;
const UNAVAILABLE = "The gateway is starting or stopping.\n";

export interface SessionParts {
  history: History;
  sessions: SessionHistory;
  observe: Observe;
  /** Returns the active configuration, whose prices hold. */
  model: () => GatewayModel;
}

/**
 * Adds the routes.
 * @param parts undefined while the gateway starts or stops
 * @param now milliseconds since 1970
 */
export function addSessions(
  app: Hono,
  parts: () => SessionParts | undefined,
  now: () => number,
): void {
  app.get("/api/sessions", (context) => {
    const found = parts();
    if (found === undefined) return context.text(UNAVAILABLE, 503);
    const page = searchSessions(
      found.sessions,
      context.req.query(),
      now() / 1000,
      personOf(context),
    );
    return context.json({ ...page, problem: found.history.problem });
  });
  app.get("/api/sessions/:id", (context) => {
    const found = parts();
    if (found === undefined) return context.text(UNAVAILABLE, 503);
    const { key, user, before } = context.req.query();
    const person = personOf(context);
    const all = found.sessions
      .withId(context.req.param("id").slice(0, MAX_NAME), MAX_SAME)
      .filter((one) => person === undefined || one.user === person);
    const session = all.find(
      (one) => one.key === (key ?? one.key) && one.user === (user ?? one.user),
    );
    const { problem } = found.history;
    if (session === undefined) return context.json({ turns: [], problem });
    const turns = turnsOf(found, session, before);
    return context.json({ session, others: all.length - 1, ...turns, problem });
  });
}

/** Returns whose sessions alone the caller may see; undefined: everybody's. */
function personOf(context: Context): string | undefined {
  const actor = actorOf(context);
  return actor === undefined || hasRole(actor, "viewer") ? undefined : actor.name;
}

export interface FoundSessions {
  rows: SessionSums[];
  /** Where the next page begins; undefined at the end. A page may be short, or empty, and have one. */
  next: string | undefined;
}

/**
 * Returns a page.
 * @param query of the URL: `key`, `text`, `from` and `to` in seconds since 1970 or the `last` seconds, `before` and `limit`
 * @param nowSeconds since 1970
 * @param user only this person's; undefined: everybody's
 */
export function searchSessions(
  sessions: SessionHistory,
  query: Readonly<Record<string, string>>,
  nowSeconds: number,
  user: string | undefined,
  maxRead = MAX_READ,
): FoundSessions {
  const { key = "", text = "" } = query;
  const limit = Math.min(Math.max(Math.trunc(numberOf(query["limit"], 100)), 1), MAX_LIMIT);
  const filter = {
    ...{ key: key === "" ? undefined : key, user },
    from: numberOf(query["from"], nowSeconds - numberOf(query["last"], nowSeconds)),
    // The minute that `to` names is included.
    to: query["to"] === undefined ? Infinity : numberOf(query["to"], Infinity) + 60,
  };
  // One more than a page shows whether there is another.
  const count = text === "" ? limit + 1 : maxRead;
  const read = sessions.before(placeOf(query["before"]), filter, count);
  const rows: SessionSums[] = [];
  for (const [at, row] of read.entries()) {
    if (!matchesSession(row, text)) continue;
    rows.push(row);
    if (rows.length < limit) continue;
    return {
      rows,
      next: at + 1 < read.length || read.length === count ? cursorOf(row) : undefined,
    };
  }
  const last = read.length < count ? undefined : read.at(-1);
  return { rows, next: last && cursorOf(last) };
}

/**
 * Returns a page of a session's turns, in the order in which they ended, each with what the prompt-cache doctor reports of it, and
 * where the turns before them are.
 */
function turnsOf(
  { history, observe, model }: SessionParts,
  name: SessionName,
  before: string | undefined,
) {
  const place = requestPlaceOf(before) ?? { ended: Number.MAX_SAFE_INTEGER, number: 0 };
  // The doctor compares the first ones with those before.
  const lines = history.ofSession(name.session, place, MAX_TURNS + COMPARED_TURNS);
  const own = lines.flatMap(({ line: written, cost }, at) => {
    const line = readUsageLine(written);
    if (line === undefined) return [];
    // The price of the time of the request.
    const request = { ...observe(line), cost };
    const found = sessionOf(request);
    return found?.key === name.key && found.user === name.user ? [{ at, line, request }] : [];
  });
  const reports = new Map(
    reportSession(
      own.map(({ line }) => line),
      { priceOf: priceFinder(model()) },
    ).map((report) => [report.id, report]),
  );
  const isMore = lines.length > MAX_TURNS;
  const turns = own
    .filter(({ at }) => at < MAX_TURNS)
    .map(({ line, request }) => {
      const { kind, text, break: lost } = reports.get(line.record?.id ?? "") ?? {};
      // Of a long session, the first one that is compared is not its first.
      const isKnown = kind !== "unobserved" && (kind !== "first" || !isMore);
      return { ...viewOf(request), cache: isKnown && text !== "" ? text : undefined, lost };
    });
  const last = isMore ? lines[MAX_TURNS - 1] : undefined;
  return {
    turns: turns.reverse(),
    next: last && `${String(last.ended)}/${String(last.number)}`,
  };
}

function numberOf(text: string | undefined, usual: number): number {
  const value = Number(text ?? usual);
  return Number.isFinite(value) ? value : usual;
}

function requestPlaceOf(text = ""): RequestPlace | undefined {
  const [, ended, number] = /^(\d+(?:\.\d+)?)\/(\d{1,15})$/.exec(text) ?? [];
  return number === undefined ? undefined : { ended: Number(ended), number: Number(number) };
}

function cursorOf({ ended, session, key, user }: SessionPlace): string {
  return Buffer.from(JSON.stringify([ended, session, key, user])).toString("base64url");
}

function placeOf(text: string | undefined): SessionPlace | undefined {
  try {
    const [ended, session, key, user] = JSON.parse(
      Buffer.from(text ?? "", "base64url").toString(),
    ) as unknown[];
    const isPlace =
      typeof ended === "number" && [session, key, user].every((one) => typeof one === "string");
    return isPlace ? ({ ended, session, key, user } as SessionPlace) : undefined;
  } catch {
    return undefined;
  }
}
