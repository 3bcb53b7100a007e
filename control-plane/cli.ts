#!/usr/bin/env node
// The command line `gateway`: its commands, what they say when something is wrong, and their exit codes.
import { Command, CommanderError, InvalidArgumentError, Option } from "commander";
import { formatProblem } from "./config/problem.ts";
import { parseDuration } from "./config/quantity.ts";
import { ConfigurationProblems } from "./configuration-problems.ts";
import { addCompletion } from "./commands/complete.ts";
import type { RenderOptions } from "./commands/render.ts";
import type { LogsOptions, ReloadOptions, TargetsOptions, UpOptions } from "./commands/options.ts";
import { GatewayError } from "./errors.ts";
import {
  ACCESS_LOG_PLACES,
  ACCESS_LOGS,
  DEFAULT_DRAIN_MS,
  DEFAULT_RELOAD_DRAIN_MS,
  LOG_LEVELS,
} from "./names.ts";
import { colorsFor, count } from "./terminal.ts";
import { VERSION } from "./version.ts";

// Each command is imported when it is called, so that completion and --version do not wait for the others.
export function buildProgram(): Command {
  const program = new Command("gateway")
    .description("One gateway in front of every language model you use.")
    .version(VERSION, "-V, --version", "print the version")
    .helpOption("-h, --help", "show this help")
    .showHelpAfterError("(gateway --help lists the commands and options)")
    .exitOverride();
  const colors = colorsFor(process.stdout);
  program.configureHelp({ styleTitle: colors.bold, styleCommandText: colors.cyan });
  addRunning(program);
  addConfiguration(program);
  addTargets(program);
  addCompletion(program);
  return program;
}

function addRunning(program: Command): void {
  program
    .command("up")
    .description("start the gateway and keep it running")
    .argument(
      "[config]",
      "configuration file (default: gateway.yaml, config.yaml, arch_config.yaml)",
    )
    .addOption(new Option("--foreground", "stay in this terminal (default)").conflicts("detach"))
    .option("--detach", "return when it is ready, and run in the background")
    .option("--docker", "run the image of this version instead of processes of this machine")
    .option("--watch", "reload when the configuration or the .env beside it changes")
    .addOption(
      new Option(
        "--log-dir <directory>",
        "where access logs are written (default: ~/gateway_logs)",
      ).env("GATEWAY_LOG_DIR"),
    )
    .addOption(
      new Option("--access-log <where>", "stdout: access log lines also to standard output")
        .env("GATEWAY_ACCESS_LOG")
        .choices(ACCESS_LOG_PLACES)
        .default("file"),
    )
    .addOption(
      new Option("--log-level <level>", "how much Envoy and the filter tell")
        .env("GATEWAY_LOG_LEVEL")
        .choices(LOG_LEVELS)
        .default("warning"),
    )
    .addOption(
      new Option("--concurrency <threads>", "Envoy's worker threads (default: one per processor)")
        .env("GATEWAY_CONCURRENCY")
        .argParser(wholeNumber),
    )
    .addOption(
      new Option("--drain-time <duration>", "how long open requests may take to end at a stop")
        .env("GATEWAY_DRAIN_TIME")
        .argParser(durationInMs)
        .default(DEFAULT_DRAIN_MS, "30s"),
    )
    .addOption(
      new Option(
        "--reload-drain-time <duration>",
        "how long connections of a listener that a reload changes may go on",
      )
        .env("GATEWAY_RELOAD_DRAIN_TIME")
        .argParser(durationInMs)
        .default(DEFAULT_RELOAD_DRAIN_MS, "10m"),
    )
    .addOption(new Option("--announce").hideHelp())
    .action(async (config: string | undefined, options: UpOptions) => {
      const { up } = await import("./commands/up.ts");
      await up(config, options);
    });
  program
    .command("reload")
    .description("make the running gateway read its configuration anew, without losing a request")
    .argument("[config]", "which one, where several are running")
    .option("--restart", "where the change needs another Envoy: start it, and drain the old one")
    .option("--json", "as JSON")
    .action(async (config: string | undefined, options: ReloadOptions) => {
      const { reload } = await import("./commands/reload.ts");
      await reload(config, options);
    });
  program
    .command("down")
    .description("stop the gateway when its open requests are answered")
    .argument("[config]", "which one, where several are running")
    .action(async (config: string | undefined) => {
      const { down } = await import("./commands/down.ts");
      await down(config);
    });
  program
    .command("health")
    .description("say whether the gateway is ready, for probes; exit code 1 when it is not")
    .argument("[config]", "which one, where several are running")
    .action(async (config: string | undefined) => {
      const { health } = await import("./commands/health.ts");
      await health(config);
    });
  program
    .command("status")
    .description("show what is running; exit code 1 when nothing is, or it is not ready")
    .argument("[config]", "which one, where several are running")
    .option("--json", "as JSON")
    .action(async (config: string | undefined, options: { json?: boolean }) => {
      const { status } = await import("./commands/status.ts");
      await status(config, options);
    });
  addLogs(program);
}

function addLogs(program: Command): void {
  program
    .command("logs")
    .description("show the access logs, one line per request")
    .argument("[config]", "which gateway, where several are running")
    .addOption(
      new Option("--access <log>", "one of the logs (default: all, by time)").choices(ACCESS_LOGS),
    )
    .option("-f, --follow", "go on with new lines as they come")
    .option("--request-id <id>", "only the lines of one request")
    .addOption(
      new Option("-n, --lines <number>", "how many of the last lines")
        .argParser(wholeNumber)
        .default(50),
    )
    .addOption(
      new Option(
        "--log-dir <directory>",
        "where the logs are, if not where the gateway writes them",
      ).env("GATEWAY_LOG_DIR"),
    )
    .option("--json", "one JSON object per line")
    .action(async (config: string | undefined, options: LogsOptions) => {
      const { logs } = await import("./commands/logs.ts");
      await logs(config, options);
    });
}

function addConfiguration(program: Command): void {
  program
    .command("validate")
    .description("check a configuration: every problem at once; exit code 2 when there is one")
    .argument("[config]", "configuration file")
    .option("--json", "as JSON")
    .action(async (config: string | undefined, options: { json?: boolean }) => {
      const { validate } = await import("./commands/validate.ts");
      validate(config, options);
    });
  program
    .command("render")
    .description("print the Envoy configuration that a gateway configuration becomes")
    .argument("[config]", "configuration file")
    .option("-o, --output <file>", "write it to a file")
    .option(
      "--ratelimit-config",
      "the configuration of the rate limit service, in place of Envoy's",
    )
    .action(async (config: string | undefined, options: RenderOptions) => {
      const { render } = await import("./commands/render.ts");
      render(config, options);
    });
  program
    .command("models")
    .description("list the names that a client can say, and what they stand for")
    .argument("[config]", "configuration file")
    .option("--json", "as JSON")
    .action(async (config: string | undefined, options: { json?: boolean }) => {
      const { models } = await import("./commands/models.ts");
      models(config, options);
    });
}

function addTargets(program: Command): void {
  const targets = program
    .command("targets")
    .description("try prompt targets without calling an API");
  const config = "configuration file (default: gateway.yaml, config.yaml, arch_config.yaml)";
  targets
    .command("test")
    .description("show which target a prompt is for, its parameters and the request")
    .argument("<prompt>", "what a user says")
    .option("-c, --config <file>", config)
    .option("--json", "as JSON")
    .action(async (prompt: string, options: TargetsOptions) => {
      const { targetsTest } = await import("./commands/targets.ts");
      await targetsTest(prompt, options);
    });
  targets
    .command("eval")
    .description("measure the choice over your own cases: accuracy and confusion")
    .argument("<cases>", "YAML file: a list of {prompt, target, parameters}")
    .option("-c, --config <file>", config)
    .option("--require <percent>", "exit with 1 when fewer of the cases are right", percentage)
    .option("--json", "as JSON")
    .action(async (cases: string, options: TargetsOptions) => {
      const { targetsEval } = await import("./commands/targets.ts");
      await targetsEval(cases, options);
    });
}

function percentage(text: string): number {
  const number = /^\d{1,3}(?:\.\d+)?%?$/.test(text) ? Number.parseFloat(text) : NaN;
  if (!(number <= 100)) throw new InvalidArgumentError("It has to be a number from 0 to 100.");
  return number;
}

function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new InvalidArgumentError("It has to be a number from 1.");
  return Number(text);
}

function durationInMs(text: string): number {
  const milliseconds = parseDuration(text);
  if (milliseconds === undefined) {
    throw new InvalidArgumentError("It has to be a duration such as 30s, 2m or 0s.");
  }
  return milliseconds;
}

/** Prints what went wrong to standard error, and returns the exit code. */
function explain(error: unknown): number {
  const colors = colorsFor(process.stderr);
  if (error instanceof CommanderError) return error.exitCode;
  if (error instanceof ConfigurationProblems) {
    for (const problem of error.problems) console.error(formatProblem(problem));
    const total = count(error.problems.length, "problem");
    console.error(`${colors.red(total)} in ${error.file.name}`);
  } else if (error instanceof GatewayError) {
    console.error(`${colors.red("gateway:")} ${error.message}`);
    if (error.hint !== undefined) console.error(error.hint);
  } else {
    console.error(error);
  }
  return error instanceof GatewayError ? error.exitCode : 1;
}

/** Runs the command line. Sets the exit code instead of exiting, so that all output is written. */
export async function runCommand(words: readonly string[]): Promise<void> {
  // The reader has gone (`gateway render | head`): no error, and for a running gateway no reason to end.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);
  try {
    await buildProgram().parseAsync(words, { from: "user" });
  } catch (error) {
    process.exitCode = explain(error);
  }
}

/**
 * Nobody but its user and their group reads a file that a command or a process of it creates: logs hold paths and addresses of
 * clients. A stricter mask of the user's stays.
 */
function keepFilesPrivate(): void {
  const MASK = 0o027;
  process.umask(process.umask(MASK) | MASK);
}

if (import.meta.main) {
  keepFilesPrivate();
  await runCommand(process.argv.slice(2));
}
