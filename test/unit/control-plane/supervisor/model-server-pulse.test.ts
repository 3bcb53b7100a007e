// A model server that hangs is noticed, and given up when it goes on; one that answers again is noticed too.
import { createServer, type Server, type ServerResponse } from "node:http";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { watchPulse } from "../../../../control-plane/supervisor/model-server-pulse.ts";
import { closeNow, listenAt } from "../../../../control-plane/model-server/unix-socket.ts";
import { newSocketPath } from "../../../gateway/socket-path.ts";

const SECONDS = { timeout: 10_000, interval: 5 };
const QUICK = { every: 1, patience: 200, longestSilence: 60_000 };

let server: Server;
let path: string;
let answer: (response: ServerResponse) => void;
let told: unknown[];
let over: AbortController;
beforeEach(async () => {
  told = [];
  over = new AbortController();
  path = newSocketPath();
  answer = (response) => response.end();
  server = createServer((_, response) => {
    answer(response);
  });
  await listenAt(server, path);
});
afterEach(async () => {
  over.abort();
  await closeNow(server);
});

function watch(pulse = QUICK): Promise<void> {
  const events = {
    onChange: (answers: boolean) => told.push(answers),
    onSilence: () => told.push("silent"),
  };
  return watchPulse(path, events, over.signal, pulse);
}

it.each([
  ["says nothing", () => undefined],
  ["answers with an error", (response: ServerResponse) => response.writeHead(503).end()],
  ["breaks off", (response: ServerResponse) => response.destroy()],
  [
    "sends a head alone",
    (response: ServerResponse) => {
      response.flushHeaders();
    },
  ],
])(
  "the pulse reports once when the model server %s, and once when it answers again",
  async (_, failure) => {
    const watching = watch();
    answer = failure;
    await vi.waitFor(() => {
      expect(told).toEqual([false]);
    }, SECONDS);
    answer = (response) => response.end();
    await vi.waitFor(() => {
      expect(told).toEqual([false, true]);
    }, SECONDS);
    over.abort();
    await watching;
    expect(told).toEqual([false, true]);
  },
);

it("the pulse stops calling a model server that is silent for too long", async () => {
  answer = () => undefined;
  await watch({ ...QUICK, patience: 5, longestSilence: 50 });
  expect(told).toEqual([false, "silent"]);
});

it("the pulse ends when its reader is gone", async () => {
  void watch();
  await closeNow(server);
  await vi.waitFor(() => {
    expect(told).toEqual([false]);
  }, SECONDS);
});
