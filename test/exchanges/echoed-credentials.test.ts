// A provider that quotes the key it was sent: in errors and in headers of whatever status, raw or escaped, in one piece or in many.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { loadConfiguration } from "../../control-plane/config/load.ts";
import { filterConfig } from "../../model/filter-document/write-document.ts";
import { RETRY } from "../envoy/models.ts";
import type { ExchangeResult } from "../../control-plane/wasm-host/wasm-exchange.ts";
import { FilterHost, compileFilter } from "../../control-plane/wasm-host/filter-host.ts";
import type { UpstreamResponse } from "../../control-plane/wasm-host/upstream.ts";
import { cutBody } from "./host-ring.ts";
import type { Cut } from "./host-ring.ts";

const FILTER = new URL("../../build/filter.wasm", import.meta.url).pathname;
/** With everything that JSON may escape, and one that begins as another does. */
const KEYS = {
  OPENAI_KEY: "sk-Ab/1+2=_x.9",
  ANTHROPIC_KEY: "sk-Ab/1+2=_x.9-longer",
  EXTRA: "extra-secret",
};
const CLIENTS_KEY = "sk-ant-api03-the-clients-own";

const CONFIG = `
version: v0.1.0
llm_providers:
  - model: openai/gpt
    access_key: $OPENAI_KEY
    headers: { x-extra: "token $EXTRA" }
  - { model: anthropic/claude, access_key: $ANTHROPIC_KEY }
  - { model: vllm/own, base_url: "http://own.test/v1", passthrough_auth: true, provider_interface: openai }
`;

async function startHost(): Promise<FilterHost> {
  const result = loadConfiguration({ file: "gateway.yaml", text: CONFIG }, KEYS);
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  const { model } = result;
  model.targetSets = [
    { name: "several/gpt", targets: [0, 1], retry: RETRY },
    { name: "several/claude", targets: [1, 0], retry: RETRY },
  ];
  return FilterHost.load(await compileFilter(FILTER), {
    filterConfig: filterConfig(model),
    environment: KEYS,
  });
}
const host = await startHost();

type Dialect = "chat" | "messages";
interface Place {
  client: Dialect;
  model: string;
  key: string;
}
const PLACES: Place[] = (["chat", "messages"] as const).flatMap((client) => [
  { client, model: "openai/gpt", key: KEYS.OPENAI_KEY },
  { client, model: "openai/gpt", key: KEYS.EXTRA },
  { client, model: "anthropic/claude", key: KEYS.ANTHROPIC_KEY },
  { client, model: "several/gpt", key: KEYS.OPENAI_KEY },
  { client, model: "several/claude", key: KEYS.ANTHROPIC_KEY },
  { client, model: "vllm/own", key: CLIENTS_KEY },
]);

function ask({ client, model }: Place, upstream: UpstreamResponse, stream = false): ExchangeResult {
  const body = { model, max_tokens: 9, stream, messages: [{ role: "user", content: "hi" }] };
  const result = host.exchange({
    listener: "egress",
    request: {
      method: "POST",
      path: client === "chat" ? "/v1/chat/completions" : "/v1/messages",
      headers: [
        ["content-type", "application/json"],
        ["x-api-key", CLIENTS_KEY],
      ],
      body: Buffer.from(JSON.stringify(body)),
    },
    upstream: () => upstream,
    maxAttempts: 1,
  });
  expect(result.trap).toBeUndefined();
  expect(result.faults).toEqual([]);
  return result;
}

function providerResponse(
  status: number,
  type: string,
  body: string,
  cut: Cut = "at once",
): UpstreamResponse {
  return {
    status,
    headers: [["content-type", type]],
    chunks: cutBody([Buffer.from(body)], cut),
    emptyEnd: cut === "every byte",
  };
}

const textOf = (result: ExchangeResult): string => Buffer.from(result.response.body).toString();
const headersOf = (result: ExchangeResult): string => JSON.stringify(result.response.headers);

/** Some of the characters as escapes of a JSON string. */
function escaped(key: string, choices: number[]): string {
  return Array.from(key)
    .map((character, index) => {
      const code = character.charCodeAt(0).toString(16).padStart(4, "0");
      const choice = choices[index % choices.length] ?? 0;
      if (choice === 1) return `\\u${code}`;
      if (choice === 2) return `\\u${code.toUpperCase()}`;
      return choice === 3 && character === "/" ? "\\/" : character;
    })
    .join("");
}

describe.each(PLACES)("$client client, $model, $key", (place) => {
  const { key } = place;

  it("an echoed credential is masked in the message of a JSON error, however it is escaped", () => {
    const choices = fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 30 });
    const before = fc.constantFrom("", "Bearer ", "\\\\", "\\n", "é\\t", "sk-", "sk-Ab/1+");
    fc.assert(
      fc.property(choices, before, (how, start) => {
        const quoted = `{"error":{"message":"Wrong key: ${start}${escaped(key, how)}.","type":"t"}}`;
        const text = textOf(ask(place, providerResponse(401, "application/json", quoted)));
        const { error } = JSON.parse(text) as { error: { message: string } };
        const plain = JSON.parse(`"${start}"`) as string;
        expect(error.message).toBe(`Wrong key: ${plain}***.`);
      }),
      { numRuns: 60 },
    );
  });

  it.each<Cut>(["at once", "every byte"])(
    "an echoed credential is masked in text and in pages, cut %s",
    (cut) => {
      const text = `no such key: Bearer ${key} (${key})`;
      expect(textOf(ask(place, providerResponse(403, "text/plain", text, cut)))).toContain(
        "no such key: Bearer *** (***)",
      );
      const page = `<html><body>no such key: ${key}</body></html>`;
      expect(textOf(ask(place, providerResponse(500, "text/html", page, cut)))).toContain(
        "no such key: ***",
      );
      const asResponse = textOf(ask(place, providerResponse(200, "text/html", page, cut)));
      expect(asResponse).not.toContain(key);
      if (cut === "at once") expect(asResponse).toContain("no such key: ***");
    },
  );

  it("an echoed credential is masked where the text is cut in the middle of it", () => {
    for (let room = 0; room < key.length + 2; room++) {
      const text = `${"x".repeat(292 - room)} ${key} and so on`;
      const said = textOf(ask(place, providerResponse(500, "text/plain", text)));
      expect(said).not.toContain(key.slice(0, 8));
    }
  });

  it.each([200, 401, 307, 600])(
    "an echoed credential is masked in a header of a response with status %s",
    (status) => {
      const quoted: [string, string][] = [
        ["x-raw", key],
        ["x-bearer", `Bearer ${key}`],
        ["x-json", `{"key":"${escaped(key, [3, 1])}"}`],
        ["retry-after", key],
      ];
      const masked = [
        '["x-raw","***"]',
        '["x-bearer","Bearer ***"]',
        '["x-json","{\\"key\\":\\"***\\"}"]',
      ];
      const { headers, ...rest } = providerResponse(
        status,
        "application/json",
        '{"choices":[],"content":[]}',
      );
      const result = ask(place, { ...rest, headers: [...headers, ...quoted, ["x-other", "1"]] });
      expect(headersOf(result)).not.toContain(key);
      expect(headersOf(result)).not.toContain("u00");
      // In the place of a redirect and of nonsense the client gets an error of the gateway.
      if (status > 401 || status === 307) return;
      for (const header of [...masked, '["retry-after","***"]', '["x-other","1"]'])
        expect(headersOf(result)).toContain(header);
    },
  );

  it("an echoed credential is masked in an error that a 200 holds, complete or in a stream, if it is translated", () => {
    const isForeign = place.model.includes("claude") !== (place.client === "messages");
    if (!isForeign) return;
    const error = `{"type":"error","error":{"type":"t","message":"Wrong key: ${key}"}}`;
    expect(textOf(ask(place, providerResponse(200, "application/json", error)))).toContain(
      "Wrong key: ***",
    );
    const events = `event: error\ndata: ${error}\n\n`;
    const first = ask(place, providerResponse(200, "text/event-stream", events), true);
    expect(textOf(first)).toContain("Wrong key: ***");
    const chunk = `data: {"choices":[{"index":0,"delta":{"content":"hi"}}]}\n\n`;
    const start = `event: content_block_start\ndata: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":"hi"}}\n\n`;
    const begun = (place.client === "messages" ? chunk : start) + events;
    const later = ask(place, providerResponse(200, "text/event-stream", begun), true);
    expect(textOf(later)).toContain("Wrong key: ***");
  });
});

it("a JSON error without the key keeps every byte", () => {
  const [place] = PLACES as [Place];
  const body = '{ "error":{"message":"a \\\\ \\u0073k-Ab\\/1 \\ud83d\\ude00", "x":[1.0] }}';
  expect(textOf(ask(place, providerResponse(400, "application/json", body)))).toBe(body);
});

it("a placeholder that is too short for a secret is left alone", async () => {
  const text = `version: v0.1.0\nllm_providers: [{ model: openai/gpt, access_key: $SHORT }]`;
  const environment = { SHORT: "ollama" };
  const result = loadConfiguration({ file: "gateway.yaml", text }, environment);
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  const small = await FilterHost.load(await compileFilter(FILTER), {
    filterConfig: filterConfig(result.model),
    environment,
  });
  const { response } = small.exchange({
    listener: "egress",
    request: {
      method: "POST",
      path: "/v1/chat/completions",
      headers: [],
      body: Buffer.from('{"model":"openai/gpt","messages":[]}'),
    },
    upstream: () => providerResponse(500, "text/plain", "ollama is not running"),
  });
  expect(Buffer.from(response.body).toString()).toContain("ollama is not running");
});
