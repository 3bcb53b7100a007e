// What `gateway models --refresh` takes of two registries, and what it refuses.
import { createHash } from "node:crypto";
import { createServer } from "node:http";
import type { Server } from "node:http";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AddressInfo } from "node:net";
import { gzipSync, strToU8, zipSync } from "fflate";
import { afterAll, beforeAll, expect, it } from "vitest";
import { loadConfiguration } from "../../../../control-plane/config/load.ts";
import { fetchFacts } from "../../../../control-plane/model-facts/refresh-facts.ts";
import {
  readRefreshed,
  refreshedFile,
  writeRefreshed,
} from "../../../../control-plane/model-facts/refreshed-facts.ts";
import type { Catalogue } from "../../../../model/facts/catalogue.ts";
import { modelFacts, useCatalogue } from "../../../../model/facts/model-facts.ts";

const NOW = new Date("2026-12-01T00:00:00Z");
const EMPTY: Catalogue = { version: 1, sources: [], models: {} };

/** A registry of npm and PyPI; tests change what it serves. */
const served = { models: 1200, output: 1000, isDamaged: false };
let server: Server;
let base = "";

const TARBALL = makeTarball();

function makeTarball(): Uint8Array {
  const model = { id: "claude-next", api: "anthropic-messages", type: "chat", reasoning: true };
  const text = JSON.stringify({
    "anthropic-messages": { "chat:claude-next": { ...model, maxTokens: 256_000 } },
  });
  const header = new Uint8Array(512);
  header.set(strToU8("package/dist/providers/data/anthropic.json"), 0);
  header.set(strToU8(text.length.toString(8).padStart(11, "0")), 124);
  const body = new Uint8Array(Math.ceil(text.length / 512) * 512);
  body.set(strToU8(text));
  return gzipSync(Buffer.concat([header, body, new Uint8Array(1024)]));
}

/** By content: a package has the time when it was made. */
const wheels = new Map<string, Uint8Array>();

function wheel(project: string): Uint8Array {
  const key = `${project} ${String(served.models)}`;
  const made = wheels.get(key) ?? makeWheel(project);
  wheels.set(key, made);
  return made;
}

function makeWheel(project: string): Uint8Array {
  const entry = (cost: number) => ({
    litellm_provider: "openai",
    mode: "chat",
    max_output_tokens: served.output,
    input_cost_per_token: cost,
    output_cost_per_token: cost,
  });
  const names = Array.from({ length: served.models }, (_, index) => `model-${String(index)}`);
  const map = Object.fromEntries(names.map((name) => [name, entry(0.000_001)]));
  const python = `from decimal import Decimal
providers: list[Provider] = [
    Provider(id='openai', models=[ModelInfo(id='model-0', match=ClauseEquals(equals='model-0'),
        prices=ModelPrice(input_mtok=Decimal('1'), output_mtok=Decimal('1')))])  # a comment
]
`;
  return project === "litellm"
    ? zipSync({
        "litellm/model_prices_and_context_window_backup.json": strToU8(JSON.stringify(map)),
      })
    : zipSync({ "genai_prices/data.py": strToU8(python) });
}

beforeAll(async () => {
  server = createServer(({ url = "" }, response) => {
    const hash = (algorithm: string, content: Uint8Array) => {
      const damaged = served.isDamaged ? "x" : "";
      return createHash(algorithm).update(content).update(damaged);
    };
    if (url.startsWith("/npm/@earendil-works")) {
      const integrity = `sha512-${hash("sha512", TARBALL).digest("base64")}`;
      const dist = { tarball: `${base}/files/pi-ai.tgz`, integrity };
      const time = { "2.0.0": "2026-11-30T00:00:00Z" };
      response.end(
        JSON.stringify({ "dist-tags": { latest: "2.0.0" }, time, versions: { "2.0.0": { dist } } }),
      );
    } else if (url.startsWith("/pypi/")) {
      const project = url.split("/")[2] ?? "";
      const file = (version: string, time: string) => ({
        filename: `${project.replace("-", "_")}-${version}-py3-none-any.whl`,
        url: `/files/${project}`,
        hashes: { sha256: hash("sha256", wheel(project)).digest("hex") },
        "upload-time": time,
      });
      // The highest version is a month older, and the newest one is of an older branch.
      const files = [
        file("1.8.9", "2026-11-30T00:00:00Z"),
        file("1.9.0", "2026-11-29T00:00:00Z"),
        file("2.0.0", "2026-11-01T00:00:00Z"),
      ];
      response.end(JSON.stringify({ files }));
    } else {
      response.end(url.endsWith(".tgz") ? TARBALL : wheel(url.split("/")[2] ?? ""));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  base = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
});
afterAll(() => {
  server.close();
  useCatalogue(undefined);
});

const fetchNow = (old = EMPTY, acceptPrices = false) =>
  fetchFacts(
    undefined,
    old,
    { NPM_CONFIG_REGISTRY: `${base}/npm/`, PIP_INDEX_URL: `${base}/pypi` },
    { now: NOW, acceptPrices },
  );

it("the newest packages by their dates become a catalogue, which a configuration then uses", async () => {
  const { text, models } = await fetchNow();
  expect(models).toBeGreaterThan(1200);
  const { sources } = JSON.parse(text) as Catalogue;
  expect(sources.map(({ version, date }) => [version, date])).toEqual([
    [expect.any(String), "2026-12-01"],
    ["2.0.0", "2026-11-30"],
    ["1.9.0", "2026-11-29"],
    ["1.9.0", "2026-11-29"],
  ]);
  const directory = mkdtempSync(join(tmpdir(), "refreshed-"));
  const file = refreshedFile(join(directory, "state"));
  writeRefreshed(file, { text, from: "" });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const refreshedFacts = readRefreshed(file);
  rmSync(directory, { recursive: true });
  const load = (more: string) =>
    loadConfiguration(
      {
        file: "gateway.yaml",
        text: `${more}llm_providers: [{model: anthropic/claude-next, access_key: $KEY}]\n`,
      },
      { KEY: "k".repeat(30) },
      {
        directory: "/",
        now: NOW,
        readFile: () => (more.includes("own.json") ? text : "{}"),
        ...(refreshedFacts === undefined ? {} : { refreshedFacts }),
      },
    );
  const limitOf = (result: ReturnType<typeof load>) =>
    result.ok ? result.model.targets[0]?.limits?.max_output_tokens : result.problems;
  expect(limitOf(load(""))).toBe(256_000);
  expect(modelFacts("openai", "model-7")?.maxOutputTokens).toBe(1000);
  // What was fetched from elsewhere is not used.
  const url = load("model_facts: https://example.com/models.json\n");
  expect(limitOf(url)).toBeUndefined();
  expect(url.ok && url.warnings.map(({ message }) => message)).toEqual([
    "the URL has not been fetched: the built-in facts are used",
  ]);
  expect(limitOf(load("model_facts: own.json\n"))).toBe(256_000);
  expect(limitOf(load("model_facts: wrong.json\n"))).toMatchObject([
    { path: "model_facts", message: 'wrong.json is no catalogue: it has no "version": 1' },
  ]);
});

it("a price that changes by more than a factor of three stays, unless it is accepted", async () => {
  const { text } = await fetchNow();
  const old = JSON.parse(text) as Catalogue;
  const row = old.models["openai"]?.["model-5"];
  if (row === undefined) throw new Error("no model");
  row.p = { s: [[0, 10, 10]] };
  const kept = await fetchNow(old);
  expect(kept.keptPrices).toEqual(["openai/model-5"]);
  expect((JSON.parse(kept.text) as Catalogue).models["openai"]?.["model-5"]?.p).toEqual(row.p);
  const accepted = await fetchNow(old, true);
  expect(accepted.keptPrices).toEqual([]);
});

it("a checksum that is not the registry's, a list that has shrunk, and a dead registry are refused", async () => {
  served.isDamaged = true;
  await expect(fetchNow()).rejects.toThrow("does not have the checksum of its registry");
  served.isDamaged = false;
  const old = JSON.parse((await fetchNow()).text) as Catalogue;
  served.models = 500;
  await expect(fetchNow(old)).rejects.toThrow(/it has 5\d\d models/);
  served.models = 1200;
  const dead = { NPM_CONFIG_REGISTRY: "http://127.0.0.1:1", PIP_INDEX_URL: "http://127.0.0.1:1" };
  await expect(fetchFacts(undefined, old, dead, { now: NOW, acceptPrices: false })).rejects.toThrow(
    "fetch failed",
  );
});
