// The live page: its documents, its files, and the data that its scripts ask for.
import type { Hono } from "hono";
import { keyNames } from "../../../model/client-keys.ts";
import type { GatewayModel } from "../../../model/model.ts";
import { contentOf } from "../history/request-content.ts";
import type { History } from "../history/history.ts";
import type { Observe } from "../history/observed-request.ts";
import { storyOf } from "../history/story.ts";
import { RANGES, summaryOf } from "../history/summary.ts";
import type { Range } from "../history/summary.ts";
import type { Live } from "../live/live.ts";
import { viewOf } from "../live/row.ts";
import { addPlayground, playgroundSettings } from "../playground/playground.ts";
import { ASSETS } from "./assets.ts";
import { searchRequests } from "./search.ts";
import { shell } from "./shell.ts";

/** What the page shows. Undefined parts do not exist yet, or no longer. */
export interface PageSource {
  model: () => GatewayModel | undefined;
  parts: () => { history: History; live: Live; observe: Observe } | undefined;
  /** Returns the path of access_content.log; undefined if no bodies are written. */
  contentLog: () => string | undefined;
  /** Milliseconds since 1970. */
  now: () => number;
}

const FOREVER = "public, max-age=31536000, immutable";
/** The longest request id that is looked up. */
const MAX_ID = 200;
const UNAVAILABLE = "The gateway is starting or stopping.\n";

/** Adds the routes. */
export function addPage(app: Hono, source: PageSource): void {
  app.get("/", (context) => context.html(shell("live")));
  app.get("/requests/:id", (context) => context.html(shell("story")));
  app.get("/playground", (context) => context.html(shell("playground")));
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
  addData(app, source);
  addPlayground(app, source.model);
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

function isRange(text: string): text is Range {
  return Object.hasOwn(RANGES, text);
}
