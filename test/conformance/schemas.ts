// Every translated response of the exchanges, against the schemas of OpenAI, Open Responses and Anthropic. What passes from a
// provider to a client of its own format is the provider's, byte for byte, and no matter of the gateway.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { z } from "zod";
import { pythonPackages } from "../packages/pip.ts";
import { type ExchangeCase, readCases } from "../exchanges/case.ts";
import type { SuiteRun } from "./suite.ts";

const REQUIREMENTS = join(import.meta.dirname, "requirements.txt");
const SCRIPT = join(import.meta.dirname, "schemas.py");

interface Format {
  client: string;
  path: RegExp;
  spec: string;
  whole: string;
  /** Of an event in a stream; `event`: by its type. */
  event: string;
}

const FORMATS: readonly Format[] = [
  {
    client: "Chat Completions, OpenAI's schema",
    path: /\/chat\/completions$/,
    spec: "openai_chat",
    whole: "CreateChatCompletionResponse",
    event: "CreateChatCompletionStreamResponse",
  },
  {
    client: "Responses, Open Responses' schema",
    path: /\/responses$/,
    spec: "openresponses",
    whole: "ResponseResource",
    event: "event",
  },
  {
    client: "Messages, Anthropic's schema",
    path: /\/messages$/,
    spec: "anthropic",
    whole: "Message",
    event: "MessageStreamEvent",
  },
];

/** The Messages API at a cloud. */
const CLAUDE_ELSEWHERE = /\/invoke|[rR]awPredict$/;
/** Anthropic documents it and sends it, but its schema does not have it. */
const PING = /^\{"type": ?"ping"\}$/;

interface Item {
  id: string;
  spec: string;
  schema: string;
  value: unknown;
}

const line = z.object({ id: z.string(), problems: z.array(z.string()) });

/** One row for each format; a test is a case. */
export async function runSchemas(): Promise<SuiteRun[]> {
  const cases = readCases();
  return Promise.all(FORMATS.map((format) => runOne(format, cases)));
}

async function runOne(format: Format, cases: readonly ExchangeCase[]): Promise<SuiteRun> {
  const items = cases
    .filter((exchange) => isTranslated(format, exchange))
    .flatMap((exchange) => itemsOf(format, exchange));
  const problems = new Map(items.map(({ id }) => [id, [] as string[]]));
  for (const { id, problems: found } of await validate(items)) problems.get(id)?.push(...found);
  const failed = [...problems].filter(([, found]) => found.length > 0);
  return {
    suite: "Schemas over every translated exchange",
    version: "those in llm-comply",
    source: "https://pypi.org/project/llm-comply/",
    subject: format.client,
    passed: problems.size - failed.length,
    failed: failed.map(([id, found]) => ({ test: id, reason: [...new Set(found)].join("; ") })),
    notOffered: [],
  };
}

function isTranslated({ path }: Format, { clientRequest, providerRequests }: ExchangeCase) {
  const pathOf = (start = "") => start.split(" ")[1]?.split("?")[0] ?? "";
  const last = providerRequests.at(-1);
  if (last === undefined || !path.test(pathOf(clientRequest.start))) return false;
  const target = pathOf(last.split("\n")[0]);
  return !path.test(target) && !(path.test("/messages") && CLAUDE_ELSEWHERE.test(target));
}

function itemsOf(format: Format, { name, clientResponse }: ExchangeCase): Item[] {
  const [head = "", ...rest] = clientResponse.split("\n\n");
  if (!head.startsWith("HTTP/1.1 200")) return [];
  const body = rest.join("\n\n").replaceAll("<<now>>", "1764967971").replaceAll("<<chunk>>", "");
  const item = (schema: string, text: string): Item => ({
    id: name,
    spec: format.spec,
    schema,
    value: JSON.parse(text),
  });
  if (!head.includes("text/event-stream")) return body === "" ? [] : [item(format.whole, body)];
  return [...body.matchAll(/^data: (\{.*\})$/gm)]
    .filter(([, text = ""]) => !PING.test(text) && !/^\{"(?:type":"error|error")/.test(text))
    .map(([, text = ""]) => item(format.event, text));
}

async function validate(items: readonly Item[]): Promise<z.output<typeof line>[]> {
  const python = spawn("python3", ["-W", "ignore", SCRIPT], {
    env: { PATH: process.env["PATH"], PYTHONPATH: await pythonPackages(REQUIREMENTS) },
    stdio: ["pipe", "pipe", "inherit"],
  });
  let output = "";
  python.stdout.on("data", (bytes: Buffer) => (output += bytes.toString()));
  python.stdin.end(items.map((item) => `${JSON.stringify(item)}\n`).join(""));
  return new Promise((resolve, reject) => {
    python.on("close", () => {
      const lines = output.split("\n").filter((text) => text !== "");
      if (lines.length === items.length) resolve(lines.map((text) => line.parse(JSON.parse(text))));
      else reject(new Error(`the schemas judged ${lines.length} of ${items.length} values`));
    });
  });
}
