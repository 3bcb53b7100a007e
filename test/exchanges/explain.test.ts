// `gateway explain` of every case: each request is the one that the provider gets, byte for byte, with masked
// credentials. A later attempt is compared where the case has it.
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadConfiguration } from "../../control-plane/config/load.ts";
import { Explainer } from "../../control-plane/explain/explain.ts";
import type { ExplainedAttempt } from "../../control-plane/explain/explain.ts";
import { explanationLines } from "../../control-plane/explain/explanation-lines.ts";
import { colorsFor } from "../../control-plane/report/terminal.ts";
import { environmentOf, readCases } from "./case.ts";
import type { ExchangeCase } from "./case.ts";
import { formatMessage, readable } from "./http-file.ts";

const FILTER = join(import.meta.dirname, "../../build/filter.wasm");
const explainers = new Map<string, Promise<Explainer>>();

function explainerOf({ name, configuration }: ExchangeCase): Promise<Explainer> {
  let explainer = explainers.get(configuration);
  if (explainer === undefined) {
    const environment = environmentOf(configuration);
    const loaded = loadConfiguration({ file: `${name}.yaml`, text: configuration }, environment);
    if (!loaded.ok) throw new Error(`${name} has an invalid configuration`);
    explainer = Explainer.open({ model: loaded.model, environment, filterFile: FILTER });
    explainers.set(configuration, explainer);
  }
  return explainer;
}

/** Returns the request as a case has it. */
function formatted({ method, url, headers, body, encoding }: ExplainedAttempt): string {
  const { host } = /^https?:\/\/(?<host>[^/]+)/.exec(url)?.groups ?? {};
  const path = url.slice(url.indexOf("/", "https://".length));
  return readable(
    formatMessage(
      `${method} ${path} HTTP/1.1`,
      [["host", host ?? ""], ...headers],
      Buffer.from(body, encoding),
    ),
  );
}

/** Returns a request without what follows the kind in placeholders: a hash whose key is a credential, which `explain` has not. */
function withoutHashes(request: string): string {
  return request.replaceAll(/<([A-Z]+(?:_[A-Z]+)*)_[\dA-HJ-NP-X]{6}>/g, "<$1_…>");
}

/** Returns the expected request with the credentials as `explain` shows them. */
function masked(request: string): string {
  return withoutHashes(request)
    .replaceAll(/value-of-([A-Za-z_]\w*)/g, (_, name: string) => `$${name}`)
    .replaceAll(
      /^((?:authorization|x-api-key|api-key|x-goog-api-key|cookie): (?:Bearer |Basic )?)([^$\n].*)$/gim,
      (line, start: string, credential: string) =>
        credential.startsWith("Bearer $") ? line : `${start}***`,
    );
}

const cases = readCases().filter(({ providerRequests }) => providerRequests.length > 0);

describe("explain gives the request that the provider gets", () => {
  it.each(cases)("$name", async (exchange) => {
    const { clientRequest, providerRequests } = exchange;
    const { method, path, headers, body } = clientRequest;
    const explainer = await explainerOf(exchange);
    const { attempts } = await explainer.explain({
      method,
      path,
      headers: headers
        .filter(([name]) => name !== "content-length")
        .map(([name, value]): [string, string] => [name, value]),
      body,
    });
    const count = Math.min(attempts.length, providerRequests.length);
    expect(count).toBeGreaterThan(0);
    expect(attempts.slice(0, count).map(formatted).map(withoutHashes)).toEqual(
      providerRequests.slice(0, count).map(masked),
    );
  });
});

describe("explain of a session", () => {
  const explain = async (more: string, headers: [string, string][]) => {
    const configuration = `llm_providers:
  - {model: openai/gpt-4o, access_key: [$ONE, $TWO]}
  - {model: groq/llama, access_key: $ONE}
  - {model: xai/grok, access_key: $ONE}
model_aliases:
  shared:
    targets: [{model: openai/gpt-4o}, {model: groq/llama}, {model: xai/grok}]
${more}`;
    const loaded = loadConfiguration(
      { file: "sessions.yaml", text: configuration },
      environmentOf(configuration),
    );
    if (!loaded.ok) throw new Error("the configuration is invalid");
    const { model } = loaded;
    const explainer = await Explainer.open({
      model,
      environment: environmentOf(configuration),
      filterFile: FILTER,
    });
    const request = {
      method: "POST",
      path: "/v1/chat/completions",
      headers: [["content-type", "application/json"], ...headers] as [string, string][],
      body: Buffer.from('{"model":"shared","messages":[{"role":"user","content":"Hi"}]}'),
    };
    const explanation = await explainer.explain(request);
    return { explanation, lines: explanationLines(explanation, request, colorsFor({})) };
  };

  it.each([
    ["latency", /^Balance +latency: of two targets drawn by weight, the one with the shorter /],
    ["load", /^Balance +load: of two targets drawn by weight, the one with fewer open requests; /],
    ["cost", /^Balance +cost: the cheapest target for this request, /],
  ])("gateway explain says how the first target is chosen with balance: %s", async (word, line) => {
    const of = (headers: [string, string][]) => explain(`    balance: ${word}\n`, headers);
    const { explanation, lines } = await of([["x-session-id", "one"]]);
    expect(explanation).toMatchObject({ balance: word, affinity: "session" });
    expect(lines).toContainEqual(expect.stringMatching(line));
    expect(lines).toContainEqual(
      expect.stringMatching(
        /^Affinity +the session stays at the target that its first request got/,
      ),
    );
    const without = await of([]);
    expect(without.lines).toContainEqual(
      expect.stringMatching(
        /^Affinity +no session decides: the target is chosen for each request, /,
      ),
    );
  });

  it("gateway explain has the session, what it decides, and its own order of targets", async () => {
    const firsts = new Set<string | undefined>();
    for (const id of ["a", "b", "c", "d", "e", "f"]) {
      const { explanation, lines } = await explain("", [
        ["x-session-id", id],
        ["x-openai-subagent", "review"],
      ]);
      expect(explanation).toMatchObject({ session: id, subagent: "review", affinity: "session" });
      expect(lines).toContainEqual(expect.stringMatching(`^Session +${id}, sub-agent review$`));
      expect(lines).toContainEqual(expect.stringMatching(/^Affinity +the session decides: /));
      firsts.add(explanation.attempts[0]?.target);
    }
    expect(firsts.size).toBeGreaterThan(1);
  });

  it("gateway explain reports that affinity is off, or that the request has no session that decides", async () => {
    const off = await explain("sessions: {affinity: off}\n", [["x-session-id", "a"]]);
    expect(off.explanation).toMatchObject({ session: "a", affinity: "off" });
    expect(off.lines).toContainEqual(expect.stringMatching(/^Affinity +off: /));
    const none = await explain("", []);
    expect(none.explanation.affinity).toBe("none");
    expect(none.lines).toContainEqual(expect.stringMatching(/^Affinity +no session decides: /));
  });
});
