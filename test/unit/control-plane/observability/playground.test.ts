// Requests of the playground are in the audit log: who has sent which request, and nothing of its text or key.
import { createServer } from "node:http";
import { Hono } from "hono";
import { afterEach, expect, it } from "vitest";
import { setActor } from "../../../../control-plane/admin/actor.ts";
import { setAuditSink } from "../../../../control-plane/admin/audit.ts";
import type { AuditEntry } from "../../../../control-plane/audit/audit-line.ts";
import { addPlayground } from "../../../../control-plane/observability/playground/playground.ts";
import type { GatewayModel } from "../../../../model/model.ts";
import { listen } from "../../../providers/listen.ts";

afterEach(() => {
  setAuditSink(undefined);
});

/** The playground of a gateway whose egress listener has a port, used by a person. */
function playgroundAt(port: number): { app: Hono; entries: AuditEntry[] } {
  const entries: AuditEntry[] = [];
  setAuditSink((entry) => entries.push(entry));
  const app = new Hono();
  app.use(async (context, next) => {
    setActor(context, { kind: "user", name: "ann@example.com", roles: ["operator"] });
    await next();
  });
  const model = { egress: { address: "127.0.0.1", port } } as unknown as GatewayModel;
  addPlayground(app, () => model);
  return { app, entries };
}

const body = JSON.stringify({ model: "m", messages: [{ role: "user", content: "a secret" }] });
const headers = {
  "content-type": "application/json",
  "content-length": String(body.length),
  "x-playground-key": "gwk_secret",
};
const PATH = "/api/playground/v1/chat/completions";
const entryOf = (subject: string | undefined, after: object) => ({
  actor: { kind: "user", name: "ann@example.com" },
  action: "playground.request",
  subject,
  after,
});

it("a request of the playground is in the audit log, without its text and key", async () => {
  const ids: string[] = [];
  const egress = await listen(
    createServer((incoming, outgoing) => {
      ids.push(String(incoming.headers["x-request-id"]));
      outgoing.writeHead(429, { "content-type": "application/json" }).end("{}");
    }),
  );
  const { app, entries } = playgroundAt(egress.port);
  const response = await app.request(PATH, { method: "POST", headers, body });
  expect(response.status).toBe(429);
  expect(entries).toMatchObject([entryOf(ids[0], { path: "/v1/chat/completions", status: 429 })]);
  expect(JSON.stringify(entries)).not.toContain("secret");
  await egress.stop();
});

it("a request of the playground is in the audit log without a status if nothing responds", async () => {
  const ids: string[] = [];
  const egress = await listen(
    createServer((incoming) => {
      ids.push(String(incoming.headers["x-request-id"]));
      incoming.socket.destroy();
    }),
  );
  const { app, entries } = playgroundAt(egress.port);
  const response = await app.request(PATH, { method: "POST", headers, body });
  expect(response.status).toBe(502);
  expect(entries).toMatchObject([entryOf(ids[0], {})]);
  expect(entries[0]?.after).toEqual({ path: "/v1/chat/completions" });
  await egress.stop();
});

it("a request of the playground is in the audit log if the page leaves before a response", async () => {
  const ids: string[] = [];
  const page = new AbortController();
  const egress = await listen(
    createServer((incoming) => {
      ids.push(String(incoming.headers["x-request-id"]));
      page.abort();
    }),
  );
  const { app, entries } = playgroundAt(egress.port);
  const { signal } = page;
  const request = new Request(`http://page.test${PATH}`, { method: "POST", headers, body, signal });
  await app.request(request);
  expect(entries).toMatchObject([entryOf(ids[0], {})]);
  expect(entries[0]?.after).toEqual({ path: "/v1/chat/completions" });
  await egress.stop();
});
