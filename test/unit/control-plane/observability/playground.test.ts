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

it("a request of the playground is in the audit log, without its text and key", async () => {
  const entries: AuditEntry[] = [];
  setAuditSink((entry) => entries.push(entry));
  const ids: (string | undefined)[] = [];
  const egress = await listen(
    createServer((incoming, outgoing) => {
      ids.push(String(incoming.headers["x-request-id"]));
      outgoing.writeHead(429, { "content-type": "application/json" }).end("{}");
    }),
  );
  const app = new Hono();
  app.use(async (context, next) => {
    setActor(context, { kind: "user", name: "ann@example.com", roles: ["operator"] });
    await next();
  });
  const model = { egress: { address: "127.0.0.1", port: egress.port } } as unknown as GatewayModel;
  addPlayground(app, () => model);
  const body = JSON.stringify({ model: "m", messages: [{ role: "user", content: "a secret" }] });
  const headers = {
    "content-type": "application/json",
    "content-length": String(body.length),
    "x-playground-key": "gwk_secret",
  };
  const path = "/api/playground/v1/chat/completions";
  const response = await app.request(path, { method: "POST", headers, body });
  expect(response.status).toBe(429);
  expect(entries).toMatchObject([
    {
      actor: { kind: "user", name: "ann@example.com" },
      action: "playground.request",
      subject: ids[0],
      after: { path: "/v1/chat/completions", status: 429 },
    },
  ]);
  expect(JSON.stringify(entries)).not.toContain("secret");
  await egress.stop();
});
