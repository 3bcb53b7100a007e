// `npm run bench -- keys`: a hundred thousand keys of run time (time until Envoy has them, memory, a change), and the instructions of a
// request with a key and with a token. Times need a quiet machine, instructions do not.
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { KeyFile, KEYS_FILE } from "../control-plane/keys/key-file.ts";
import { hashOf, type KeyRecord } from "../control-plane/keys/key-records.ts";
import { Keys } from "../control-plane/keys/key-service.ts";
import { requireEnvoy } from "../control-plane/supervisor/envoy-binary.ts";
import { loadConfiguration } from "../control-plane/config/load.ts";
import { ensureValgrind } from "../scripts/valgrind.ts";
import { table } from "../scripts/docs/markdown.ts";
import { type Gateway, startGateway } from "../test/gateway/gateway.ts";
import { signingKey, startIssuer, tokenOf } from "../test/gateway/token-issuer.ts";
import { startOpenaiProvider } from "../test/providers/openai.ts";
import { Callgrind, callgrindCommand } from "./callgrind.ts";
import { processorTime, residentMemory } from "./measure.ts";
import { median } from "./report.ts";

const KEYS = 100_000;
const BATCH = 5_000;
const ROUNDS = 3;
const REQUESTS = 100;
const TEAM_KEY = "a-key-of-the-configuration-0123";
const ENVIRONMENT = { OPENAI_API_KEY: "sk-provider", TEAM_KEY };

/** Returns Markdown tables. */
export async function keysTables(): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), "gateway-bench-keys-"));
  try {
    const scale = await scaleTable(directory);
    return `${scale}\n\n${await countTable(directory)}`;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function scaleTable(directory: string): Promise<string> {
  const rows: string[][] = [];
  for (const count of [1, KEYS]) rows.push(await scaleRow(join(directory, String(count)), count));
  const head =
    "keys | Envoy has all after, ms | CPU of both, ms | Envoy, MB | gateway, MB | a change, ms";
  return table(head.split(" | "), rows);
}

async function scaleRow(directory: string, count: number): Promise<string[]> {
  mkdirSync(directory, { recursive: true });
  const text = "keys: {}\nllm_providers: [{model: openai/gpt-4o, access_key: $OPENAI_API_KEY}]\n";
  const loaded = loadConfiguration({ file: "bench.yaml", text }, ENVIRONMENT);
  if (!loaded.ok) throw new Error("the configuration is invalid");
  const file = new KeyFile(join(directory, KEYS_FILE));
  for (let at = 0; at < count; at += BATCH)
    file.write(
      Array.from({ length: Math.min(BATCH, count - at) }, (_, number) => ({
        kind: "key" as const,
        record: recordOf(at + number),
      })),
    );
  file.close();
  const gateway = await startGateway({ config: text, environment: ENVIRONMENT });
  const report = (line: string) => {
    console.error(line);
  };
  const keys = new Keys({ directory, report });
  try {
    const [envoyBefore, ownBefore] = [residentMemory(gateway.pid), process.memoryUsage().rss];
    const cpuBefore = processorTime(gateway.pid) + processorTime(process.pid);
    const started = performance.now();
    await keys.use({ model: loaded.model, environment: ENVIRONMENT });
    await keys.attach(gateway.budgetsSocketPath);
    const milliseconds = performance.now() - started;
    const cpu = processorTime(gateway.pid) + processorTime(process.pid) - cpuBefore;
    const envoy = residentMemory(gateway.pid) - envoyBefore;
    const own = (process.memoryUsage().rss - ownBefore) / 2 ** 20;
    const changes: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const before = performance.now();
      await keys.update("key-0", { isDisabled: round % 2 === 0 });
      changes.push(performance.now() - before);
    }
    return [
      count.toLocaleString("en-US"),
      ...[milliseconds, cpu, envoy, own, median(changes)].map((one) => one.toFixed(0)),
    ];
  } finally {
    await keys.close();
    await gateway.stop();
  }
}

function recordOf(number: number): KeyRecord {
  const name = `key-${String(number)}`;
  return {
    ...{ id: `key_${String(number).padStart(20, "0")}`, name, hash: hashOf(`gwk_${name}`) },
    ...{ hint: "gwk_…abcd", owner: `user-${String(number % 500)}@example.com` },
    ...{ created: 1, createdBy: "bench", updated: 1, version: 1 },
  };
}

/** Counts requests of clients that the gateway knows in different ways, on one listener. */
async function countTable(directory: string): Promise<string> {
  const valgrind = await ensureValgrind(console.error);
  if ("missing" in valgrind) return `Not counted: ${valgrind.missing}.`;
  const key = signingKey("rsa", "RS256");
  const issuer = await startIssuer("https://issuer.test", [key]);
  const provider = await startOpenaiProvider({ key: "sk-provider" });
  const config = `
listeners:
  egress:
    api_keys: [$TEAM_KEY]
    jwt:
      issuer: ${issuer.issuer}
      audiences: [llm]
      jwks_uri: ${issuer.keySetUrl}
      claims: {name: azp, user: email, groups: groups}
llm_providers: [{model: openai/gpt-4o, base_url: "${provider.url}/v1", access_key: $OPENAI_API_KEY}]
`;
  const envoy = join(directory, "envoy");
  const words = [...callgrindCommand(valgrind, directory), requireEnvoy(process.env).file];
  writeFileSync(envoy, `#!/bin/sh\nexec ${words.map((word) => `'${word}'`).join(" ")} "$@"\n`);
  chmodSync(envoy, 0o755);
  const own = process.env["ENVOY_BIN"];
  process.env["ENVOY_BIN"] = envoy;
  let gateway: Gateway | undefined;
  try {
    gateway = await startGateway({ config, environment: ENVIRONMENT, concurrency: 1 });
    const exp = Math.floor(Date.now() / 1000) + 36_000;
    const claims = { iss: issuer.issuer, aud: "llm", sub: "s", azp: "ci", email: "a@example.com" };
    const token = tokenOf(key, { ...claims, groups: ["research", "eu"], exp });
    const clients = [
      { name: "an API key", credential: TEAM_KEY },
      { name: "a token that was verified before", credential: token },
    ];
    const callgrind = new Callgrind(valgrind, gateway, directory);
    await callgrind.startCounting();
    const rows: string[][] = [];
    for (const { name, credential } of clients) {
      await send(gateway, credential, REQUESTS / 2);
      const one = gateway;
      const all = await callgrind.count(() => send(one, credential, REQUESTS));
      rows.push([name, (all / REQUESTS / 1000).toFixed(1)]);
    }
    return table(["client", "instructions of a request, thousands"], rows);
  } finally {
    if (own === undefined) delete process.env["ENVOY_BIN"];
    else process.env["ENVOY_BIN"] = own;
    await gateway?.stop();
    await Promise.all([issuer.stop(), provider.stop()]);
  }
}

async function send({ ports }: Gateway, credential: string, count: number): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const body = JSON.stringify({
    model: "openai/gpt-4o",
    messages: [{ role: "user", content: "hi" }],
  });
  const headers = { "content-type": "application/json", authorization: `Bearer ${credential}` };
  const to = { agent, port: ports.egress, path: "/v1/chat/completions", method: "POST", headers };
  for (let at = 0; at < count; at++) {
    const status = await new Promise<number>((resolve, reject) => {
      const outgoing = request(to, (response) => {
        response.resume().on("end", () => {
          resolve(response.statusCode ?? 0);
        });
      });
      outgoing.on("error", reject);
      outgoing.end(body);
    });
    if (status !== 200) throw new Error(`a request got ${String(status)}`);
  }
  agent.destroy();
}
