// Clients that do not read their responses: what Envoy holds for them, and what becomes of the streams beside them.
// test/envoy/slow-readers.test.ts runs it.
import { fork } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { connect as connectHttp2, constants } from "node:http2";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAuthority } from "../gateway/certificates.ts";
import type { Certificate } from "../gateway/certificates.ts";
import { startGateway } from "../gateway/gateway.ts";
import type { Gateway } from "../gateway/gateway.ts";
import { watchResidentMb } from "../gateway/resident-memory.ts";
import type { Order, Sent } from "../providers/scripts/endless-process.ts";

/** What the readers ask for. `messages` and `bedrock` are translated to chat. */
export const KINDS = ["file", "chat", "messages", "bedrock"] as const;
export type Kind = (typeof KINDS)[number];
type Version = "1" | "2";

export interface Readers {
  kind: Kind;
  count: number;
  /** HTTP version of the clients, and of the connection to the provider. */
  client: Version;
  provider: Version;
}

export interface Held {
  /** The most resident memory of Envoy meanwhile, in MB. */
  rssMb: number;
  /** Statuses that the readers got, as far as they read. */
  statuses: Record<string, number>;
  /** Readers whose connection or stream the gateway ended. */
  reset: number;
  /** Bystanders whose stream did not end well. */
  cut: number;
  /** The longest time that the provider sent nothing to the bystanders, in ms. */
  pausedMs: number;
}

const BYSTANDERS = 12;
const PATIENCE_MS = 60_000;
const BODY = { max_tokens: 9, messages: [{ role: "user", content: "hi" }], stream: true };

export interface SlowReaders {
  gateway: Gateway;
  /** @param whileHeld waits for something while the readers hold what they can and the bystanders' streams continue */
  run(readers: Readers, whileHeld?: () => Promise<void>): Promise<Held>;
  stop(): Promise<void>;
}

export async function startSlowReaders(
  mib: number,
  { limits, timeoutMs }: { limits: string; timeoutMs?: number },
): Promise<SlowReaders> {
  const authority = createAuthority();
  const directory = mkdtempSync(join(tmpdir(), "slow-readers-"));
  const caFile = join(directory, "ca.pem");
  writeFileSync(caFile, authority.cert);
  const providers = {
    "1": await startProvider({ mib }),
    "2": await startProvider({ mib, certificate: authority.issue("localhost", "127.0.0.1") }),
  };
  const gateway = await startGateway({
    concurrency: 1,
    caFile,
    config: configuration(providers, limits),
    environment: { KEY: "made-up" },
    adapt({ egress }) {
      egress.timeoutMs = timeoutMs ?? egress.timeoutMs;
    },
  });
  return {
    gateway,
    run: (readers, whileHeld) => run(gateway, providers[readers.provider], readers, whileHeld),
    async stop() {
      await gateway.stop();
      for (const { child } of Object.values(providers)) child.disconnect();
      rmSync(directory, { recursive: true });
    },
  };
}

interface Provider {
  child: ChildProcess;
  sent: Sent;
  base: string;
}

function startProvider(order: { certificate?: Certificate; mib: number }): Promise<Provider> {
  const child = fork(join(import.meta.dirname, "../providers/scripts/endless-process.ts"), {
    stdio: "inherit",
  });
  child.send(order satisfies Order);
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    const provider: Provider = {
      child,
      sent: { port: 0, bytes: 0, bystanders: 0, pausedMs: 0 },
      base: "",
    };
    child.on("message", (sent: Sent) => {
      provider.sent = sent;
      if (sent.port === 0 || provider.base !== "") return;
      const scheme = order.certificate === undefined ? "http" : "https";
      provider.base = `${scheme}://127.0.0.1:${String(sent.port)}`;
      resolve(provider);
    });
  });
}

function configuration(providers: Record<Version, Provider>, limits: string): string {
  const entries = (["1", "2"] as const).flatMap((version) => {
    const { base } = providers[version];
    const entry = (provider: string, name: string, path: string): string =>
      `  - {name: ${name}-${version}, model: ${provider}/${name}-${version}, base_url: "${base}${path}"${
        provider === "vllm" ? "" : ", access_key: $KEY"
      }}`;
    return [
      entry("vllm", "file", "/file/v1"),
      entry("vllm", "chat", "/stream/chat/v1"),
      entry("anthropic", "messages", "/stream/messages/x"),
      entry("bedrock", "bedrock", "/stream/bedrock"),
      entry("vllm", "bystander", "/bystander/chat/v1"),
      entry("anthropic", "translated", "/bystander/messages/x"),
    ];
  });
  return `limits: ${limits}\nllm_providers:\n${entries.join("\n")}\n`;
}

async function run(
  gateway: Gateway,
  provider: Provider,
  readers: Readers,
  whileHeld: () => Promise<void> = () => Promise.resolve(),
): Promise<Held> {
  const held: Held = { rssMb: 0, statuses: {}, reset: 0, cut: 0, pausedMs: 0 };
  const agent = new Agent({ keepAlive: true });
  const names = ["bystander", "translated"];
  const bystanders = Array.from({ length: BYSTANDERS }, (_, index) =>
    isWhole(gateway, `${names[index % 2] ?? ""}-${readers.provider}`, agent),
  );
  await until(() => provider.sent.bystanders === BYSTANDERS, "the bystanders' streams begin");
  const before = provider.sent.bytes;
  const watched = watchResidentMb(gateway.pid);
  const close =
    readers.client === "1" ? openHttp1(gateway, readers, held) : openHttp2(gateway, readers, held);
  // Until all that stand between provider and client are full.
  let last = before;
  let still = 0;
  await until(
    () => {
      still = provider.sent.bytes === last && last > before ? still + 1 : 0;
      last = provider.sent.bytes;
      return still >= 8;
    },
    "the provider is slowed down",
    100,
  );
  await whileHeld();
  provider.child.send("end" satisfies Order);
  held.cut = (await Promise.all(bystanders)).filter((one) => !one).length;
  await until(() => provider.sent.bystanders === 0, "the provider ends the bystanders' streams");
  held.pausedMs = provider.sent.pausedMs;
  held.rssMb = watched();
  close();
  agent.destroy();
  return held;
}

function pathOf({ kind, provider }: Readers): {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string;
} {
  const model = `${kind}-${provider}`;
  return kind === "file"
    ? {
        method: "GET",
        path: "/v1/files/f1/content",
        headers: { "x-gateway-llm-provider-hint": model },
        body: "",
      }
    : {
        method: "POST",
        path: "/v1/chat/completions",
        headers: {},
        body: JSON.stringify({ model, ...BODY }),
      };
}

/** Opens connections on which nobody reads: what comes stays in the buffers of the kernel. */
function openHttp1(gateway: Gateway, readers: Readers, held: Held): () => void {
  const { method, path, headers, body } = pathOf(readers);
  const lines = Object.entries({ host: "x", "content-length": String(body.length), ...headers });
  const head = `${method} ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n${body}`;
  let isOver = false;
  const sockets = Array.from({ length: readers.count }, () => {
    const socket = connect(gateway.ports.egress, "127.0.0.1");
    socket.pause();
    socket.on("error", () => undefined);
    socket.on("close", () => {
      if (!isOver) held.reset += 1;
    });
    socket.write(head);
    return socket;
  });
  return () => {
    isOver = true;
    for (const socket of sockets) socket.destroy();
  };
}

/** Opens streams that grant no more than HTTP/2's first window. */
function openHttp2(gateway: Gateway, readers: Readers, held: Held): () => void {
  const { method, path, headers, body } = pathOf(readers);
  const session = connectHttp2(gateway.url, { settings: { initialWindowSize: 65_535 } });
  session.on("error", () => undefined);
  let isOver = false;
  for (let index = 0; index < readers.count; index++) {
    const stream = session.request({ ":method": method, ":path": path, ...headers });
    stream.pause();
    stream.on("response", ({ ":status": status = 0 }) => {
      held.statuses[status] = (held.statuses[status] ?? 0) + 1;
    });
    stream.on("error", () => undefined);
    stream.on("close", () => {
      if (!isOver && stream.rstCode !== constants.NGHTTP2_NO_ERROR) held.reset += 1;
    });
    stream.end(body);
  }
  return () => {
    isOver = true;
    session.destroy();
  };
}

/** Reads a stream to its end; false if it is cut. */
function isWhole(gateway: Gateway, model: string, agent: Agent): Promise<boolean> {
  return new Promise((resolve) => {
    let tail = "";
    const sent = request(
      `${gateway.url}/v1/chat/completions`,
      { method: "POST", agent, headers: { "content-type": "application/json" } },
      (response) => {
        response.on("data", (chunk: Buffer) => {
          tail = (tail + chunk.toString("latin1")).slice(-100);
        });
        response.on("error", () => undefined);
        response.on("close", () => {
          resolve(response.complete && tail.endsWith("data: [DONE]\n\n"));
        });
      },
    );
    sent.setTimeout(PATIENCE_MS, () => sent.destroy());
    sent.on("error", () => {
      resolve(false);
    });
    sent.end(JSON.stringify({ model, ...BODY }));
  });
}

async function until(isSo: () => boolean, what: string, everyMs = 20): Promise<void> {
  const end = Date.now() + PATIENCE_MS;
  while (!isSo()) {
    if (Date.now() > end) throw new Error(`not within a minute: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}
