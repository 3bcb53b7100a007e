// `gateway explain` of every case: each request is the one that the provider gets, byte for byte, with masked
// credentials. A later attempt is compared where the case has it.
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadConfiguration } from "../../control-plane/config/load.ts";
import { Explainer } from "../../control-plane/explain/explain.ts";
import type { ExplainedAttempt } from "../../control-plane/explain/explain.ts";
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

/** Returns the expected request with the credentials as `explain` shows them. */
function masked(request: string): string {
  return request
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
    expect(attempts.slice(0, count).map(formatted)).toEqual(
      providerRequests.slice(0, count).map(masked),
    );
  });
});
