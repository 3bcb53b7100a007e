// The TypeScript host against Envoy itself: a probe filter does the same things in both, and has to see the same.
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { constants, crc32, deflateRawSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { filterConfig } from "../../model/filter-document/write-document.ts";
import type { GatewayModel } from "../../model/model.ts";
import { clusters } from "../../envoy/clusters.ts";
import { RETRY } from "./models.ts";
import { startGateway } from "../gateway/gateway.ts";
import type { Gateway } from "../gateway/gateway.ts";
import { headerPairs, open } from "../gateway/raw-client.ts";
import { sendExactly, startProvider } from "../providers/scripted-provider.ts";
import type { ScriptedProvider, ExactResponse } from "../providers/scripted-provider.ts";
import { FilterHost } from "../../control-plane/wasm-host/filter-host.ts";
import type { HeaderPair } from "../../control-plane/wasm-host/header-map.ts";
import { removedHeaders } from "../../control-plane/wasm-host/removed-headers.ts";
import { compileProbe } from "../host/probe.ts";

const CONFIGURATION = `version: v0.1.0
llm_providers:
  - {model: probe/model, base_url: "http://provider.test/v1", provider_interface: openai}
`;
const REQUEST = ["0123", "4567", "89"];
const RESPONSE = ["abcd", "efgh", "ij"];

/** How the response comes, as the request's `x-response` says. */
const KINDS = {
  plain: { headers: [], chunks: RESPONSE.map((text) => Buffer.from(text)) },
  compressed: { headers: [["content-encoding", "gzip"]], chunks: gzipPieces(RESPONSE) },
  "with trailers": {
    headers: [["trailer", "x-probe-trailer"]],
    chunks: RESPONSE.map((text) => Buffer.from(text)),
    trailers: [["x-probe-trailer", "1"]],
  },
} satisfies Record<string, Pick<ExactResponse, "headers" | "chunks" | "trailers">>;
type Kind = keyof typeof KINDS;

function responseTo(request: readonly HeaderPair[]): Omit<ExactResponse, "status" | "pause"> {
  const kind = request.find(([name]) => name === "x-reply")?.[1] as Kind;
  const headers: HeaderPair[] = [
    ["content-type", "text/plain"],
    ["x-probe", "from the provider"],
  ];
  return { ...KINDS[kind], headers: [...headers, ...(KINDS[kind].headers as HeaderPair[])] };
}

/** One gzip body in pieces, each of which can be decompressed when it is here. */
function gzipPieces(texts: string[]): Buffer[] {
  const pieces = texts.map((text) => deflateRawSync(text, { finishFlush: constants.Z_SYNC_FLUSH }));
  const whole = texts.join("");
  const end = Buffer.alloc(10, 0);
  end.set([3, 0]);
  end.writeUInt32LE(crc32(whole), 2);
  end.writeUInt32LE(whole.length, 6);
  const start = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]);
  return pieces.map((piece, at) =>
    Buffer.concat([
      ...(at === 0 ? [start] : []),
      piece,
      ...(at === pieces.length - 1 ? [end] : []),
    ]),
  );
}

/** What a callout of the probe gets. */
const CALLED = {
  status: 201,
  headers: [
    ["x-probe", "called"],
    ["content-length", "6"],
  ] as HeaderPair[],
  chunks: [Buffer.from("called")],
};

let wasm: string;
let gateway: Gateway;
let provider: ScriptedProvider;
let model: GatewayModel;
/** Lines of the probe that are the last scenario's. */
let before = 0;
/** What the first filter on the way back says of each chunk. */
let firstLine = /^/;

function probeLines(log: string): string[] {
  return [...log.matchAll(/wasm log[^:]*: probe (.*)\n/g)].map(([, line = ""]) => line);
}

const PATIENCE_MS = 60_000;

/** How often the probe has said it in this scenario. */
function linesLike(pattern: RegExp): number {
  return probeLines(gateway.envoyLog())
    .slice(before)
    .filter((line) => pattern.test(line)).length;
}

/** Waits until Envoy's probe has said it: then the next chunk cannot run into the last one. */
async function waitForLine(pattern: RegExp, count = 1): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  while (performance.now() < end) {
    if (linesLike(pattern) >= count) return;
    await sleep(5);
  }
  const lines = probeLines(gateway.envoyLog()).slice(before);
  throw new Error(`the probe never said ${pattern}: ${lines.join("\n")}`);
}

beforeAll(async () => {
  wasm = await compileProbe();
  provider = await startProvider((response, { path, rawHeaders }) => {
    if (path === "/called") return sendExactly(response, CALLED);
    // A second attempt has the lines of the first before its own.
    const already = linesLike(firstLine);
    return sendExactly(response, {
      status: 200,
      ...responseTo(headerPairs(rawHeaders)),
      pause: (index) => waitForLine(firstLine, already + index + 1).catch(() => undefined),
    });
  });
  gateway = await startGateway({
    config: CONFIGURATION,
    filterPath: wasm,
    logLevel: "info",
    adaptBootstrap(bootstrap) {
      for (const cluster of bootstrap.static_resources.clusters) readTrailers(cluster);
    },
    adapt(loaded) {
      const [target] = loaded.targets;
      if (target !== undefined) {
        target.decompresses = true;
        target.address = {
          kind: "host",
          host: "127.0.0.1",
          port: provider.port,
          tls: false,
          serverName: "",
        };
      }
      loaded.targetSets = [{ name: "both", targets: [0], retry: { ...RETRY, attempts: 2 } }];
      model = loaded;
    },
  });
});

afterAll(async () => {
  await gateway.stop();
  await provider.stop();
});

/** HTTP/1 trailers are not read by default; this stands for providers that speak HTTP/2. */
function readTrailers(cluster: object): void {
  const { typed_extension_protocol_options: options = {} } = cluster as {
    typed_extension_protocol_options?: Record<string, { explicit_http_config?: object }>;
  };
  for (const one of Object.values(options))
    one.explicit_http_config = { http_protocol_options: { enable_trailers: true } };
}

/** The cluster without an upstream filter of ours. */
function callee(): string {
  return filterConfig(model).routes[0]?.cluster ?? "";
}

function policy(): string {
  return filterConfig(model).routes[1]?.cluster ?? "";
}

interface Run {
  scenario: string;
  cluster: string;
  kind: Kind;
}

function headersFor({ scenario, cluster, kind }: Run): HeaderPair[] {
  return [
    ["x-reply", kind],
    ["host", "gateway.test"],
    ["content-type", "text/plain"],
    ["x-scenario", scenario],
    ["x-cluster", cluster],
    ["x-next", filterConfig(model).targets[0]?.attempt_cluster ?? ""],
    ["x-callee", callee()],
    ["x-request-id", "probe-1"],
    ["transfer-encoding", "chunked"],
  ];
}

interface Seen {
  probe: string[];
  status: number;
  body: string;
  sent: string[];
}

async function inEnvoy(run: Run): Promise<Seen> {
  const { scenario, cluster } = run;
  before = probeLines(gateway.envoyLog()).length;
  provider.requests.length = 0;
  firstLine = cluster.startsWith("retry/")
    ? /^attempt response body \d/
    : /^route response body \d/;
  const response = new Promise<{ status: number; body: string }>((resolve, reject) => {
    const headers = headersFor(run);
    const outgoing = open(
      { port: gateway.ports.egress, method: "POST", path: "/v1/chat/completions", headers },
      (message) => {
        let body = "";
        message.on("data", (bytes: Buffer) => (body += bytes.toString()));
        message.on("end", () => {
          resolve({ status: message.statusCode ?? 0, body });
        });
        message.on("error", reject);
      },
    );
    outgoing.on("error", reject);
    void (async () => {
      outgoing.flushHeaders();
      await waitForLine(/^route request headers/);
      for (const [index, text] of REQUEST.entries()) {
        if (scenario === "local in request headers") break;
        outgoing.write(text);
        await waitForLine(/^route request body \d/, index + 1);
        if (scenario === "local in request body") break;
      }
      outgoing.end();
    })().catch(reject);
  });
  const { status, body } = await response;
  await waitForLine(/^route delete$/);
  const sent = provider.requests.map((request) => `${request.path} ${request.body}`);
  return { probe: probeLines(gateway.envoyLog()).slice(before), status, body, sent };
}

async function inHost(run: Run): Promise<Seen> {
  const host = await FilterHost.load(readFileSync(wasm), { filterConfig: filterConfig(model) });
  const rendered = clusters(model, {
    filterPath: "",
    logDirectory: "",
    adminSocketPath: "",
    caFile: "",
  });
  const { response, sent, logs, calls } = host.exchange({
    listener: "egress",
    request: {
      method: "POST",
      path: "/v1/chat/completions",
      headers: headersFor(run),
      body: REQUEST.map((text) => Buffer.from(text)),
      emptyEnd: true,
    },
    upstream: ({ headers }) => {
      const reply = responseTo(headers);
      return {
        ...reply,
        status: 200,
        headers: [...reply.headers, ["transfer-encoding", "chunked"]],
        emptyEnd: reply.trailers === undefined,
      };
    },
    removed: removedHeaders(rendered),
    clusters: [callee()],
    calls: () => ({
      headers: [[":status", "201"], ...CALLED.headers],
      body: Buffer.from("called"),
    }),
  });
  return {
    probe: logs.map(({ message }) => message.replace(/^probe /, "")),
    status: response.status,
    body: Buffer.from(response.body).toString(),
    sent: [
      ...calls.map(({ body }) => `/called ${Buffer.from(body).toString()}`),
      ...sent.map(({ path, body }) => `${path} ${Buffer.from(body).toString()}`),
    ],
  };
}

const SCENARIOS = [
  "continue",
  "headers",
  "buffer",
  "hold",
  "hold then watermark",
  "hold without buffer",
  "late changes",
  "properties",
  "stream",
  "change the status",
  "end known",
  "buffer, end known",
  "call",
  "call, then answer",
  "call to nowhere",
  "local in request headers",
  "local in request body",
  "local in response headers",
];

/** Those in which the end of the response makes a difference. */
const RESPONSE_SCENARIOS = [
  "continue",
  "buffer",
  "stream",
  "change the status",
  "end known",
  "buffer, end known",
];

/** Scenarios that never end where Envoy decompresses: a filter that holds the last bytes is not called again. */
const HELD = ["buffer", "hold"];

describe.each(["one target", "a set"])("%s", (place) => {
  const cluster = (): string => (place === "a set" ? policy() : callee());
  // In the upstream filter nothing has been decompressed: there is no text to compare.
  const kinds = Object.keys(KINDS).filter((kind) => place !== "a set" || kind !== "compressed");

  describe.each(kinds as Kind[])("%s", (kind) => {
    const some = kind === "plain" ? SCENARIOS : RESPONSE_SCENARIOS;

    it.each(some.filter((name) => kind !== "compressed" || !HELD.includes(name)))(
      "%s",
      async (scenario) => {
        const run = { scenario, cluster: cluster(), kind };
        const envoy = await inEnvoy(run);
        expect(envoy.probe.length).toBeGreaterThan(3);
        expect(await inHost(run)).toEqual(envoy);
      },
      10_000,
    );
  });
});
