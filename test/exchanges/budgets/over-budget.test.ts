// What clients get when a budget is used up, and until its limit is known.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Explainer } from "../../../control-plane/explain/explain.ts";
import type { GatewayModel } from "../../../model/model.ts";
import { RETRY } from "../../envoy/models.ts";
import {
  COST,
  DECEMBER,
  ENVIRONMENT,
  errorOf,
  FILTER,
  messageOf,
  recordOf,
  start,
} from "./set-up.ts";
import type { Path } from "./set-up.ts";

const USED_UP =
  "Budget of 50 USD a month of key research is used up. It resets at 2026-12-01T00:00:00Z.";

describe("a budget that is used up", () => {
  const OPENAI = {
    error: {
      message: USED_UP,
      type: "insufficient_quota",
      param: null,
      code: "insufficient_quota",
    },
  };
  it.each<[Path, unknown]>([
    ["/v1/chat/completions", OPENAI],
    ["/v1/responses", OPENAI],
    ["/v1/messages", { type: "error", error: { type: "rate_limit_error", message: USED_UP } }],
  ])(
    "a used-up budget returns 429 on %s, with its reset, and SDKs do not retry",
    async (path, body) => {
      const worker = await start();
      worker.allow({ research: { limit: COST } });
      expect(worker.ask({ path }).response.status).toBe(200);
      for (const stream of [false, true]) {
        const refused = worker.ask({ path, stream });
        expect(refused.sent).toEqual([]);
        const { status, headers, body: error } = errorOf(refused);
        expect(status).toBe(429);
        expect(error).toMatchObject(body as object);
        expect(headers).toMatchObject({ "retry-after": "30", "x-should-retry": "false" });
        expect(recordOf(refused)).toMatchObject({ error: "insufficient_quota", key: "research" });
        expect(recordOf(refused).cost).toBeUndefined();
      }
    },
  );

  it("a used-up budget rejects the requests of its key alone", async () => {
    const worker = await start();
    worker.allow({ research: { limit: 0 } });
    expect(worker.ask().response.status).toBe(429);
    expect(worker.ask({ key: "a" }).response.status).toBe(200);
  });

  it("a used-up budget rejects the requests for its model alone, unless another model is behind the name", async () => {
    const adapt = (model: GatewayModel) => {
      model.targetSets = [{ name: "best", targets: [0, 1], retry: RETRY }];
    };
    const worker = await start({ adapt });
    worker.allow({ "openai/gpt": { limit: 0 } });
    expect(messageOf(worker.ask())).toMatch(/^Budget of 20 USD a day of model openai\/gpt is/);
    expect(worker.ask({ model: "anthropic/claude" }).response.status).toBe(200);
    const { response, sent } = worker.ask({ model: "best" });
    expect(response.status).toBe(200);
    expect(sent.map(({ path }) => path)).toEqual(["/v1/messages"]);
  });

  it("a used-up budget of all requests rejects every request, also without a key", async () => {
    const worker = await start();
    worker.allow({ all: { limit: 0 } });
    expect(worker.ask({ key: "a" }).response.status).toBe(429);
    for (const listener of ["internal_egress", "ingress"] as const)
      expect(worker.ask({ input: { listener } }).response.status).toBe(429);
    worker.allow({ research: { limit: 0 } });
    for (const listener of ["internal_egress", "ingress"] as const)
      expect(worker.ask({ input: { listener } }).response.status).toBe(200);
  });

  it("a used-up budget that never resets has no time to retry after", async () => {
    const worker = await start();
    worker.allow({ research: { limit: 0, resets: 0 } });
    const { headers, body } = errorOf(worker.ask());
    expect(headers["retry-after"]).toBeUndefined();
    expect(body).toMatchObject({
      error: { message: "Budget of 50 USD a month of key research is used up. It does not reset." },
    });
  });

  it("the used-up budget that lasts longest is named", async () => {
    const worker = await start();
    worker.allow({ research: { limit: 0, resets: DECEMBER }, all: { limit: 0, resets: 0 } });
    expect(messageOf(worker.ask())).toContain("of all requests");
  });

  it("a used-up budget whose period has ended has a retry-after of one second", async () => {
    const worker = await start();
    worker.allow({ research: { limit: 0 } });
    worker.clock.now += 30_000;
    const { status, headers } = errorOf(worker.ask());
    expect([status, headers["retry-after"], headers["x-should-retry"]]).toEqual([
      429,
      "1",
      undefined,
    ]);
  });
});

describe("a budget of which only a part is used up", () => {
  it("a budget of which only a part is used up has a retry-after of one second", async () => {
    const worker = await start();
    worker.allow({ research: { limit: 0, partial: 1 } });
    const { status, headers, body } = errorOf(worker.ask());
    expect([status, headers["retry-after"], headers["x-should-retry"]]).toEqual([
      429,
      "1",
      undefined,
    ]);
    expect(body).toMatchObject({
      error: {
        message:
          "Budget of 50 USD a month of key research has nothing left for this gateway at the moment. Retry in 1 s.",
        code: "rate_limit_exceeded",
        type: "rate_limit_error",
      },
    });
  });
});

describe("a budget whose limit is not known", () => {
  it("a budget whose limit is not known has a retry-after of one second", async () => {
    const worker = await start();
    const refused = worker.ask();
    const { status, headers } = errorOf(refused);
    expect([status, headers["retry-after"]]).toEqual([503, "1"]);
    expect(messageOf(refused)).toMatch(/^Budget of .+ is not known yet\. Retry in 1 s\.$/);
    worker.allow();
    expect(worker.ask().response.status).toBe(200);
  });

  it("a used-up budget of another model does not matter", async () => {
    const worker = await start();
    worker.allow();
    const text = `
llm_providers:
  - {model: openai/gpt, access_key: $OPENAI_API_KEY}
  - {model: openai/gpt-2, access_key: $OPENAI_API_KEY}
pricing: {openai/gpt: {input: 1, output: 1}, openai/gpt-2: {input: 1, output: 1}}
budgets: [{model: openai/gpt, amount: 20 USD, per: day}, {model: openai/gpt-2, amount: 1 USD, per: day}]
`;
    const reloaded = await start({ text, shared: worker.shared });
    expect(reloaded.ask().response.status).toBe(200);
    expect(reloaded.ask({ model: "openai/gpt-2" }).response.status).toBe(503);
  });
});

describe("work that the provider stores", () => {
  const post = (path: string, method = "POST") => ({
    request: {
      ...{ method, path },
      headers: [
        ["x-gateway-api-key", "b".repeat(30)],
        ["x-gateway-llm-provider-hint", path.includes("/messages/") ? "anthropic" : "openai"],
      ] as [string, string][],
      ...(method === "POST" ? { body: Buffer.from('{"input_file_id":"file-1"}') } : {}),
    },
  });

  it.each(["/v1/batches", "/v1/messages/batches", "/v1/videos", "/v1/fine_tuning/jobs?a=/cancel"])(
    "a job that the provider stores does not start by POST %s",
    async (path) => {
      const worker = await start();
      worker.allow();
      expect(worker.ask({ input: post(path) }).sent).toHaveLength(1);
      for (const limit of ["research", "all"]) {
        worker.allow({ [limit]: { limit: 0 } });
        const refused = worker.ask({ input: post(path) });
        expect([refused.response.status, refused.sent.length]).toEqual([429, 0]);
      }
      worker.allow({ "openai/gpt": { limit: 0 } });
      expect(worker.ask({ input: post(path) }).sent).toHaveLength(1);
    },
  );

  it.each([
    ["POST", "/v1/batches/batch_1/cancel"],
    ["POST", "/v1/batches/batch_1/cancel?a=b"],
    ["GET", "/v1/batches/batch_1"],
    ["DELETE", "/v1/files/file-1"],
  ])("a job that the provider stores can be read and ended: %s %s", async (method, path) => {
    const worker = await start();
    worker.allow({ research: { limit: 0 } });
    expect(worker.ask({ input: post(path, method) }).sent).toHaveLength(1);
  });
});

describe("background mode", () => {
  const background = (key: "a" | "b", model: string, value: unknown) => ({
    request: {
      ...{ method: "POST", path: "/v1/responses" },
      headers: [["x-gateway-api-key", key.repeat(30)]] as [string, string][],
      body: Buffer.from(JSON.stringify({ model, input: "Hi", background: value })),
    },
  });
  const text = `
listeners:
  egress:
    api_keys: [$TEAM_A, {key: $TEAM_B, name: research, budget: {amount: 50 USD, per: month}}]
llm_providers:
  - {model: openai/gpt, access_key: $OPENAI_API_KEY, provider_interface: openai_responses, base_url: "http://own.test/v1"}
  - {model: anthropic/claude, access_key: $ANTHROPIC_API_KEY}
pricing: {openai/gpt: {input: 1, output: 1}, anthropic/claude: {input: 1, output: 1}}
`;

  it.each(["openai/gpt", "anthropic/claude"])(
    "background mode is rejected with a budget at %s",
    async (model) => {
      const worker = await start({ text });
      worker.allow();
      const refused = worker.ask({ input: background("b", model, true) });
      expect([refused.response.status, refused.sent.length]).toEqual([400, 0]);
      expect(errorOf(refused).body).toMatchObject({ error: { param: "background" } });
      expect(messageOf(refused)).toBe(
        "'background' is not supported with a budget, because the gateway does not see what the response costs. Remove it, or use 'stream'.",
      );
      for (const value of [false, null])
        expect(worker.ask({ input: background("b", model, value) }).sent).toHaveLength(1);
    },
  );

  it.each([1, 0, "true", "", [true], {}])(
    "background mode is rejected with a budget as %j: a provider may read it as true",
    async (value) => {
      const worker = await start({ text });
      worker.allow();
      const refused = worker.ask({ input: background("b", "openai/gpt", value) });
      expect([refused.response.status, refused.sent.length]).toEqual([400, 0]);
      expect(errorOf(refused).body).toMatchObject({ error: { param: "background" } });
    },
  );

  it("background mode passes for a key without a budget", async () => {
    const worker = await start({ text });
    worker.allow();
    expect(worker.ask({ input: background("a", "openai/gpt", true) }).sent).toHaveLength(1);
  });
});

describe("a prompt on ingress", () => {
  it("a prompt on ingress is rejected before its guard and its target run", async () => {
    const text = readFileSync(
      join(import.meta.dirname, "../../config/prompt-targets/config.yaml"),
      "utf8",
    );
    const worker = await start({
      text: `${text}\nbudgets: [{amount: 1 USD, per: month}]\n`,
    });
    let calls = 0;
    const input = {
      listener: "ingress" as const,
      calls: () => {
        calls++;
        return undefined;
      },
    };
    worker.allow();
    worker.ask({ model: "big", input });
    expect(calls).toBeGreaterThan(0);
    calls = 0;
    worker.allow({ all: { limit: 0 } });
    expect(worker.ask({ model: "big", input }).response.status).toBe(429);
    expect(calls).toBe(0);
  });
});

describe("what is free", () => {
  it("a request that costs nothing passes: counting tokens, the list of models", async () => {
    const worker = await start();
    worker.allow({ all: { limit: 0 } });
    const counted = worker.ask({
      input: {
        request: {
          method: "POST",
          path: "/v1/messages/count_tokens",
          headers: [["x-gateway-api-key", "b".repeat(30)]],
          body: Buffer.from('{"model":"openai/gpt","messages":[{"role":"user","content":"Hi"}]}'),
        },
      },
    });
    expect(counted.response.status).toBe(200);
  });
});

describe("gateway explain", () => {
  it("gateway explain shows which budgets apply, and rejects nothing", async () => {
    const { model } = await start();
    const explainer = await Explainer.open({
      model,
      environment: ENVIRONMENT,
      filterFile: FILTER,
    });
    const explain = (name: string) =>
      explainer.explain({
        ...{ method: "POST", path: "/v1/chat/completions" },
        headers: [["x-gateway-api-key", ENVIRONMENT.TEAM_B]],
        body: Buffer.from(
          JSON.stringify({ model: name, messages: [{ role: "user", content: "Hi" }] }),
        ),
      });
    const { attempts, budgets } = await explain("openai/gpt");
    expect(attempts).toHaveLength(1);
    expect(budgets?.toSorted()).toEqual([
      "100 USD a month of all requests",
      "20 USD a day of model openai/gpt",
      "50 USD a month of key research",
    ]);
    expect((await explain("anthropic/claude")).budgets).toHaveLength(2);
  });
});

describe("a budget with unpriced: reject", () => {
  const TEXT = (budget: string, more = "") => `
listeners:
  egress:
    api_keys: [{key: $TEAM_A, name: a}, {key: $TEAM_B, name: research, budget: {${budget}}}]
llm_providers:
  - {model: openai/gpt, access_key: $OPENAI_API_KEY}
  - {model: openai/*, access_key: $OPENAI_API_KEY}
  - {model: anthropic/claude, access_key: $ANTHROPIC_API_KEY}
  - {model: openai/gpt-4o, access_key: $OPENAI_API_KEY}
pricing: {openai/gpt-4o: {input: 1000, output: 10000}}
${more}`;
  const REJECTING = "amount: 50 USD, per: month, unpriced: reject";
  const textOf = (name: string) =>
    `The price of '${name}' is not known, and the budget of 50 USD a month of key research rejects what it cannot count. Set the model's price in 'pricing', set 'unpriced: allow' for the budget, or request another model.`;

  it.each<Path>(["/v1/chat/completions", "/v1/messages", "/v1/responses"])(
    "a request on %s for a model without a price gets 403, and SDKs do not retry",
    async (path) => {
      const worker = await start({ text: TEXT(REJECTING) });
      worker.allow();
      for (const model of ["openai/gpt", "anthropic/claude", "openai/a-new-model"]) {
        const refused = worker.ask({ path, model });
        expect(refused.sent).toEqual([]);
        const { status, headers } = errorOf(refused);
        expect([status, headers["x-should-retry"]]).toEqual([403, "false"]);
        const name = model.endsWith("new-model") ? "a-new-model" : model;
        expect(messageOf(refused)).toBe(textOf(name));
        expect(recordOf(refused).error).toBe("model_price_unknown");
      }
      expect(worker.ask({ path, model: "openai/gpt-4o" }).response.status).toBe(200);
      expect(worker.ask({ path, model: "openai/gpt-4.1" }).response.status).toBe(200);
      // A key without that budget.
      expect(worker.ask({ path, key: "a" }).response.status).toBe(200);
    },
  );

  it("another budget allows a model without a price", async () => {
    const worker = await start({ text: TEXT("amount: 50 USD, per: month, unpriced: allow") });
    worker.allow();
    expect(worker.ask().response.status).toBe(200);
  });

  it("an alias passes over a model without a price", async () => {
    const worker = await start({
      text: TEXT(REJECTING),
      adapt: (model) => {
        model.targetSets = [{ name: "best", targets: [0, 3], retry: RETRY }];
      },
    });
    worker.allow();
    const result = worker.ask({ model: "best" });
    expect(result.response.status).toBe(200);
    expect(recordOf(result)).toMatchObject({ target: "openai/gpt-4o", cost: COST });
  });

  it("explain says which model is rejected", async () => {
    const { model } = await start({ text: TEXT(REJECTING) });
    const explainer = await Explainer.open({ model, environment: ENVIRONMENT, filterFile: FILTER });
    const { budgets } = await explainer.explain({
      ...{ method: "POST", path: "/v1/chat/completions" },
      headers: [["x-gateway-api-key", "b".repeat(30)]],
      body: Buffer.from('{"model":"openai/gpt","messages":[{"role":"user","content":"Hi"}]}'),
    });
    expect(budgets).toEqual([
      "50 USD a month of key research, which rejects openai/gpt: no price is known",
    ]);
  });
});
