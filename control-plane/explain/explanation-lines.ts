// An explanation for people: the decisions, then each request with what differs from the client's.
import { createTwoFilesPatch } from "diff";
import { table } from "../report/terminal.ts";
import type { Colors } from "../report/terminal.ts";
import type { GuardedBy } from "../usage/usage-line.ts";
import type { ClientRequest } from "./client-request.ts";
import { overflowText } from "./context-window.ts";
import { maskQuery } from "./masked-headers.ts";
import { apiRequestRows, decisionRows } from "./prompt-rows.ts";
import type { ExplainedAttempt, Explanation, OwnResponse } from "./explain.ts";

/** Longer texts in a body, such as images in base64, are cut. */
const MAX_TEXT = 200;
const INDENT = "  ";

/** Returns the lines. */
export function explanationLines(
  explanation: Explanation,
  request: ClientRequest,
  colors: Colors,
): string[] {
  const { attempts, response, unauthorized } = explanation;
  return [
    `${colors.bold(`${request.method} ${maskQuery(request.path)}`)} on ${explanation.listener}`,
    ...table(factRows(explanation).map(([name = "", text = ""]) => [colors.dim(name), text])),
    ...(unauthorized === undefined
      ? []
      : ["", ...responseLines("Without a valid API key the gateway returns", unauthorized)]),
    ...attempts.flatMap((attempt, index) => [
      "",
      ...attemptLines(attempt, index, attempts, request, colors),
    ]),
    ...(response === undefined ? [] : ["", ...responseLines("The gateway responds", response)]),
  ];
}

function factRows(explanation: Explanation): string[][] {
  const { endpoint, dialect, model, key, budgets = [], retriedOn, isStream, prompt } = explanation;
  const { session, subagent, affinity, balance, guards = [] } = explanation;
  const sender = subagent === undefined ? "" : `, sub-agent ${subagent}`;
  return [
    ["Endpoint", endpoint ?? "unknown path"],
    ...(dialect === undefined ? [] : [["Dialect", `${dialect}${isStream ? ", stream" : ""}`]]),
    ...(model === undefined ? [] : [["Model", model]]),
    ...(key === undefined ? [] : [["API key", key]]),
    ...(session === undefined ? [] : [["Session", `${session}${sender}`]]),
    ...(affinity === undefined ? [] : [["Affinity", affinityText(affinity, balance)]]),
    ...(balance === undefined ? [] : [["Balance", BALANCE[balance]]]),
    ...budgets.map((budget, index) => [index === 0 ? "Budgets" : "", budget]),
    ...(retriedOn === undefined ? [] : [["Failures", retriedOn.join(", ")]]),
    ...contextRows(explanation),
    ...guards.map((one, index) => [index === 0 ? "Guards" : "", guardText(one)]),
    ...(prompt === undefined ? [] : [...decisionRows(prompt), ...apiRequestRows(prompt)]),
  ];
}

/** With `balance`, the weights are only a part of what decides. */
function affinityText(
  affinity: NonNullable<Explanation["affinity"]>,
  balance: Explanation["balance"],
): string {
  if (balance === undefined) return AFFINITY[affinity];
  return affinity === "session"
    ? "the session stays at the target that its first request got, with the same key"
    : AFFINITY[affinity].replace("by weight", "for each request");
}

const BALANCE = {
  latency:
    "latency: of two targets drawn by weight, the one with the shorter expected time; nothing is measured here",
  load: "load: of two targets drawn by weight, the one with fewer open requests; none is open here",
  cost: "cost: the cheapest target for this request, as if nothing was measured",
} as const satisfies Record<NonNullable<Explanation["balance"]>, string>;

/** Returns what was too long, and whether another model follows. */
function contextRows({ overflows = [], attempts, retriedOn }: Explanation): string[][] {
  const isTooLong =
    overflows.length > 0 ||
    attempts.some(({ context }) => context !== undefined && context.tokens > context.window);
  if (!isTooLong) return [];
  const happened = overflows.map(({ target, ...one }) => `${target} rejected ${overflowText(one)}`);
  const next = retriedOn?.includes("context_length")
    ? "the next model follows (context_length)"
    : `no other model follows: it needs ${attempts.length > 1 ? "" : "fallbacks, and "}context_length in retry.on`;
  return [...happened, next].map((text, index) => [index === 0 ? "Too long" : "", text]);
}

function guardText({ policy, action, kinds, findings = 0 }: GuardedBy): string {
  const values = findings === 1 ? "1 value" : `${String(findings)} values`;
  return `${policy}: ${action}${kinds === undefined ? "" : ` (${values}: ${kinds})`}`;
}

const AFFINITY = {
  session:
    "the session decides: its turns go to the target and key of attempt 1 as long as they work",
  off: "off: the target is chosen by weight, the key in turn",
  none: "no session decides: the target is chosen by weight, the key in turn",
} as const satisfies Record<NonNullable<Explanation["affinity"]>, string>;

function responseLines(title: string, { status, body }: OwnResponse): string[] {
  return [`${title} ${String(status)}`, ...(body === "" ? [] : [`${INDENT}${body}`])];
}

function attemptLines(
  attempt: ExplainedAttempt,
  index: number,
  all: readonly ExplainedAttempt[],
  request: ClientRequest,
  colors: Colors,
): string[] {
  const condition = index === 0 ? "" : `, if attempt ${String(index)} fails`;
  const title = `${colors.bold(`Attempt ${String(index + 1)}: ${attempt.target}`)}${condition}`;
  const same = all.slice(0, index).findIndex((one) => isSameRequest(one, attempt));
  if (same >= 0) return [title, `${INDENT}the same request as attempt ${String(same + 1)}`];
  const { headers, addedByEnvoy, dropped, dialect, apiReason, proxy } = attempt;
  return [
    title,
    ...(apiReason === undefined ? [] : [`${INDENT}API ${dialect}: ${apiReason}`]),
    `${INDENT}${attempt.method} ${attempt.url}`,
    ...(proxy === undefined ? [] : [`${INDENT}through the proxy ${proxy}`]),
    ...headers.map(([name, value]) => `${INDENT}${name}: ${value}`),
    ...(addedByEnvoy === undefined ? [] : [`${INDENT}${addedByEnvoy} (added by Envoy)`]),
    ...contextLines(attempt).map((line) => `${INDENT}${colors.yellow(line)}`),
    ...dropped.map(
      ({ member, fate, reason }) =>
        `${INDENT}${colors.yellow(`${FATES[fate]} ${member}`)}: ${reason}`,
    ),
    ...bodyLines(attempt, request, colors).map((line) => `${INDENT}${line}`),
  ];
}

/** Returns what a request that is probably too long for the model will meet. */
function contextLines({ context }: ExplainedAttempt): string[] {
  if (context === undefined || context.tokens <= context.window) return [];
  const { tokens, window: limit } = context;
  return [`too long: about ${overflowText({ tokens, limit })}`];
}

const FATES = {
  dropped: "dropped",
  changed: "changed",
  replaced: "dropped or replaced",
} as const;

function isSameRequest(one: ExplainedAttempt, other: ExplainedAttempt): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function bodyLines(
  { body, encoding, isBodyUnchanged }: ExplainedAttempt,
  request: ClientRequest,
  colors: Colors,
): string[] {
  if (body === "") return ["no body"];
  if (isBodyUnchanged) return ["body: unchanged, byte for byte"];
  const [before, after] = [shown(Buffer.from(request.body).toString()), shown(body)];
  if (encoding === "base64" || before === undefined || after === undefined) {
    const size = Buffer.byteLength(body, encoding);
    return [`body: ${String(size)} bytes; the client sent ${String(request.body.length)}`];
  }
  const patch = createTwoFilesPatch("client", "provider", before, after, "", "", { context: 2 });
  const lines = patch.split("\n").slice(1);
  while (lines.at(-1) === "") lines.pop();
  return lines
    .filter((line) => !line.startsWith("\\"))
    .map((line) =>
      line.startsWith("-")
        ? colors.red(line)
        : line.startsWith("+")
          ? colors.green(line)
          : colors.dim(line),
    );
}

/** Returns a JSON text with a member per line; undefined if it is no JSON. */
function shown(text: string): string | undefined {
  try {
    const cut = (_name: string, value: unknown) =>
      typeof value === "string" && value.length > MAX_TEXT
        ? `${value.slice(0, MAX_TEXT)}… (${String(value.length)} characters)`
        : value;
    return JSON.stringify(JSON.parse(text), cut, 2);
  } catch {
    return undefined;
  }
}
