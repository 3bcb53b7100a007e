// The set-up of the prompt tests: a real Envoy with prompt targets and a guard, a model server and an API
// whose behaviour the prompt decides, and the requests of a client.
import { randomUUID } from "node:crypto";
import { createServer } from "node:net";
import type { Socket } from "node:net";
import { afterAll, beforeAll, expect } from "vitest";
import type { LogLine } from "../../gateway/log-line.ts";
import { startWithFakes } from "../../gateway/with-fakes.ts";
import type { WithFakes, WithFakesOptions } from "../../gateway/with-fakes.ts";
import { listen } from "../../providers/listen.ts";
import type { Listening } from "../../providers/listen.ts";
import { API_SECRET, configuration } from "./configuration.ts";
import { startApi, startModelServer } from "./fakes.ts";
import type { FakeApi, FakeModelServer } from "./fakes.ts";
import { READERS } from "./readers.ts";
import type { Content, Message } from "./readers.ts";

/** A listener's timeout that a test can wait for, and within which a busy machine takes all steps. */
export const SHORT_MS = 4_000;

export let all: WithFakes;
/** The same with the timeout `SHORT_MS`; only after `setUp({ withShort: true })`. */
export let short: WithFakes;
export let modelServer: FakeModelServer;
export let api: FakeApi;
let mute: Listening;

/** Starts everything before the tests of a file, and stops it after them. */
export function setUp({ withShort = false } = {}): void {
  const started: WithFakes[] = [];
  beforeAll(async () => {
    [modelServer, api, mute] = await Promise.all([
      startModelServer(),
      startApi(),
      startMuteServer(),
    ]);
    started.push((all = await startWithPrompts()));
    if (withShort) started.push((short = await startWithPrompts({ timeoutMs: SHORT_MS })));
  });
  afterAll(async () => {
    await Promise.all(started.map((one) => one.stop()));
    await Promise.all([modelServer.stop(), api.stop(), mute.stop()]);
  });
  afterAll(expectNothingLeaked); // Hooks run in reverse order: nothing has stopped yet.
}

/** Expects that the fake providers accepted every request, and that the API's key is in no log. */
export function expectNothingLeaked(): void {
  expect(all.openai.violations()).toEqual([]);
  expect(all.gateway.envoyLog()).not.toContain(API_SECRET);
}

/** Starts a gateway with the prompt targets, its configuration changed by `edit`. A test that calls it stops it. */
export function startWithPrompts(
  options: WithFakesOptions & { edit?: (config: string) => string } = {},
): Promise<WithFakes> {
  const { edit = (config: string) => config, ...others } = options;
  return startWithFakes({
    config: edit(configuration({ api: api.port, mute: mute.port })),
    environment: { API_SECRET },
    modelServerSocketPath: modelServer.socketPath,
    ...others,
  });
}

async function startMuteServer(): Promise<Listening> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => sockets.push(socket));
  return listen(server, () => {
    for (const socket of sockets) socket.destroy();
  });
}

export interface Said extends Content {
  id: string;
  response: Response;
  /** What the language model received; undefined if it was not called. */
  model: { messages: Message[]; metadata?: unknown } | undefined;
}

/** Returns whether a request that a fake received belongs to the client request `id`. */
export const isOf =
  (id: string) =>
  ({ headers }: { headers: Record<string, string> }): boolean =>
    headers["x-request-id"] === id;

/** Runs a test with complete responses and with streams, at the same time. */
export async function inBothModes(test: (stream: boolean) => Promise<void>): Promise<void> {
  await Promise.all([test(false), test(true)]);
}

export interface Options {
  /** The client's dialect; chat completions if absent. */
  api?: "chat" | "responses";
  stream?: boolean;
  before?: Message[];
  through?: WithFakes;
  listener?: "ingress" | "egress";
  /** Members of the request that are added or replaced. */
  more?: object;
  headers?: Record<string, string>;
}

export const PATHS = { chat: "/v1/chat/completions", responses: "/v1/responses" };

/** Sends a prompt and returns its request id and the pending response. */
export function send(content: string, options: Options = {}, init: RequestInit = {}) {
  const { stream = false, before = [], through = all, listener = "ingress" } = options;
  const { more, headers, api: of = "chat" } = options;
  const id = randomUUID();
  const messages = [...before, { role: "user", content }];
  const conversation = of === "chat" ? { messages } : { input: messages };
  const response = fetch(`http://127.0.0.1:${through.gateway.ports[listener]}${PATHS[of]}`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-request-id": id, ...headers },
    body: JSON.stringify({ model: "none", ...conversation, stream, ...more }),
    ...init,
  });
  return { id, response };
}

/** Sends a prompt and reads the response. */
export async function say(content: string, options: Options = {}): Promise<Said> {
  const { id, response: sent } = send(content, options);
  const response = await sent;
  const body = await response.clone().text();
  const { openai } = options.through ?? all;
  const asked = openai.requests.find(({ headers }) => headers["x-request-id"] === id);
  return {
    id,
    response,
    ...(response.status === 200
      ? READERS[options.api ?? "chat"](body, options.stream)
      : { text: "" }),
    model: asked?.json as Said["model"],
  } as Said;
}

/** Returns the log lines of the internal calls, in order, once the log has that many. */
export async function steps(id: string, count: number): Promise<LogLine[]> {
  return all.gateway.waitForLog("internal", ({ requestId }) => requestId === id, count);
}

export const pathsOf = (lines: LogLine[]): string[] => lines.map(({ path }) => path);
export const CHOICE = ["/guard", "/embeddings", "/zeroshot"];
export const EXTRACTION = [...CHOICE, "/v1/chat/completions", "/hallucination"];
