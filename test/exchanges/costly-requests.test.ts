// Requests that are small or valid, and cost more than their size: schemas whose definitions refer to each other, names that come
// many times. None traps the filter, takes seconds, or grows on its way to the provider. So do responses, on their way to the client.
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { loadConfiguration } from "../../control-plane/config/load.ts";
import { FilterHost, compileFilter } from "../../control-plane/wasm-host/filter-host.ts";
import { filterConfig } from "../../model/filter-document/write-document.ts";

const FILTER = join(import.meta.dirname, "../../build/filter.wasm");
const CONFIG = `
llm_providers:
  - {model: vllm/chat, base_url: http://chat.test/v1}
  - {model: openai/gpt-5.5, access_key: $KEY}
  - {model: gemini/gemini-2.0-flash, access_key: $KEY}
  - {model: gemini/gemini-3.5-flash, access_key: $KEY}
  - {model: groq/openai/gpt-oss-120b, access_key: $KEY}
  - {model: anthropic/claude-sonnet-4-5, access_key: $KEY}
  - {model: mistral/magistral-medium-latest, access_key: $KEY}
  - {model: vertex/claude-opus-4-7, access_key: $KEY, project: my-project, location: global, limits: {output_schema: true}}
`;
const MIB = 1024 ** 2;
/** Each takes less than 400 ms on a laptop, and took minutes when its time grew with the square of its size. */
const MAX_MILLISECONDS = 5000;

const OLD_GEMINI = "gemini/gemini-2.0-flash";
const WITHOUT_REFS = "groq/openai/gpt-oss-120b";
const CLAUDE = "anthropic/claude-sonnet-4-5";

let host: FilterHost;

beforeAll(async () => {
  const environment = { KEY: "key" };
  const result = loadConfiguration({ file: "gateway.yaml", text: CONFIG }, environment);
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  host = await FilterHost.load(await compileFilter(FILTER), {
    filterConfig: filterConfig(result.model),
    environment,
  });
});

/** Returns the bytes that the provider gets. */
function send(path: string, text: string): Buffer {
  const { faults, sent } = exchange(path, text);
  expect(faults).toEqual([]);
  const [request] = sent;
  if (request === undefined) throw new Error("The request has not been sent.");
  return Buffer.from(request.body);
}

function exchange(path: string, text: string, response = "{}") {
  return host.exchange({
    listener: "egress",
    request: {
      method: "POST",
      path,
      headers: [["content-type", "application/json"]],
      body: Buffer.from(text),
    },
    upstream: () => ({
      status: 200,
      headers: [["content-type", "application/json"]],
      chunks: [Buffer.from(response)],
      emptyEnd: true,
    }),
  });
}

function many(count: number, write: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => write(index)).join(",");
}

const MESSAGES = `"messages":[{"role":"user","content":"hi"}]`;

const ofMessages = (model: string, tools: string): string =>
  `{"model":"${model}","max_tokens":5,${MESSAGES},"tools":[${tools}]}`;

const ofChat = (parameters: string): string =>
  `{"model":"${CLAUDE}",${MESSAGES},"tools":[{"type":"function","function":{"name":"a","strict":true,"parameters":${parameters}}}]}`;

const refTo = (name: string): string => `{"$ref":"#/$defs/${name}"}`;

const twice = (name: string): string => `{"anyOf":[${refTo(name)},${refTo(name)}]}`;

describe("a schema whose definitions refer to each other in a circle", () => {
  const tool = `{"name":"a","input_schema":{"type":"object","properties":{"x":${refTo("A")}},"$defs":{"A":${refTo("B")},"B":${refTo("A")}}}}`;

  it.each([OLD_GEMINI, WITHOUT_REFS])("allows everything at %s", (model) => {
    const sent = send("/v1/messages", ofMessages(model, tool)).toString();
    expect(sent).toContain(`{"type":"object","properties":{"x":{}}}`);
  });
});

describe("definitions that double with each step", () => {
  const tools = many(
    100,
    (index) =>
      `{"name":"a${index}","input_schema":{"type":"object","properties":{"x":${refTo("A")}},"$defs":{"A":${twice("B")},"B":${twice("A")}}}}`,
  );

  it.each([OLD_GEMINI, WITHOUT_REFS])("add at most 1 MiB to a request at %s", (model) => {
    expect(send("/v1/messages", ofMessages(model, tools)).length).toBeLessThan(1.5 * MIB);
  });
});

describe("a request takes a time that grows with its size", () => {
  const defs = `"$defs":{${many(60_000, (index) => `"k${index}":1`)}}`;
  const largeCalls = many(
    64,
    (index) =>
      `{"type":"server_tool_use","id":"c${index}","name":"n",${many(2000, (key) => `"k${key}":1`)},"input":{}}`,
  );
  const results = many(20_000, () => `{"type":"mcp_tool_result","tool_use_id":"z"}`);
  const pieces = many(60_000, () => `{"type":"summary_text","text":"a"}`);

  it.each([
    [
      "references at an old Gemini",
      "/v1/messages",
      ofMessages(
        OLD_GEMINI,
        `{"name":"a","input_schema":{"type":"object","properties":{${many(60_000, (index) => `"a${index}":${refTo("k59999")}`)}},${defs}}}`,
      ),
    ],
    [
      "references",
      "/v1/messages",
      ofMessages(
        WITHOUT_REFS,
        `{"name":"a","input_schema":{"type":"object","a":[${many(60_000, () => refTo("k59999"))}],${defs}}}`,
      ),
    ],
    [
      "names of tools that the provider rejects",
      "/v1/messages",
      ofMessages(
        "vllm/chat",
        many(60_000, (index) => `{"name":".${index}","input_schema":{}}`),
      ),
    ],
    [
      "the same member of a strict schema",
      "/v1/chat/completions",
      ofChat(`{"type":"object","properties":{"x":{${many(200_000, () => `"oneOf":1`)}}}}`),
    ],
    [
      "another member of a strict schema",
      "/v1/chat/completions",
      ofChat(
        `{"type":"object","properties":{"x":{"type":"object",${many(100_000, () => `"additionalProperties":1`)}}}}`,
      ),
    ],
    [
      "members with another name at Mistral",
      "/v1/chat/completions",
      `{"model":"mistral/magistral-medium-latest",${MESSAGES},${many(60_000, () => `"seed":1,"max_completion_tokens":1`)}}`,
    ],
    [
      "the same member with another name at a cloud",
      "/v1/messages",
      `{"model":"vertex/claude-opus-4-7","max_tokens":5,${MESSAGES},"output_config":{},${many(60_000, () => `"output_format":{}`)}}`,
    ],
    [
      "pieces of reasoning",
      "/v1/responses",
      `{"model":"${WITHOUT_REFS}","input":[{"type":"reasoning","id":"r","summary":[${pieces}]},{"type":"message","role":"assistant","content":"yes"},{"type":"message","role":"user","content":"hi"}]}`,
    ],
    [
      "elements that are no actions of a computer",
      "/v1/responses",
      `{"model":"${CLAUDE}","input":[{"type":"computer_call","call_id":"c","actions":[${many(1_000_000, () => "1")}]},{"type":"computer_call_output","call_id":"c","output":"ok"}]}`,
    ],
    [
      "results beside large calls that the provider ran",
      "/v1/messages",
      `{"model":"vllm/chat","max_tokens":5,"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":[${largeCalls},${results},{"type":"text","text":"a"}]},{"role":"user","content":"hi"}]}`,
    ],
  ])("%s", (_name, path, text) => {
    const start = performance.now();
    send(path, text);
    expect(performance.now() - start).toBeLessThan(MAX_MILLISECONDS);
  });
});

it("a strict union with too many branches for one object is sent without strict", () => {
  const branches = many(
    40,
    (index) => `{"type":"object","properties":{"p${index}":{"type":"string"}}}`,
  );
  const sent = send("/v1/chat/completions", ofChat(`{"anyOf":[${branches}]}`)).toString();
  expect(sent).toContain(`"input_schema":{"type":"object","description":`);
  expect(sent).not.toContain(`"additionalProperties":false`);
  expect(sent).not.toContain(`"strict"`);
});

it("a tool's schema that is a reference has the definition in its place", () => {
  const schema = `{"$ref":"#/definitions/Place","definitions":{"Place":{"type":"object","properties":{"city":{"type":"string"}}}}}`;
  const sent = send(
    "/v1/messages",
    ofMessages(WITHOUT_REFS, `{"name":"a","input_schema":${schema}}`),
  );
  expect(sent.toString()).toContain(
    `"parameters":{"type":"object","properties":{"city":{"type":"string"}}}`,
  );
});

describe("a request with very many tools or actions", () => {
  const toolset = `{"type":"mcp_toolset","mcp_server_name":"none"}`;
  const tools = many(60_000, () => toolset);
  const servers = many(60_000, () => `{"type":"url","name":"a","url":"https://a.example"}`);
  const code = many(60_000, () => `{"type":"code_interpreter","container":{"type":"auto"}}`);
  const functions = many(60_000, (index) => `{"type":"function","name":"a${index}"}`);
  const actions = many(300_000, () => "{}");
  const calls = many(
    2000,
    (index) =>
      `{"type":"computer_call","call_id":"c${index}","actions":[{},{}]},{"type":"computer_call_output","call_id":"c${index}","output":{}}`,
  );

  it.each([
    [
      "toolsets and servers",
      "/v1/messages",
      `{"model":"openai/gpt-5.5","max_tokens":5,${MESSAGES},"tools":[${tools}],"mcp_servers":[${servers}]}`,
    ],
    [
      "hosted tools beside functions",
      "/v1/responses",
      `{"model":"${CLAUDE}","input":"hi","tools":[${code},${functions}]}`,
    ],
    [
      "actions of a computer in one call",
      "/v1/responses",
      `{"model":"${CLAUDE}","input":[{"type":"computer_call","call_id":"c","actions":[${actions}]},{"type":"computer_call_output","call_id":"c","output":{}}]}`,
    ],
    [
      "actions of a computer in many calls",
      "/v1/responses",
      `{"model":"${CLAUDE}","input":[${calls}]}`,
    ],
  ])("a request with very many of them is rejected at once: %s", (_, path, text) => {
    const start = performance.now();
    const { faults, response, sent } = exchange(path, text);
    expect({ faults, status: response.status, sent: sent.length }).toEqual({
      faults: [],
      status: 400,
      sent: 0,
    });
    expect(performance.now() - start).toBeLessThan(MAX_MILLISECONDS);
  });
});

describe("a Gemini response cites a long text for many sources", () => {
  const request = `{"model":"gemini/gemini-3.5-flash","max_tokens":5,${MESSAGES},"tools":[{"type":"web_search_20250305","name":"web_search"}]}`;
  const chunk = (_: unknown, index: number) => ({ web: { uri: `https://${index}.example` } });

  it.each([
    ["one source, many times", Array<number>(256).fill(0), 1],
    ["each once", Array.from({ length: 64 }, (_, index) => index), 64],
  ])("a client gets about as many bytes: %s", (_, groundingChunkIndices, citations) => {
    const segment = { endIndex: 5, text: "a".repeat(MIB / 8) };
    const groundingMetadata = {
      webSearchQueries: ["q"],
      groundingChunks: Array.from({ length: 64 }, chunk),
      groundingSupports: [{ segment, groundingChunkIndices }],
    };
    const content = { role: "model", parts: [{ text: "Hello" }] };
    const candidates = [{ content, finishReason: "STOP", groundingMetadata }];
    const { faults, response } = exchange("/v1/messages", request, JSON.stringify({ candidates }));
    const text = Buffer.from(response.body).toString();
    expect({ faults, status: response.status }).toEqual({ faults: [], status: 200 });
    expect(text.length).toBeLessThan(0.3 * MIB);
    expect(text.match(/"cited_text":"a*"/g)?.length).toBe(64);
    expect(text.match(/"cited_text":"a+"/g)?.length).toBe(Math.min(citations, 2));
  });
});
