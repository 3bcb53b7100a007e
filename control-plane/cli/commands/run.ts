// `gateway run -- claude`: a coding agent, or any program, whose requests go to the gateway. Its settings are for this
// process alone; a gateway that it starts ends with it.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { constants } from "node:os";
import { basename, delimiter, extname, join, sep } from "node:path";
import type { Agent, AgentSettings } from "../../agents/agent.ts";
import { AGENTS, ANY_PROGRAM } from "../../agents/agents.ts";
import { commandFor } from "../../report/command-name.ts";
import type { Environment } from "../../report/environment.ts";
import { GatewayError } from "../../report/gateway-error.ts";
import { writePrivately } from "../../supervisor/state.ts";
import type { ConnectionOptions } from "../command-options.ts";
import { connectionTo } from "../agent-connection.ts";
import { useGateway } from "../use-gateway.ts";

/** Runs the program to its end; its exit code is that of this command. */
export async function run(words: readonly string[], options: ConnectionOptions): Promise<void> {
  const [program = "", ...own] = words;
  if (program === "") {
    throw new GatewayError("Expected a program to run.", {
      hint: `For example: ${commandFor("run -- claude")}. To start the gateway alone: ${commandFor("up")}.`,
      exitCode: 2,
    });
  }
  const agent = agentOf(program);
  checkProgram(program, agent, process.env);
  const { record, user } = await useGateway(options.config);
  try {
    const settings = agent.settings({
      ...(await connectionTo(record, options, process.env)),
      writeFile(name, text) {
        const file = join(user.directory, name);
        writePrivately(file, text);
        return file;
      },
    });
    process.exitCode = await runProgram(program, own, settings);
  } finally {
    user.remove();
  }
}

function agentOf(program: string): Agent {
  const name = basename(program, extname(program));
  const agent = Object.hasOwn(AGENTS, name) ? AGENTS[name] : ANY_PROGRAM;
  if (agent) return agent;
  throw new GatewayError(`${program} speaks the Gemini format, which the gateway does not serve.`, {
    hint: "Agents that work: " + knownAgents().join(", "),
    exitCode: 2,
  });
}

function knownAgents(): string[] {
  return Object.entries(AGENTS).flatMap(([name, agent]) => (agent === null ? [] : [name]));
}

/** Returns the exit code: that of the program, or 128 and the number of the signal that ended it. */
function runProgram(
  program: string,
  own: readonly string[],
  settings: AgentSettings,
): Promise<number> {
  const { variables, removed = [], words = [] } = settings;
  const others = Object.entries(process.env).filter(([name]) => !removed.includes(name));
  const env = { ...Object.fromEntries(others), ...withoutProxy(process.env), ...variables };
  const child = spawn(program, [...words, ...own], { env, stdio: "inherit" });
  const forward = (signal: NodeJS.Signals) => child.kill(signal);
  // A terminal sends it to the program, too, which decides what it means.
  const wait = () => undefined;
  process.on("SIGINT", wait).on("SIGTERM", forward).on("SIGHUP", forward);
  return new Promise<number>((resolve, reject) => {
    child.once("error", (error: NodeJS.ErrnoException) => {
      reject(new GatewayError(`${program} cannot be started: ${error.message}.`));
    });
    child.once("exit", (code, signal) => {
      resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal]));
    });
  }).finally(() => {
    process.off("SIGINT", wait).off("SIGTERM", forward).off("SIGHUP", forward);
  });
}

/** The gateway is on this machine, whatever proxy the program uses for the network. */
function withoutProxy(environment: Environment): Record<string, string> {
  const hosts = [environment["NO_PROXY"] ?? environment["no_proxy"] ?? "", "127.0.0.1", "localhost"]
    .filter((text) => text !== "")
    .join(",");
  return { NO_PROXY: hosts, no_proxy: hosts };
}

/** Throws if there is no such program, before a gateway is started for it. */
function checkProgram(program: string, { install }: Agent, environment: Environment): void {
  const directories = (environment["PATH"] ?? "").split(delimiter);
  const isFound = program.includes(sep)
    ? existsSync(program)
    : directories.some((directory) => existsSync(join(directory, program)));
  if (isFound) return;
  const knownAs = `Agents with settings of their own: ${knownAgents().join(", ")}.`;
  const isFile = /\.ya?ml$/.test(program);
  const hint = install === "" ? knownAs : `Install it: ${install}`;
  throw new GatewayError(`There is no program ${program}.`, {
    hint: isFile ? `Did you mean ${commandFor(`up ${program}`)}?` : hint,
    exitCode: 2,
  });
}
