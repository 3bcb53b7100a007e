// `gateway sessions`: the list, one session as its turns, and what is missing.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Desk, openDesk } from "./gateway-command.ts";

const CONFIGURATION = "llm_providers: [{model: openai/gpt-4o, access_key: $KEY}]\n";
let desk: Desk;
let logs: string;

const START = Date.parse("2026-11-22T10:00:00.000Z");

const usage = (second: number, id: string, record: object, status = 200) =>
  `${(START / 1000 + second).toFixed(3)} ${String(status)} - 500 1 - - - 9 15 ${JSON.stringify({ id, listener: "egress", ...record })}\n`;

beforeAll(() => {
  desk = openDesk({ "gateway.yaml": CONFIGURATION, ".env": "KEY=a-key-of-openai\n" });
  logs = join(desk.directory, "logs");
  mkdirSync(logs);
  const model = { target: "openai/gpt-4o", key: "team" };
  const broken = { ...model, session: "ses_e", dialect: "anthropic_messages" };
  const prompt = { tools: "aaabbbccc", system: "ssss", count: 1, messages: "mmmm" };
  const changed = { ...prompt, tools: "aaaBBBccc" };
  writeFileSync(
    join(logs, "access_usage.log"),
    usage(-90_000, "d-1", { ...model, session: "ses_d", input: 7 }) +
      usage(-90_000, "d-2", { ...model, key: "other", session: "ses_d", input: 8 }) +
      usage(-80_020, "e-1", { ...broken, input: 20_000, cache_write: 19_000, prompt }) +
      usage(-80_010, "e-2", { ...broken, input: 21_000, cache_read: 19_000, prompt }) +
      usage(-80_000, "e-3", { ...broken, input: 22_000, cache_write: 21_900, prompt: changed }) +
      usage(0, "a-1", { ...model, session: "ses_a", input: 1000, output: 10 }) +
      usage(1, "b-1", {
        ...model,
        session: "ses_b",
        agent: "codex_cli_rs/0.169",
        input: 50,
        output: 1,
      }) +
      usage(2, "a-2", { ...model, session: "ses_a", input: 2000, cache_read: 900, affinity: 1 }) +
      usage(3, "a-s", { ...model, session: "ses_a", subagent: "agent-1", input: 10 }) +
      usage(
        4,
        "a-3",
        {
          ...model,
          session: "ses_a",
          agent: "claude-cli/2.1.330",
          code: "bad",
          message: "No\u001b[31m tool",
        },
        400,
      ),
  );
});
afterAll(() => desk.clear());

const run = (...words: string[]) => desk.run("sessions", "--log-dir", logs, ...words);

it("gateway sessions lists what each session has used, the last one first", async () => {
  const { code, stdout } = await run("--since", "2026-11-22");
  expect(code).toBe(0);
  const [head = "", first = "", second = "", end] = stdout.split("\n");
  expect(head).toMatch(/^LAST +AGENT +MODEL +KEY +TURNS +SUB +IN +CACHED +COST +SESSION +ERROR$/);
  expect(first).toMatch(
    /^2026-11-22T10:00:04Z +claude-cli\/2\.1\.330 +openai\/gpt-4o +team +3 +1 +3010 +30 % +\$0\.\d+ +ses_a +bad: No\?\[31m tool$/,
  );
  expect(second).toMatch(/ codex_cli_rs\/0\.169 .* 1 +- +50 +0 % .* ses_b +-$/);
  expect(end).toBe("");

  const json = await run("--since", "2026-11-22", "--json", "-n", "1");
  expect(json.stdout.trim().split("\n")).toHaveLength(1);
  expect(JSON.parse(json.stdout)).toMatchObject({
    ...{ session: "ses_a", agent: "claude-cli/2.1.330", model: "openai/gpt-4o", key: "team" },
    ...{ turns: 3, subagentTurns: 1, inputTokens: 3010, cachedTokens: 900, outputTokens: 10 },
    ...{ begun: "2026-11-22T10:00:00.000Z", ended: "2026-11-22T10:00:04.500Z" },
  });
});

it("gateway sessions shows one session as its turns, the last lines of it with -n", async () => {
  const { stdout } = await run("ses_a");
  const lines = stdout.trim().split("\n");
  expect(lines[0]).toMatch(
    /^TIME +MODEL +OF +IN +CACHED +OUT +COST +CODE +CACHE +REQUEST ID +ERROR$/,
  );
  expect(lines.slice(1).map((line) => /a-\w/.exec(line)?.[0])).toEqual([
    "a-1",
    "a-2",
    "a-s",
    "a-3",
  ]);
  expect(lines[2]).toMatch(/ 2000 +45 % /);
  expect(lines[3]).toMatch(/ agent-1 /);
  const json = await run("ses_a", "--json", "-n", "3");
  const turns = json.stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as object);
  expect(turns).toMatchObject([
    { requestId: "a-2", cachedTokens: 900, affinity: true, error: null },
    { requestId: "a-s", subagent: "agent-1", affinity: false },
    { requestId: "a-3", status: 400, inputTokens: null, cachedTokens: null },
  ]);
});

it("gateway sessions reports why a turn of a session did not read from the cache", async () => {
  const { stdout } = await run("ses_e");
  const lines = stdout.trim().split("\n");
  expect(lines[1]).toMatch(/ 200 +first +e-1 /);
  expect(lines[2]).toMatch(/ 200 +- +e-2 /);
  expect(lines[3]).toMatch(/ 200 +tools +e-3 /);
  expect(lines.slice(4)).toEqual([
    "",
    expect.stringMatching(
      /^2026-11-21T11:46:40Z {2}tools\[0\]\.input_schema was changed: 21,000 tokens were not read from the cache \(\$0\.\d+\)$/,
    ),
    expect.stringMatching(/^The cache was lost once: 21,000 tokens, \$0\.\d+\.$/),
  ]);
  const json = await run("ses_e", "--json", "-n", "1");
  expect(JSON.parse(json.stdout)).toMatchObject({
    ...{ requestId: "e-3", kind: "next", comparedWith: "e-2" },
    changed: { path: "tools[0].input_schema", how: "changed" },
    break: { reason: "tools", lostTokens: 21_000 },
  });
});

it("gateway explain compares two requests of the usage log", async () => {
  const explain = (...words: string[]) => desk.run("explain", "--log-dir", logs, ...words);
  const { stdout, code } = await explain("e-3", "e-2");
  expect(code).toBe(0);
  expect(stdout.trim().split("\n")).toEqual([
    "Pause     10 s",
    "Prompt    tools[0].input_schema was changed",
    "Shared    1 of 1 messages; 1 tools before",
    "Cache     0 of 22000 input tokens read",
    expect.stringMatching(/^Lost {6}21000 tokens \(\$0\.\d+\)$/),
    "Reason    tools",
    expect.stringContaining("Result    tools[0].input_schema was changed: 21,000 tokens"),
  ]);
  const same = await explain("--json", "e-1", "e-2");
  expect(JSON.parse(same.stdout)).toMatchObject({ changed: [], report: { kind: "next" } });
  const unknown = await explain("e-1", "no-such-request");
  expect(unknown.code).toBe(2);
  expect(unknown.stderr).toContain("no-such-request is no request in");
  const unobserved = await explain("e-1", "a-1");
  expect(unobserved.code).toBe(1);
  expect(unobserved.stderr).toContain("has no hashes of the prompt of both requests");
});

it("gateway sessions keeps sessions of different keys with one id apart", async () => {
  const several = await run("ses_d");
  expect(several).toMatchObject({ code: 1, stdout: "" });
  expect(several.stderr).toContain("Requests of several keys have the session ses_d.");
  expect(several.stderr).toContain("--key: other, team.");
  const one = await run("ses_d", "--key", "other");
  expect(one.code).toBe(0);
  expect(one.stdout).toContain("d-2");
  expect(one.stdout).not.toContain("d-1");
  const listed = await run("--since", "2026-11-20", "--key", "other");
  expect(listed.stdout).toMatch(/ other +1 +- +8 .* ses_d /);
  expect(listed.stdout).not.toContain("team");
});

it("gateway sessions reports an unknown session, a time without any, and a log that is missing", async () => {
  const unknown = await run("ses_c");
  expect(unknown).toMatchObject({ code: 1, stdout: "" });
  expect(unknown.stderr).toContain("has no requests of the session ses_c.");
  const later = await run("--since", "2026-11-23");
  expect(later).toMatchObject({ code: 0, stdout: "" });
  expect(later.stderr).toContain("has no sessions since 2026-11-23T00:00:00Z.");
  const missing = await desk.run("sessions", "--log-dir", join(desk.directory, "nowhere"));
  expect(missing.code).toBe(1);
  expect(missing.stderr).toContain("gateway sessions needs the log that observability writes");
});
