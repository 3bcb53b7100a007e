// `npm run bench -- models`: what the model server takes by itself, in time and memory. Texts never come twice, because it remembers them.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { GatewayError } from "../control-plane/report/gateway-error.ts";
import type { ModelServerInput } from "../control-plane/model-server/options.ts";
import {
  modelServerEnvironment,
  superviseModelServer,
} from "../control-plane/supervisor/model-server.ts";
import { table } from "../control-plane/report/terminal.ts";
import { residentMemory } from "./measure.ts";

const SERVER_CORE = "0";
const MEMORY_PROMPTS = 4000;
const agent = new Agent({ keepAlive: true, maxSockets: 64 });

const TARGETS: NonNullable<ModelServerInput["targets"]> = [
  {
    name: "weather_forecast",
    description: "Weather forecast for a city",
    examples: ["What will the weather be like in Oslo?", "Will it rain in London in 3 days?"],
    parameters: [
      { name: "city", description: "name of the city", required: true },
      { name: "days", description: "how many days", type: "int", default: 1 },
    ],
  },
  ...[
    ["order_status", "Where an order is and when it will be delivered"],
    ["reboot_device", "Reboot a network device"],
    ["book_table", "Book a table at a restaurant"],
    ["play_music", "Play a song or an album"],
    ["transfer_money", "Transfer money to another account"],
    ["find_flight", "Find flights between two airports"],
    ["create_ticket", "Create a support ticket"],
    ["translate_text", "Translate a text into another language"],
    ["set_alarm", "Set an alarm or a timer"],
    ["stock_price", "Current price of a stock"],
    ["unit_conversion", "Convert a length or a weight into another unit"],
  ].map(([name = "", description = ""]) => ({ name, description })),
];
const WEATHER_TOOL = {
  type: "function",
  function: {
    name: "weather_forecast",
    description: "Weather forecast for a city",
    parameters: {
      type: "object",
      properties: {
        city: { type: "string", description: "name of the city" },
        days: { type: "integer", description: "how many days", default: 1 },
      },
      required: ["city"],
    },
  },
};

interface Reply {
  status: number;
  text: string;
  retryAfter: string | undefined;
  /** Milliseconds. */
  took: number;
}

function ask(socketPath: string, path: string, body?: unknown): Promise<Reply> {
  const started = performance.now();
  const method = body === undefined ? "GET" : "POST";
  const headers = { "content-type": "application/json" };
  return new Promise((resolve, reject) => {
    const sent = request(
      { socketPath, path, method, headers, agent, timeout: 30_000 },
      (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (piece: string) => (text += piece));
        response.on("error", reject).on("end", () => {
          const retryAfter = response.headers["retry-after"];
          const took = performance.now() - started;
          resolve({ status: response.statusCode ?? 0, text, retryAfter, took });
        });
      },
    );
    sent.on("error", reject).on("timeout", () => sent.destroy(new Error("no answer in 30 s")));
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

/** Words of a text that never comes twice, so that no cache answers. */
function prose(characters: number, seed: number): string {
  const words = WORDS.split(" ");
  let state = seed + 1;
  let text = "";
  while (text.length < characters) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    text += `${words[state % words.length] ?? ""}${state % 12 === 0 ? `${String(state % 9973)}. ` : " "}`;
  }
  return text.slice(0, characters);
}
const WORDS =
  "the our every old new report harvest city engine river system team letter market garden number people water winter light story school answer question reads shows holds brings makes finds sends keeps opens near under after before while because slowly often never again";

const quantile = (values: readonly number[], share: number) =>
  values.toSorted((one, other) => one - other)[
    Math.min(values.length - 1, Math.floor(values.length * share))
  ] ?? 0;

interface Row {
  what: string;
  figures: string;
  goal?: string;
  isReached?: boolean;
}

const milliseconds = (value: number) => `${value.toFixed(value < 10 ? 1 : 0)} ms`;
const both = (values: readonly number[]) =>
  `p50 ${milliseconds(quantile(values, 0.5))}, p99 ${milliseconds(quantile(values, 0.99))}`;

/** One after the other. Throws when an answer is no 200. */
async function times(count: number, once: (index: number) => Promise<Reply>): Promise<number[]> {
  const found: number[] = [];
  for (let index = -Math.ceil(count / 10); index < count; index++) {
    const { status, text, took } = await once(index);
    if (status !== 200) throw new GatewayError(`An answer of ${String(status)}: ${text}`);
    if (index >= 0) found.push(took);
  }
  return found;
}

/** The model server as `gateway up` runs it, but for its core. */
async function startModels() {
  const started = performance.now();
  const directory = mkdtempSync(join(tmpdir(), "gateway-bench-"));
  const socketPath = join(directory, "model-server.sock");
  const server = await superviseModelServer({
    socketPath,
    input: { targets: TARGETS, guard: {} },
    environment: modelServerEnvironment(process.env, []),
    report: (line) => {
      console.error(line);
    },
  });
  const ready = performance.now() - started;
  const pid = server.pid() ?? 0;
  spawnSync("taskset", ["-acp", SERVER_CORE, String(pid)]);
  const stop = async () => {
    await server.stop();
    rmSync(directory, { recursive: true });
  };
  return { socketPath, pid, ready, stop };
}

/** guard → embeddings → zeroshot → extraction → grounding, as the filter leads a prompt. */
async function wholePrompt(socketPath: string, text: string): Promise<Reply> {
  const started = performance.now();
  const messages = [{ role: "user", content: text }];
  const labels = {
    labels: TARGETS.map(({ name }) => name),
    descriptions: Object.fromEntries(TARGETS.map(({ name, description }) => [name, description])),
    examples: { weather_forecast: TARGETS[0]?.examples },
    parameters: { weather_forecast: ["city", "days"] },
  };
  const metadata = { decision: "target", target: "weather_forecast" };
  const steps: [string, unknown][] = [
    ["/guard", { input: text, task: "jailbreak" }],
    ["/embeddings", { input: text }],
    ["/zeroshot", { input: text, messages, ...labels }],
    ["/v1/chat/completions", { messages, tools: [WEATHER_TOOL], metadata }],
    ["/hallucination", { prompt: text, parameters: { city: "Oslo" }, target: metadata.target }],
  ];
  let reply: Reply | undefined;
  for (const [path, body] of steps) {
    reply = await ask(socketPath, path, body);
    if (reply.status !== 200) break;
  }
  if (reply === undefined) throw new Error("no step");
  return { ...reply, took: performance.now() - started };
}

const weather = (index: number) =>
  `Will it rain in ${["Oslo", "Rome", "Paris", "London"][Math.abs(index) % 4] ?? ""} on day ${String(index)} of my trip?`;

async function measureModelServer(): Promise<Row[]> {
  const server = await startModels();
  const { socketPath, pid } = server;
  const rows: Row[] = [];
  const goal = (what: string, figures: string, value: number, limit: number, words: string) =>
    rows.push({ what, figures, goal: words, isReached: value < limit });
  try {
    goal("ready", milliseconds(server.ready), server.ready, 2000, "< 2 s");
    const atStart = residentMemory(pid);
    const short = await times(1000, (index) =>
      ask(socketPath, "/embeddings", {
        input: `What is the weather like in town ${String(index)}?`,
      }),
    );
    goal("/embeddings, a short sentence", both(short), quantile(short, 0.5), 5, "p50 < 5 ms");
    const long = await times(200, (index) =>
      ask(socketPath, "/embeddings", { input: prose(2000, index) }),
    );
    rows.push({ what: "/embeddings, 256 tokens", figures: both(long) });
    for (const [size, count] of [
      [80, 300],
      [1000, 60],
      [10_000, 40],
      [200_000, 40],
      [1_000_000, 10],
    ] as const) {
      const guard = await times(count, (index) =>
        ask(socketPath, "/guard", { input: prose(size, index + size) }),
      );
      rows.push({ what: `/guard, ${size.toLocaleString("en")} characters`, figures: both(guard) });
    }
    const prompt = await times(300, (index) => wholePrompt(socketPath, weather(index)));
    rows.push({ what: "all five steps of a prompt, 12 targets", figures: both(prompt) });
    const together = await Promise.all(
      Array.from({ length: 50 }, (_, index) => wholePrompt(socketPath, weather(index + 5000))),
    );
    rows.push({
      what: "the same, 50 prompts at once",
      figures: both(together.map(({ took }) => took)),
    });
    const atWork = residentMemory(pid);
    rows.push(...(await overload(socketPath)));
    const memory = await memoryOver(MEMORY_PROMPTS, socketPath, pid);
    const [first = 0] = memory;
    const [last = 0] = memory.slice(-1);
    rows.push({
      what: "memory at the start, after all above but the overload, at the end",
      figures: [atStart, atWork, last].map((size) => `${size.toFixed(0)} MB`).join(", "),
      goal: "< 300 MB at the end",
      isReached: last < 300,
    });
    goal(
      `memory over ${MEMORY_PROMPTS.toLocaleString("en")} prompts (five requests each), each tenth`,
      memory.map((size) => size.toFixed(0)).join(" "),
      last - first,
      10,
      "growth < 10 MB",
    );
  } finally {
    await server.stop();
  }
  return rows;
}

/** 50 prompts of 200 KB at once, and how long the server does not look up meanwhile. */
async function overload(socketPath: string): Promise<Row[]> {
  const over = new AbortController();
  const pauses: number[] = [];
  const watching = (async () => {
    while (!over.signal.aborted) {
      pauses.push((await ask(socketPath, "/healthz")).took);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  })();
  const replies = await Promise.all(
    Array.from({ length: 50 }, (_, index) =>
      ask(socketPath, "/guard", { input: prose(200_000, index + 77_000) }),
    ),
  );
  over.abort();
  await watching;
  const answered = replies.filter(({ status }) => status === 200);
  const refused = replies.filter(({ status, retryAfter }) => status === 503 && retryAfter === "1");
  const slowest = Math.max(0, ...answered.map(({ took }) => took));
  return [
    {
      what: "50 guards of 200 KB at once",
      figures: `${String(answered.length)} answered (p50 ${milliseconds(
        quantile(
          answered.map(({ took }) => took),
          0.5,
        ),
      )}, slowest ${milliseconds(slowest)}), ${String(refused.length)} × 503 with retry-after`,
      goal: "none later than 5 s",
      isReached: slowest < 5000 && answered.length + refused.length === replies.length,
    },
    {
      what: "GET /healthz meanwhile",
      figures: `${both(pauses)}, slowest ${milliseconds(Math.max(...pauses))}`,
      goal: "< 250 ms",
      isReached: Math.max(...pauses) < 250,
    },
  ];
}

/** Resident memory in MB after each tenth of the prompts: short ones, 1 KB, and every hundredth 20 KB. */
async function memoryOver(prompts: number, socketPath: string, pid: number): Promise<number[]> {
  const found: number[] = [];
  for (let index = 0; index < prompts; index += 8) {
    await Promise.all(
      Array.from({ length: 8 }, (_, at) => {
        const number = index + at + 100_000;
        if (number % 100 === 0) return ask(socketPath, "/guard", { input: prose(20_000, number) });
        if (number % 20 === 0) return ask(socketPath, "/guard", { input: prose(1000, number) });
        return wholePrompt(socketPath, weather(number));
      }),
    );
    if ((index + 8) % (prompts / 10) === 0) found.push(residentMemory(pid));
  }
  return found;
}

export async function benchModels(): Promise<void> {
  const rows = await measureModelServer();
  const words = rows.map(({ what, figures, goal = "", isReached }) => [
    what,
    figures,
    goal,
    isReached === undefined ? "" : isReached ? "yes" : "NO",
  ]);
  for (const line of table([["what", "figures", "goal", "reached"], ...words])) console.log(line);
  agent.destroy();
  if (rows.some(({ isReached }) => isReached === false)) process.exitCode = 1;
}
