// `gateway setup claude`: the agent's own configuration file leads to the gateway, until `--undo`.
import { readFileSync, realpathSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline/promises";
import { createTwoFilesPatch } from "diff";
import { type AgentFile, type Connection, KEY_VARIABLE } from "../../agents/agent.ts";
import { AGENTS } from "../../agents/agents.ts";
import { editText } from "../../agents/edit-file.ts";
import { newReceipt, type Receipt, undo } from "../../agents/receipt.ts";
import { AGENT_MODELS } from "../../config/starter/agent-models.ts";
import { commandFor } from "../../report/command-name.ts";
import { GatewayError } from "../../report/gateway-error.ts";
import { makeDirectory } from "../../supervisor/make-directory.ts";
import { readJson, replaceFile, stateRoot, writePrivately } from "../../supervisor/state.ts";
import { connectionTo } from "../agent-connection.ts";
import type { SetupOptions } from "../command-options.ts";
import { chooseRunning, notRunning, ownConfiguration } from "../find-running.ts";

/** A member of a file that holds a key, up to its value, and the value. */
const SECRET = /((?:token|api[-_]?key)"?\s*[:=]\s*"?)(?!\{)[^"\s,]+/gi;
const HIDDEN = "$1…";
const ANSWER_MS = 60_000;

/** Writes the file after showing the difference, and checks with one request. Exit code 1 if that fails. */
export async function setup(name: string, options: SetupOptions): Promise<void> {
  const { title, file } = agentOf(name);
  const path = realPath(join(process.env["HOME"] ?? homedir(), file.path));
  const receipt = join(stateRoot(process.env), "agents", `${name}.json`);
  if (options.undo === true) {
    await restore(title, receipt, options);
    return;
  }
  const running = chooseRunning(ownConfiguration(options.config), process.env);
  if (running === undefined) {
    throw new GatewayError(notRunning(options.config), {
      hint: `Start it: ${commandFor("up --detach")}. For one process alone: ${commandFor(`run -- ${name}`)}.`,
    });
  }
  const connection = await connectionTo(running.record, options, process.env);
  const before = readText(path);
  const own = file.entries(connection);
  const text = editText(file.format, before ?? "", own);
  if (text === before) console.log(`${path} is set up already.`);
  else {
    if (!(await isConfirmed(path, before ?? "", text, options))) return;
    makeDirectory(dirname(receipt), 0o700);
    const written = newReceipt(
      { file: path, format: file.format, before, own, text },
      readJson(receipt) as Receipt | undefined,
    );
    writePrivately(receipt, JSON.stringify(written));
    writeText(path, text);
    console.log(`Wrote ${path}. ${commandFor(`setup ${name} --undo`)} restores it.`);
  }
  for (const variable of file.variables ?? [])
    if (connection.key !== (process.env[variable] ?? ""))
      console.log(`${title} reads the key from $${variable}: export ${variable}=<key>`);
  await check(title, connection);
}

function agentOf(name: string): { title: string; file: AgentFile } {
  const known = Object.entries(AGENTS).flatMap(([program, agent]) =>
    agent?.file === undefined ? [] : [[program, { title: agent.title, file: agent.file }] as const],
  );
  const found = new Map(known).get(name);
  if (found !== undefined) return found;
  throw new GatewayError(`There is no file of ${name} that can be written.`, {
    hint: `Agents that have one: ${known.map(([program]) => program).join(", ")}.`,
    exitCode: 2,
  });
}

/** Restores what was there before, but for values that the user has changed since. */
async function restore(title: string, receiptFile: string, options: SetupOptions): Promise<void> {
  const receipt = readJson(receiptFile) as Receipt | undefined;
  if (receipt === undefined) {
    console.log(`${title} was not set up here, or that was undone.`);
    return;
  }
  const { file } = receipt;
  const current = readText(file);
  if (current !== null) {
    const { text, kept } = undo(receipt, current);
    if (!(await isConfirmed(file, current, text ?? "", options))) return;
    if (text === null) rmSync(file, { force: true });
    else if (text !== current) writeText(file, text);
    console.log(
      text === null ? `Removed ${file}, which was not there before.` : `Restored ${file}.`,
    );
    if (kept.length > 0) console.log(`Changed since, and kept: ${kept.join(", ")}`);
  }
  rmSync(receiptFile, { force: true });
}

/** Prints the difference without keys, and asks. */
async function isConfirmed(
  file: string,
  before: string,
  after: string,
  { yes }: SetupOptions,
): Promise<boolean> {
  const patch = createTwoFilesPatch(file, file, before, after);
  console.log(patch.replaceAll(SECRET, HIDDEN));
  if (yes === true) return true;
  if (!process.stdin.isTTY) {
    throw new GatewayError("Nothing was changed: there is no terminal to ask in.", {
      hint: "--yes writes the file without a question.",
    });
  }
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await terminal.question("Write it? [y/N] ");
  terminal.close();
  return /^y(?:es)?$/i.test(answer.trim());
}

/** Sends a request of a few tokens with the model that the agent will ask for. */
async function check(title: string, connection: Omit<Connection, "writeFile">): Promise<void> {
  const { origin, key } = connection;
  const own = AGENT_MODELS.find(({ agent }) => agent === title)?.models[0];
  const model = connection.model ?? own ?? connection.firstModel();
  const response = await fetch(`${origin}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
    body: JSON.stringify({
      model,
      max_completion_tokens: 256,
      messages: [{ role: "user", content: "Reply with the word ready." }],
    }),
    signal: AbortSignal.timeout(ANSWER_MS),
  }).catch((error: unknown) => error as Error);
  if (response instanceof Response && response.ok) {
    console.log(`Checked: ${model} responds.`);
    return;
  }
  const reason = response instanceof Response ? messageOf(await response.text()) : response.message;
  console.error(`${model} does not respond: ${reason}`);
  console.error(`Choose another model with --model, or set ${KEY_VARIABLE}.`);
  process.exitCode = 1;
}

function messageOf(body: string): string {
  try {
    const { error } = JSON.parse(body) as { error?: { message?: string } };
    return error?.message ?? body;
  } catch {
    return body;
  }
}

/** The file itself, where the path is a link to it. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** Returns null if there is no file. */
function readText(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return null;
    throw new GatewayError(`${path} cannot be read (${code}).`);
  }
}

/** Replaces the file, which keeps its mode. A new one is private: it may have a key. */
function writeText(path: string, text: string): void {
  try {
    makeDirectory(dirname(path), 0o700);
    replaceFile(path, text);
  } catch (error) {
    throw new GatewayError(
      `${path} cannot be written (${String((error as NodeJS.ErrnoException).code)}).`,
    );
  }
}
