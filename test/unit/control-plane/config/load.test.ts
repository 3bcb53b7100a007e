// Loading never throws, never repeats a secret, and says the place of every problem.
import { readFileSync, readdirSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parse as parseYaml, stringify } from "yaml";
import { readDocument } from "../../../../control-plane/config/yaml/yaml-document.ts";
import { loadConfiguration } from "../../../../control-plane/config/load.ts";
import type { LoadResult } from "../../../../control-plane/config/load.ts";
import { formatProblem } from "../../../../control-plane/report/problem.ts";

const goldens = `${import.meta.dirname}/../../../config`;
const cases = readdirSync(goldens, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => ({ name, text: readFileSync(`${goldens}/${name}/config.yaml`, "utf8") }));
const texts = cases.map(({ text }) => text);

function load(text: string, environment: Record<string, string> = {}): LoadResult {
  return loadConfiguration({ file: "gateway.yaml", text }, environment);
}

function report(result: LoadResult): string {
  return (result.ok ? result.warnings : result.problems).map(formatProblem).join("\n");
}

/** A model, or problems that stand inside the text. */
function expectSound(text: string, result: LoadResult): void {
  const lines = text.split("\n");
  if (!result.ok) expect(result.problems.length).toBeGreaterThan(0);
  for (const { line, column } of result.ok ? result.warnings : result.problems) {
    expect(line).toBeGreaterThanOrEqual(1);
    expect(line).toBeLessThanOrEqual(lines.length);
    expect(column).toBeGreaterThanOrEqual(1);
    expect(column).toBeLessThanOrEqual((lines[line - 1] ?? "").length + 1);
  }
}

describe("any text", () => {
  it("a text of any bytes gives a model or problems", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 400 }), (text) => {
        expectSound(text, load(text));
      }),
      { numRuns: 100 },
    );
  });

  it("a text of YAML's characters gives a model or problems", () => {
    const piece = fc.constantFrom(
      ..."abc:-[]{}&*!|>'\"#%@`,?$\n\n\n  \t".split(""),
      ...["llm_providers", "listeners", "model: ", "- ", ": ", "<<", "*a", "&a ", "---\n", "${A}"],
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 80 }), (pieces) => {
        const text = pieces.join("");
        expectSound(text, load(text));
      }),
      { numRuns: 300 },
    );
  });

  it("made of a golden configuration by a few edits gives a model or problems", () => {
    const edit = fc.record({
      at: fc.double({ min: 0, max: 1, noNaN: true }),
      removed: fc.nat({ max: 12 }),
      added: fc.string({ unit: "binary", maxLength: 6 }),
    });
    fc.assert(
      fc.property(
        fc.constantFrom(...texts),
        fc.array(edit, { minLength: 1, maxLength: 4 }),
        (golden, edits) => {
          let text = golden;
          for (const { at, removed, added } of edits) {
            const position = Math.floor(at * text.length);
            text = text.slice(0, position) + added + text.slice(position + removed);
          }
          expectSound(text, load(text));
        },
      ),
      { numRuns: 150 },
    );
  });

  it("a text of any values under the known keys gives a model or problems", () => {
    const word = fc.constantFrom(
      ...["version", "listeners", "ingress", "egress", "port", "address", "timeout", "type"],
      ...["llm_providers", "model_providers", "model", "access_key", "headers", "base_url", "name"],
      ...[
        "model_aliases",
        "target",
        "targets",
        "limits",
        "request_body",
        "access_log",
        "endpoints",
      ],
      ...[
        "prompt_targets",
        "endpoint",
        "parameters",
        "constructor",
        "toString",
        "0",
        "hasOwnProperty",
      ],
    );
    const leaf = fc.oneof(
      fc.string(),
      fc.integer(),
      fc.double(),
      fc.boolean(),
      fc.constant(null),
      fc.constantFrom("openai/gpt-4o", "$A", "demo/x", "30s", "https://a", "none", "${", "ollama/"),
    );
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: "small" },
        leaf,
        fc.array(tie("value"), { maxLength: 3 }),
        fc.dictionary(word, tie("value"), { maxKeys: 5 }),
      ),
    }));
    fc.assert(
      fc.property(fc.dictionary(word, value, { maxKeys: 6 }), (configuration) => {
        const text = stringify(configuration);
        expectSound(text, load(text, { A: "a" }));
      }),
      { numRuns: 150 },
    );
  });

  it("a text that is nested absurdly or is absurdly long is refused", () => {
    for (const text of [
      "[".repeat(100_000),
      `${"a: ".repeat(5000)}b`,
      "- ".repeat(20_000),
      "a".repeat(2_000_000),
    ]) {
      expect(load(text).ok).toBe(false);
    }
  });

  it("a text gives the same however its lines end", () => {
    for (const text of texts) {
      expect(report(load(text.replaceAll("\n", "\r\n")))).toBe(report(load(text)));
    }
  });
});

describe("a literal secret", () => {
  const secret = fc
    .tuple(
      fc.constantFrom("sk-proj-", "sk-ant-api03-", "gsk_", "xai-", "hf_"),
      fc.stringMatching(/^[A-Za-z0-9]{16,40}$/),
    )
    .map(([beginning, rest]) => beginning + rest);
  const anyText = fc.stringMatching(/^[A-Za-z0-9$%+/=._-]{6,40}$/);
  const places: ((key: string) => unknown)[] = [
    (key) => ({ access_key: key }),
    (key) => ({ access_key: [key] }),
    (key) => ({ access_key: { key } }),
    (key) => ({ access_key: `Bearer ${key}` }),
    (key) => ({ access_key: `$HOME${key}` }),
    (key) => ({ headers: { authorization: `Bearer ${key}` } }),
    (key) => ({ headers: { "x-api-key": key } }),
    (key) => ({ headers: { "X-Goog-Api-Key": [key] } }),
    (key) => ({ headers: { cookie: { a: key } } }),
    (key) => ({ headers: { "x-auth-token": `${key}\n` } }),
    (key) => ({ base_url: `https://user:${key}@llm.example.com` }),
    (key) => ({ base_url: `https://llm.example.com/?key=${key}` }),
    (key) => ({ api_key: key }),
  ];

  it.each(places.map((place, index) => [index, place] as const))(
    "a literal secret is refused and not repeated, whatever it is (place %d)",
    (_index, place) => {
      fc.assert(
        fc.property(anyText, (key) => {
          const text = stringify({
            llm_providers: [{ model: "ollama/x", ...(place(key) as object) }],
          });
          const result = load(text, { HOME: "/h" });
          expect(result.ok).toBe(false);
          expect(report(result)).not.toContain(key);
        }),
        { numRuns: 60 },
      );
    },
  );

  it("a literal secret that looks like a key is not repeated from anywhere", () => {
    const shapes: ((key: string) => unknown)[] = [
      (key) => ({ llm_providers: [{ model: key }] }),
      (key) => ({ llm_providers: [{ model: `${key}/x` }] }),
      (key) => ({ llm_providers: [{ model: "ollama/x", name: [key], provider_interface: key }] }),
      (key) => ({ llm_providers: [{ model: "ollama/x", [key]: 1, headers: { [key]: 1 } }] }),
      (key) => ({ llm_providers: [key, `access_key ${key}`, { model: "ollama/x" }] }),
      (key) => ({
        llm_providers: [{ model: "ollama/x" }],
        model_aliases: { [key]: { target: key } },
      }),
      (key) => ({ [key]: key, listeners: { [key]: {}, egress: { address: key, timeout: key } } }),
      (key) => ({
        version: key,
        access_log: { directory: key },
        endpoints: { a: { endpoint: key } },
      }),
      (key) => key,
    ];
    fc.assert(
      fc.property(secret, fc.constantFrom(...shapes), (key, shape) => {
        const result = load(stringify(shape(key)));
        expect(result.ok).toBe(false);
        expect(report(result)).not.toContain(key);
      }),
      { numRuns: 150 },
    );
  });

  it("a literal secret is not repeated from a damaged file", () => {
    const edit = fc.record({
      at: fc.nat({ max: 80 }),
      added: fc.constantFrom("", '"', "[", ":", "\t", "{", "'", "*", "&", "!", "%", "- "),
    });
    fc.assert(
      fc.property(secret, edit, (key, { at, added }) => {
        const golden = `llm_providers:\n  - model: openai/x\n    access_key: ${key}\n    default: true\n`;
        const start = golden.indexOf(key);
        // Outside of the key itself: a key in two pieces is no longer the key.
        const position = at < start ? at : Math.min(golden.length, at + key.length);
        const text =
          golden.slice(0, position) + added + golden.slice(position + (added === "" ? 1 : 0));
        fc.pre(text.includes(key));
        expect(report(load(text))).not.toContain(key);
      }),
      { numRuns: 200 },
    );
  });
});

describe("values of the environment", () => {
  it("values of the environment are in no problem and no warning", () => {
    const text = `
listeners: { egress: { port: $A, address: $A, timeout: $A } }
llm_providers:
  - { model: openai/x, access_key: $K, headers: { x-a: $A }, default: $A }
limits: { request_body: $A }
version: $A
access_log: { directory: $A }
`;
    const result = load(text, { A: "swordfish 42\n", K: "sword fish" });
    expect(result.ok).toBe(false);
    expect(report(result)).not.toMatch(/sword|fish|42/);
  });

  it("values of the environment apply to their provider only", () => {
    const text = "llm_providers: [{ model: demo/x, system_prompt: $constructor $toString }]";
    const result = loadConfiguration({ file: "gateway.yaml", text }, { ...process.env });
    expect(report(result)).toContain("constructor is not set");
    expect(report(result)).toContain("toString is not set");
  });

  it("values of keys are not in the model", () => {
    const text = "llm_providers: [{ model: openai/x, access_key: $K, headers: { x-b: a $B c } }]";
    const result = load(text, { K: "swordfish", B: "blowfish" });
    expect(result).toMatchObject({ ok: true, model: { filterEnvironment: ["B", "K"] } });
    expect(JSON.stringify(result)).not.toMatch(/fish/);
  });
});

describe("one load", () => {
  it("a load gives the same model twice, byte for byte", () => {
    for (const text of texts) {
      expect(JSON.stringify(load(text))).toBe(JSON.stringify(load(text)));
    }
  });

  it("a load reports problems in the file's order, each once", () => {
    for (const text of texts) {
      const result = load(text);
      if (result.ok) continue;
      const places = result.problems.map(({ line, column }) => line * 10_000 + column);
      expect(places).toEqual([...places].sort((one, other) => one - other));
      const lines = result.problems.map(formatProblem);
      expect(new Set(lines).size).toBe(lines.length);
    }
  });

  it("a load accepts nothing that another YAML parser reads otherwise", () => {
    for (const { name, text } of cases.filter((one) => !one.name.startsWith("problem-"))) {
      const { value } = readDocument({ file: name, text });
      expect(value, name).toEqual(parseYaml(text, { merge: true }));
    }
  });
});
