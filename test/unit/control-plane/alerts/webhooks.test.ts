// Webhooks: how events are signed, and what happens while the receiver does not accept them.
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, it } from "vitest";
import {
  signature,
  type WebhookEvent,
  Webhooks,
} from "../../../../control-plane/alerts/webhooks.ts";

let server: Server;
let received: { headers: IncomingHttpHeaders; body: string }[];
let failures: number;
let url: string;

beforeEach(async () => {
  received = [];
  failures = 0;
  server = createServer((incoming, outgoing) => {
    let body = "";
    incoming.setEncoding("utf8");
    incoming.on("data", (text: string) => (body += text));
    incoming.on("end", () => {
      received.push({ headers: incoming.headers, body });
      failures -= 1;
      outgoing.writeHead(failures >= 0 ? 500 : 204).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/hook`;
});
afterEach(() => {
  server.close();
  server.closeAllConnections();
});

const EVENT: WebhookEvent = { type: "t", identity: "one", data: { a: 1 } };

it("an event is signed with the secret, over its id, time and body", async () => {
  const secret = `whsec_${Buffer.from("a long secret").toString("base64")}`;
  const webhooks = new Webhooks({ target: () => ({ url, secret }), report: () => undefined });
  void webhooks.send(EVENT);
  await webhooks.idle();
  const [{ headers, body } = { headers: {}, body: "" }] = received;
  const [id, time] = [String(headers["webhook-id"]), Number(headers["webhook-timestamp"])];
  expect(headers["webhook-signature"]).toBe(signature(secret, id, time, body));
  expect(JSON.parse(body)).toMatchObject({ type: "t", data: { a: 1 } });
});

it("the signature is that of the Standard Webhooks specification", () => {
  const secret = "whsec_plJ3nmyCDGBKInavdOK15jsl";
  const body = '{"event_type":"ping","data":{"success":true}}';
  expect(signature(secret, "msg_loFOjxBNrRLzqYUf", 1731705121, body)).toBe(
    "v1,rAvfW3dJ/X/qxhsaXPOyyCGmRKsaKWcsNccKXlIktD0=",
  );
});

it("an event that the receiver rejects is repeated with the same id, before the next one", async () => {
  failures = 2;
  const lines: string[] = [];
  const webhooks = new Webhooks({
    target: () => ({ url }),
    report: (line) => lines.push(line),
    firstPauseMs: 1,
  });
  void webhooks.send(EVENT);
  void webhooks.send({ ...EVENT, identity: "two" });
  await webhooks.idle();
  const ids = received.map(({ headers }) => headers["webhook-id"]);
  expect(ids).toHaveLength(4);
  expect(new Set(ids.slice(0, 3)).size).toBe(1);
  expect(lines).toEqual([
    "The webhook of alerts does not accept events (status 500); they are repeated.",
    "The webhook of alerts accepts events again.",
  ]);
});

it("the oldest events are dropped if too many wait, and closing ends the attempts", async () => {
  const webhooks = new Webhooks({
    target: () => ({ url: "http://127.0.0.1:1/" }),
    report: () => undefined,
  });
  for (let at = 0; at < 1_500; at++) void webhooks.send({ ...EVENT, identity: String(at) });
  webhooks.close();
  await webhooks.idle();
  expect(received).toEqual([]);
});

it("an event resolves to whether the receiver has accepted it", async () => {
  const webhooks = new Webhooks({ target: () => ({ url }), report: () => undefined });
  expect(await webhooks.send(EVENT)).toBe(true);
  failures = 1_000;
  const waiting = webhooks.send(EVENT);
  await expect.poll(() => received.length).toBe(2);
  webhooks.close();
  expect(await waiting).toBe(false);
});
