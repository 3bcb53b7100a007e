// The captured content of every case: the request as the client sends it, and the response as the client gets it,
// however it is cut. Nothing is captured of requests that the listener rejects, and no credential.
import { describe, expect, it } from "vitest";
import { PROPERTY_CONTENT } from "../../contract/content-record.ts";
import { ENDPOINTS } from "../../contract/endpoints.ts";
import type { ContentLine } from "./content-line.ts";
import { readCases } from "./case.ts";
import type { ExchangeCase } from "./case.ts";
import { isStream, runInHost } from "./host-ring.ts";
import type { Cut, Observed } from "./host-ring.ts";

const CAPTURED = ENDPOINTS.filter(({ isInference }) => isInference).map(({ path }) => path);
/** Returns the path of an endpoint, which clients may spell in other ways (docs/endpoints.md). */
const endpointOf = (path: string) => {
  const [spelled = ""] = path.split("?", 1);
  const parts = spelled.split("/").filter((part) => part !== "" && part !== "v1");
  return ["", "v1", ...parts].join("/");
};
const isCaptured = (path: string) => CAPTURED.includes(path.split("?", 1)[0] ?? "");

const cases = readCases();

function contentOf({ result }: Observed): ContentLine | undefined {
  const text = result.filterState.get(PROPERTY_CONTENT);
  if (text === undefined) return undefined;
  return JSON.parse(Buffer.from(text, "latin1").toString()) as ContentLine;
}

/** Bytes as a captured text has them; undefined if they are not UTF-8. */
function shown(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** What the policies of the cases in guards/ mask or block. */
const GUARDED =
  /(?:jane|joe)(?:@|\\+u0040)example|4111 ?1111|5555-5555|DE89|\+49 30|390\.533|536-90|ghp_|PRIVATE|admin:/;
const SECRETS = /value-of-\w+|"(?:authorization|x-api-key|cookie)","(?!\*\*\*")/i;

async function check(exchange: ExchangeCase, cut: Cut, split: boolean): Promise<void> {
  const observed = await runInHost(exchange, cut, { split, isObserved: true });
  const content = contentOf(observed);
  const { clientRequest, listener, providerRequests } = exchange;
  const { status, body } = observed.result.response;
  if (content === undefined) {
    // Who may not use models, or calls another endpoint, leaves no content.
    const isRejected = [401, 403, 404, 405].includes(status) && providerRequests.length === 0;
    expect(isRejected || clientRequest.method !== "POST" || !isCaptured(clientRequest.path)).toBe(
      true,
    );
    return;
  }
  expect(content).toMatchObject({ listener, method: "POST" });
  expect(content.path.split("?", 1)[0]).toBe(endpointOf(clientRequest.path));
  expect(JSON.stringify([content.path, content.headers])).not.toMatch(SECRETS);
  expect(content.headers.map(([name]) => name)).toContain("x-request-id");
  const request = shown(clientRequest.body);
  // A body that is announced too large is not waited for.
  if (exchange.name.startsWith("guards/")) expect(content.request).not.toMatch(GUARDED);
  else if (request !== undefined && status !== 413) expect(content.request).toBe(request);
  const response = shown(body);
  if (exchange.name.startsWith("guards/restored-")) {
    expect(content.response).not.toBe("");
    expect(content.response).not.toMatch(GUARDED);
    if (!content.request.includes('"stream":true'))
      expect(content.response.replaceAll("<EMAIL_VDFNUD>", "jane@example.org")).toBe(response);
  } else if (response !== undefined) {
    expect(content.response).toBe(response);
  }
  expect(content).not.toHaveProperty("response_cut");
}

describe("content", () => {
  it.each(cases)("the content log has the content of $name", async (exchange) => {
    await check(exchange, "as written", false);
    await check(exchange, "as written", true);
  });

  const streams = cases.filter(({ providerResponses }) => providerResponses.some(isStream));
  it.each(streams)(
    "the content log has the content of $name, however the stream is cut",
    async (exchange) => {
      await check(exchange, "every byte", false);
      await check(exchange, "at once", true);
    },
  );
});
