// Sessions that are ended at run time: the filter rejects their requests in the status and form that agents of each dialect stop at.
import fc from "fast-check";
import { expect, it } from "vitest";
import { errorOf, recordOf, start, START, type Path, type Worker } from "../budgets/set-up.ts";
import { SharedData } from "../../../control-plane/wasm-host/wasm-shared-data.ts";
import { send } from "../budgets/set-up.ts";

const HOUR = 3600;
const UNTIL = START / 1000 + HOUR;

const CONFIGURATION = `
observability: {}
listeners:
  egress:
    api_keys: [$TEAM_A, {key: $TEAM_B, name: research}]
llm_providers:
  - {model: openai/gpt, access_key: $OPENAI_API_KEY}
`;

const started = (shared = new SharedData()) => start({ text: CONFIGURATION, shared });

function end(worker: Worker, session: string, more: object = {}): number {
  const body = { ended: [{ session, until: UNTIL, ...more }] };
  return send(worker.host, "/sessions", body).response.status;
}

function ask(
  { host }: Worker,
  { session = "ses_1", key = "b", path = "/v1/chat/completions", stream = false } = {},
) {
  const said = [{ role: "user", content: "Hi" }];
  const body = {
    ...{ model: "openai/gpt", stream },
    ...(path === "/v1/responses" ? { input: said } : { max_tokens: 10, messages: said }),
  };
  return host.exchange({
    listener: "egress",
    request: {
      method: "POST",
      path,
      headers: [
        ["content-type", "application/json"],
        ["x-gateway-api-key", key.repeat(30)],
        ["x-session-id", session],
      ],
      body: Buffer.from(JSON.stringify(body)),
    },
    upstream: () => ({ status: 200, headers: [], chunks: [], ending: "complete" }),
  });
}

const MESSAGE = "Session ses_1 was ended by an operator of the gateway. Start a new session.";
const OPENAI = { type: "invalid_request_error", param: null, code: "session_ended" };

it.each<[Path, number, object]>([
  ["/v1/chat/completions", 402, { error: { message: MESSAGE, ...OPENAI } }],
  ["/v1/responses", 400, { error: { message: MESSAGE, ...OPENAI } }],
  ["/v1/messages", 402, { type: "error", error: { type: "billing_error", message: MESSAGE } }],
])("a client of %s gets %i, also in place of a stream", async (path, status, body) => {
  const worker = await started();
  expect(end(worker, "ses_1")).toBe(200);
  for (const stream of [false, true]) {
    const result = ask(worker, { path, stream });
    expect(errorOf(result)).toMatchObject({
      ...{ status, body },
      headers: { "x-should-retry": "false", "content-type": "application/json" },
    });
    expect(result.sent).toEqual([]);
    expect(recordOf(result)).toMatchObject({ session: "ses_1", error: "session_ended" });
  }
});

it("other sessions go on, and those of other keys if one key's session has ended", async () => {
  const shared = new SharedData();
  const [worker, other] = [await started(shared), await started(shared)];
  expect(ask(worker).sent).toHaveLength(1);
  end(worker, "ses_1", { key: "research" });
  for (const one of [worker, other]) {
    expect(ask(one).response.status).toBe(402);
    expect(ask(one, { key: "a" }).sent).toHaveLength(1);
    expect(ask(one, { session: "ses_2" }).sent).toHaveLength(1);
  }
  end(worker, "ses_2");
  for (const key of ["a", "b"]) expect(ask(other, { key, session: "ses_2" }).sent).toEqual([]);
});

it("a session passes again when its end is over", async () => {
  const worker = await started();
  end(worker, "ses_1");
  worker.clock.now += (HOUR - 1) * 1000;
  expect(ask(worker).sent).toEqual([]);
  worker.clock.now += 2000;
  expect(ask(worker).sent).toHaveLength(1);
});

const GOOD = { session: "ses_1", until: UNTIL };

it.each<[string, unknown]>([
  ["no list", {}],
  ["a text as the list", { ended: "ses_1" }],
  ["an end without a session", { ended: [{ until: UNTIL }] }],
  ["a session that is a number", { ended: [{ ...GOOD, session: 1 }] }],
  ["an empty session", { ended: [{ ...GOOD, session: "" }] }],
  ["a long session", { ended: [{ ...GOOD, session: "s".repeat(65) }] }],
  ["a key that is a number", { ended: [{ ...GOOD, key: 1 }] }],
  ["an empty key", { ended: [{ ...GOOD, key: "" }] }],
  ["no time", { ended: [{ session: "ses_1" }] }],
  ["a time after 2106", { ended: [{ ...GOOD, until: 2 ** 32 }] }],
  ["one good and one bad end", { ended: [GOOD, {}] }],
])("a push with %s gets 400, and ends nothing", async (_, push) => {
  const worker = await started();
  expect(send(worker.host, "/sessions", push).response.status).toBe(400);
  expect(ask(worker).sent).toHaveLength(1);
});

it("no push traps the filter", async () => {
  const worker = await started();
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const { response } = send(worker.host, "/sessions", { ended: value });
      expect([200, 400]).toContain(response.status);
    }),
  );
});
