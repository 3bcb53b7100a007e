// Keys that are created at run time: who is let in, what they may use, and what their groups and users add.
import { expect, it } from "vitest";
import { PROPERTY_CONTENT } from "../../../contract/content-record.ts";
import { errorOf } from "../budgets/set-up.ts";
import { CONFIGURATION, hashOf, KEY, keysPush, recordOf, startWorkers } from "./set-up.ts";

const INVALID = "Invalid API key. Send a key of this listener as 'Authorization: Bearer'";

async function started(count = 1) {
  const workers = await startWorkers(count);
  const [first, second = first] = workers;
  if (first === undefined || second === undefined) throw new Error("no worker");
  return { first, second };
}

it("a pushed key is accepted by every worker, by each of the headers", async () => {
  const { first, second } = await started(2);
  first.push({ ...keysPush({ [KEY]: {} }), reset: 1, complete: 1 });
  expect(second.try(KEY)).toBe("200");
  for (const headers of [
    ["authorization", `Bearer ${KEY}`],
    ["x-gateway-api-key", KEY],
  ] as [string, string][])
    expect(second.try(KEY, { headers: [headers] })).toBe("200");
  const wrong: [string, string][] = [
    ["x-gateway-api-key", "wrong"],
    ["authorization", `Bearer ${KEY}`],
  ];
  expect(second.try(KEY, { headers: wrong })).toBe("200");
});

it("unknown, disabled, expired and removed keys get the same 401", async () => {
  const { first, second } = await started(2);
  const now = Math.floor(first.clock.now / 1000);
  first.push({
    ...keysPush({
      [KEY]: { expires: now + 10 },
      disabled: { disabled: 1 },
      removed: {},
    }),
    reset: 1,
    complete: 1,
  });
  expect(second.try(KEY)).toBe("200");
  expect(second.try("removed")).toBe("200");
  first.clock.now += 10_000;
  expect(first.push(keysPush({ removed: null }))).toEqual({ keys: 2 });
  const errors = [KEY, "disabled", "removed", "unknown", "x".repeat(5000)].map((key) =>
    second.try(key),
  );
  expect(new Set(errors).size).toBe(1);
  expect(errors[0]).toContain(`401 ${INVALID}`);
});

it("an unknown key gets 503 until all keys are known, a key of the configuration does not", async () => {
  const { first } = await started();
  const asked = first.ask(KEY);
  expect(errorOf(asked).headers["retry-after"]).toBe("1");
  expect(first.try(KEY)).toBe("503 The gateway does not know its API keys yet. Retry in 1 s.");
  expect(first.try("a".repeat(30))).toBe("200");
  expect(first.try("b".repeat(30))).toContain("503");
  expect(first.push({ ...keysPush({ [KEY]: {} }), reset: 1 })).toEqual({ fresh: 1, keys: 1 });
  expect(first.try(KEY)).toBe("200");
  expect(first.try("unknown")).toContain("503");
  expect(first.push({ groups: { research: {} }, complete: 1 })).toEqual({ fresh: 1, keys: 1 });
  expect(first.try("unknown")).toContain("401");
  expect(first.try("b".repeat(30))).toBe("200");
  expect(first.push({})).toEqual({ keys: 1 });
});

it("a whole push removes what it does not have, at its end", async () => {
  const { first, second } = await started(2);
  first.push({ ...keysPush({ one: {}, two: {} }), reset: 1, complete: 1 });
  expect(first.push({ ...keysPush({ two: {} }), reset: 1 })).toEqual({ keys: 1 });
  expect([second.try("one"), second.try("two")]).toEqual(["200", "200"]);
  expect(second.push({ complete: 1 })).toEqual({ keys: 1 });
  expect(first.try("one")).toContain("401");
  expect(first.try("two")).toBe("200");
});

it("the models of a key, of its groups and of its user restrict each other", async () => {
  const { first } = await started();
  first.push({
    reset: 1,
    complete: 1,
    groups: {
      research: { models: ["openai/*"] },
      writers: { models: ["anthropic/claude"] },
      anything: {},
    },
    users: { anna: { models: ["openai/*"] } },
    ...keysPush({
      whole: {},
      own: { models: ["openai/gpt"] },
      alias: { models: ["fast"] },
      wildcard: { models: ["openai/gpt-5*"] },
      bare: { models: ["openai/o3"] },
      none: { models: [] },
      group: { groups: ["research"] },
      groups: { groups: ["research", "writers"] },
      any: { groups: ["research", "anything"] },
      both: { groups: ["research"], models: ["openai/gpt", "anthropic/claude"] },
      user: { owner: "anna", groups: ["writers", "research"] },
      gone: { groups: ["gone"] },
    }),
  });
  const allowed = (key: string) =>
    ["openai/gpt", "fast", "openai/gpt-5", "openai/o3", "anthropic/claude"].filter((model) => {
      const said = first.try(key, { model });
      expect(said).toMatch(/^(200|403 The key 'anna-laptop' may not be used for)/);
      return said === "200";
    });
  expect(
    Object.fromEntries(
      [
        ...["whole", "own", "alias", "wildcard", "bare", "none", "group", "groups"],
        ...["any", "both", "user", "gone"],
      ].map((key) => [key, allowed(key).join(" ")]),
    ),
  ).toEqual({
    whole: "openai/gpt fast openai/gpt-5 openai/o3 anthropic/claude",
    own: "openai/gpt fast",
    alias: "openai/gpt fast",
    wildcard: "openai/gpt-5",
    bare: "openai/o3",
    none: "",
    group: "openai/gpt fast openai/gpt-5 openai/o3",
    groups: "openai/gpt fast openai/gpt-5 openai/o3 anthropic/claude",
    any: "openai/gpt fast openai/gpt-5 openai/o3 anthropic/claude",
    both: "openai/gpt fast",
    user: "openai/gpt fast openai/gpt-5 openai/o3",
    gone: "",
  });
  expect(first.try("both", { model: "anthropic/claude" })).toBe(
    "403 The key 'anna-laptop' may not be used for the model 'anthropic/claude'. Its models: openai/gpt, anthropic/claude; of these: openai/*.",
  );
});

it("GET /v1/models lists what a key may use", async () => {
  const { first } = await started();
  first.push({ ...keysPush({ [KEY]: { models: ["openai/gpt"] } }), reset: 1, complete: 1 });
  const { response } = first.host.exchange({
    listener: "egress",
    request: { method: "GET", path: "/v1/models", headers: [["x-api-key", KEY]], body: undefined },
  });
  const { data } = JSON.parse(Buffer.from(response.body).toString()) as { data: { id: string }[] };
  expect(data.map(({ id }) => id)).toEqual(["openai/gpt", "fast"]);
});

it("a usage record has the key's name and id, its groups and its user", async () => {
  const { first } = await started();
  first.push({
    reset: 1,
    complete: 1,
    groups: { research: {}, writers: {} },
    ...keysPush({
      [KEY]: {
        id: "key_1",
        name: 'anna "laptop"',
        owner: "anna@example.com",
        groups: ["research", "writers"],
      },
    }),
  });
  expect(recordOf(first.ask(KEY))).toMatchObject({
    key: 'anna "laptop"',
    key_id: "key_1",
    group: "research,writers",
    user: "anna@example.com",
  });
  const { key, group, ...rest } = recordOf(first.ask("b".repeat(30)));
  expect({ key, group }).toEqual({ key: "grouped", group: "research" });
  expect(rest).not.toHaveProperty("key_id");
});

it("limits of the key, the group and the user count together, over all workers", async () => {
  const { first, second } = await started(2);
  first.push({
    reset: 1,
    complete: 1,
    groups: { research: { limits: [{ requests: 3, per: "hour" }] } },
    users: { anna: { limits: [{ tokens: 1000, per: "minute" }] } },
    ...keysPush({
      one: { groups: ["research"], owner: "anna", limits: [{ requests: 2, per: "minute" }] },
      two: { groups: ["research"] },
    }),
  });
  expect([first.try("one"), second.try("one")]).toEqual(["200", "200"]);
  expect(first.try("one")).toContain(
    "429 Rate limit reached: 2 requests a minute for key anna-laptop.",
  );
  expect(second.try("two")).toBe("200");
  expect(first.try("two")).toContain("Rate limit reached: 3 requests an hour for group research.");
  expect(first.try("b".repeat(30))).toContain("429");
});

it("the owner of a key of the configuration is its user", async () => {
  const text = CONFIGURATION.replace("- $TEAM_A", "- {key: $TEAM_A, name: own, owner: anna}");
  const [first, second] = await startWorkers(2, { text });
  const own = "a".repeat(30);
  expect(first?.try(own)).toContain("503");
  first?.push({ reset: 1, complete: 1, groups: { research: {} } });
  const asked = second?.ask(own);
  expect(asked && recordOf(asked)).toMatchObject({ key: "own", user: "anna" });
  expect(second?.try(own, { model: "anthropic/claude" })).toBe("200");
  const anna = { limits: [{ requests: 2, per: "minute" as const }], models: ["openai/gpt"] };
  first?.push({ users: { anna }, ...keysPush({ [KEY]: { owner: "anna" } }) });
  expect(second?.try(own, { model: "anthropic/claude" })).toContain("403");
  expect([first?.try(own), second?.try(KEY)]).toEqual(["200", "200"]);
  expect(second?.try(own)).toContain("429 Rate limit reached: 2 requests a minute for user anna.");
  expect(second?.try("b".repeat(30))).toBe("200");
  first?.push({ users: { anna: null } });
  expect(second?.try(own, { model: "anthropic/claude" })).toBe("200");
});

it("a changed row counts for the next request of each worker", async () => {
  const { first, second } = await started(2);
  first.push({ ...keysPush({ [KEY]: { groups: ["research"] } }), reset: 1, complete: 1 });
  expect(second.try(KEY)).toContain("403");
  first.push({ groups: { research: {} } });
  expect(second.try(KEY)).toBe("200");
  first.push(keysPush({ [KEY]: { disabled: 1 } }));
  expect(second.try(KEY)).toContain("401");
  first.push(keysPush({ [KEY]: { models: ["openai/gpt"] } }));
  expect(second.try(KEY)).toBe("200");
  expect(second.try(KEY, { model: "anthropic/claude" })).toContain("403");
});

it("a key of run time is not sent to a provider with pass-through auth", async () => {
  const text = `
keys: {}
llm_providers:
  - {model: openai/gpt, passthrough_auth: true}
`;
  const [worker] = await startWorkers(1, { text });
  worker?.push({ ...keysPush({ [KEY]: {} }), reset: 1, complete: 1 });
  const headers: [string, string][] = [
    ["x-gateway-api-key", KEY],
    ["authorization", `Bearer ${KEY}`],
  ];
  expect(JSON.stringify(worker?.ask(KEY, { headers }).sent)).not.toContain(KEY);
  const own: [string, string][] = [
    ["x-gateway-api-key", KEY],
    ["authorization", "Bearer sk-own"],
  ];
  expect(JSON.stringify(worker?.ask(KEY, { headers: own }).sent)).toContain("sk-own");
});

it("unknown keys need no memory", async () => {
  const { first } = await started();
  first.push({ reset: 1, complete: 1 });
  const flood = () => {
    for (let i = 0; i < 3000; i++) first.try(`unknown-${String(i)}`);
  };
  flood();
  const before = [first.host.memorySize, first.shared.size];
  flood();
  expect([first.host.memorySize, first.shared.size]).toEqual(before);
});

it("two known keys that alternate need no memory", async () => {
  const { first } = await started();
  // The VM keeps both in one place: the first byte of the hash.
  const keys = Array.from({ length: 600 }, (_, at) => `key-${String(at)}`);
  const one = keys.find((key) => hashOf(key).startsWith("42")) ?? "";
  const two = keys.findLast((key) => hashOf(key).startsWith("42")) ?? "";
  expect(one).not.toBe(two);
  first.push({ ...keysPush({ [one]: { owner: "anna" }, [two]: {} }), reset: 1, complete: 1 });
  const alternate = (times: number) => {
    for (let i = 0; i < times; i++)
      for (const key of [one, two])
        expect(first.try(key, { model: "nobody" }).slice(0, 3)).toBe("404");
  };
  alternate(200);
  const before = first.host.memorySize;
  // The VM's memory doubles, so it takes many to see a few bytes of each.
  alternate(7000);
  expect(first.host.memorySize).toBe(before);
}, 60_000);

it("Envoy's service counts a key's limits though the filter counts those of its group", async () => {
  const text = CONFIGURATION.replace(
    "name: grouped,",
    "name: grouped, ratelimits: [{requests: 3, unit: minute}],",
  );
  const [worker] = await startWorkers(1, {
    text: `${text}ratelimit_service: {address: "127.0.0.1:8081"}\n`,
  });
  const limits = [{ requests: 1, per: "hour" } as const];
  worker?.push({ reset: 1, complete: 1, groups: { research: { limits } } });
  const state = worker?.ask("b".repeat(30)).filterState ?? new Map<string, string>();
  expect([...state.keys()].filter((name) => name.startsWith("gateway_limit_check"))).toHaveLength(
    1,
  );
  expect(worker?.try("b".repeat(30))).toContain("1 requests an hour for group research");
});

it("the content log has the client of a key as the usage record has it", async () => {
  const more = "observability: {metrics: {address: 127.0.0.1}, content: {}}\n";
  const [worker] = await startWorkers(1, { text: `${CONFIGURATION}${more}` });
  worker?.push({
    ...{ reset: 1, complete: 1, groups: { research: {}, 'quoted "group"': {} } },
    ...keysPush({
      [KEY]: { owner: "o'neil\\ops", groups: ["research", 'quoted "group"'] },
      plain: { id: "key_plain", name: "plain" },
    }),
  });
  for (const key of [KEY, "plain"]) {
    const asked = worker?.ask(key);
    if (asked === undefined) throw new Error("no worker");
    const text = asked.filterState.get(PROPERTY_CONTENT) ?? "";
    const content = JSON.parse(text) as Record<string, unknown>;
    const client = (line: object) =>
      Object.fromEntries(
        Object.entries(line).filter(([name]) => ["key", "key_id", "group", "user"].includes(name)),
      );
    expect(client(content)).toEqual(client(recordOf(asked)));
    expect(content["key_id"]).toMatch(/^key_/);
    expect(content["user"]).toBe(key === KEY ? "o'neil\\ops" : undefined);
  }
});
