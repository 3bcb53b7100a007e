#!/usr/bin/env node
// The command line `gateway`: its commands, error output and exit codes.
import { inspect } from "node:util";
import { Argument, Command, CommanderError, InvalidArgumentError, Option } from "commander";
import { addKeyCommands } from "./cli/key-commands.ts";
import { addExamples } from "./cli/help.ts";
import { commandFor, commandName } from "./report/command-name.ts";
import { paintProblem } from "./report/problem.ts";
import { parseDuration } from "./config/quantity.ts";
import { ConfigurationProblems } from "./config/diagnostics/configuration-problems.ts";
import { addCompletion } from "./cli/commands/complete.ts";
import type { ImportOptions } from "./cli/commands/import.ts";
import { KINDS, type Kind } from "./import/kinds.ts";
import type { DoctorOptions } from "./cli/commands/doctor.ts";
import { recentTime, sinceTime } from "./cli/since.ts";
import { statusFilter } from "./cli/status-filter.ts";
import type { InitOptions } from "./cli/commands/init.ts";
import type { LoginOptions, LogoutOptions } from "./cli/commands/person-login.ts";
import type { RenderOptions } from "./cli/commands/render.ts";
import type {
  AuditOptions,
  ConnectionOptions,
  ExplainOptions,
  ModelsOptions,
  LogsOptions,
  ReplayOptions,
  ReloadOptions,
  SetupOptions,
  SessionEndOptions,
  SessionsOptions,
  SpendOptions,
  TargetsOptions,
  UpgradeOptions,
  UpOptions,
  VerifyAuditOptions,
} from "./cli/command-options.ts";
import { SPENT_BY } from "./cli/command-options.ts";
import { GatewayError } from "./report/gateway-error.ts";
import { BUDGET_PERIODS } from "../model/budgets.ts";
import {
  ACCESS_LOG_PLACES,
  ACCESS_LOGS,
  DEFAULT_DRAIN_MS,
  DEFAULT_RELOAD_DRAIN_MS,
  LOG_LEVELS,
} from "../model/names.ts";
import { colorsFor, count } from "./report/terminal.ts";
import { GATEWAY, logFormat, writeEntry } from "./supervisor/own-log.ts";
import { VERSION } from "./supervisor/package-version.ts";

const CONFIGURATION =
  "configuration file (default: gateway.yaml, config.yaml or arch_config.yaml in this directory)";
const WHICH = "configuration file of the gateway, if several are running";
const AS_JSON = "print JSON";

// Each command is imported when it is called, so that completion and --version do not wait for the others.
export function buildProgram(): Command {
  const program = new Command("gateway")
    .description("One gateway in front of all language models you use.")
    .version(VERSION, "-V, --version", "print the version")
    .helpOption("-h, --help", "show help")
    .helpCommand("help [command]", "show help for a command")
    .showHelpAfterError(`(${commandFor("--help")} lists commands and options)`)
    // `gateway explain curl -H …`: options after the request belong to curl.
    .enablePositionalOptions()
    .exitOverride();
  const colors = colorsFor(process.stdout);
  program.configureHelp({ styleTitle: colors.bold, styleCommandText: colors.cyan });
  addRunning(program);
  addConfiguration(program);
  addKeyCommands(program);
  addPerson(program);
  addTargets(program);
  addInstallation(program);
  addCompletion(program);
  addExamples(program);
  addOtherWords(program);
  // After the completion, whose script is for `gateway`.
  return program.name(commandName(process.env));
}

/** Words of other programs, and what does the same here. */
const OTHER_WORDS: Readonly<Record<string, string>> = {
  start: "Did you mean up?",
  serve: "Did you mean up?",
  stop: "Did you mean down?",
  restart: "Did you mean reload --restart?",
  test: "validate checks the configuration, doctor this machine, and targets test a prompt.",
};

/** Adds them as commands that no help lists and that only print the hint. */
function addOtherWords(program: Command): void {
  for (const [word, hint] of Object.entries(OTHER_WORDS)) {
    program
      .command(word, { hidden: true })
      .helpOption(false)
      .allowUnknownOption()
      .allowExcessArguments()
      .action(() => program.error(`error: unknown command '${word}'\n(${hint})`));
  }
}

function addRunning(program: Command): void {
  program
    .command("up")
    .description("start the gateway and keep it running")
    .argument("[config]", CONFIGURATION)
    .addOption(
      new Option("--foreground", "run in this terminal until Ctrl-C (default)").conflicts("detach"),
    )
    .option("--detach", "run in the background; return when the gateway is ready")
    .option("--docker", "run the container image of this version")
    .option(
      "--watch",
      "reload when the configuration file, its .env file or a file of GATEWAY_VARIABLES_DIR changes",
    )
    .addOption(
      new Option(
        "--log-dir <directory>",
        "directory of the access logs (default: its own in ~/gateway_logs)",
      ).env("GATEWAY_LOG_DIR"),
    )
    .addOption(
      new Option(
        "--access-log <where>",
        "where access log lines go: files, or files and standard output",
      )
        .env("GATEWAY_ACCESS_LOG")
        .choices(ACCESS_LOG_PLACES)
        .default("file"),
    )
    .addOption(
      new Option("--log-level <level>", "log level of Envoy and the filter")
        .env("GATEWAY_LOG_LEVEL")
        .choices(LOG_LEVELS)
        .default("warning"),
    )
    .addOption(
      new Option("--concurrency <threads>", "number of Envoy workers (default: one per CPU)")
        .env("GATEWAY_CONCURRENCY")
        .argParser(wholeNumber),
    )
    .addOption(
      new Option("--drain-time <duration>", "time for open requests to finish at shutdown")
        .env("GATEWAY_DRAIN_TIME")
        .argParser(durationInMs)
        .default(DEFAULT_DRAIN_MS, "30s"),
    )
    .addOption(
      new Option(
        "--reload-drain-time <duration>",
        "time for open connections to close when a reload changes their listener",
      )
        .env("GATEWAY_RELOAD_DRAIN_TIME")
        .argParser(durationInMs)
        .default(DEFAULT_RELOAD_DRAIN_MS, "10m"),
    )
    .addOption(new Option("--announce").hideHelp())
    .addOption(new Option("--ends-unused").hideHelp())
    .action(async (config: string | undefined, options: UpOptions) => {
      const { up } = await import("./cli/commands/up.ts");
      await up(config, options);
    });
  program
    .command("run")
    .description("run a coding agent, or another program, on the gateway; starts one if none runs")
    .argument("[command...]", "program and its arguments: claude, codex, opencode, aider, qwen, …")
    .option("-c, --config <file>", CONFIGURATION)
    .option("-m, --model <name>", "model of the agent (default: its own, or the first of the list)")
    .option("--key <name>", "API key of the configuration, by its name")
    .passThroughOptions()
    .action(async (words: string[], options: ConnectionOptions) => {
      const { run } = await import("./cli/commands/run.ts");
      await run(words, options);
    });
  program
    .command("setup")
    .description("set the gateway in a coding agent's own configuration file")
    .argument("<agent>", "claude, codex, opencode or aider")
    .option("-c, --config <file>", CONFIGURATION)
    .option("-m, --model <name>", "model of the agent (default: its own, or the first of the list)")
    .option("--key <name>", "API key of the configuration, by its name")
    .option("-y, --yes", "write without a question")
    .option("--undo", "restore what was there before")
    .action(async (agent: string, options: SetupOptions) => {
      const { setup } = await import("./cli/commands/setup.ts");
      await setup(agent, options);
    });
  program
    .command("reload")
    .description("reload the configuration without dropping requests")
    .argument("[config]", WHICH)
    .option("--restart", "restart Envoy if the change needs it; the old one finishes its requests")
    .option("--json", AS_JSON)
    .action(async (config: string | undefined, options: ReloadOptions) => {
      const { reload } = await import("./cli/commands/reload.ts");
      await reload(config, options);
    });
  program
    .command("down")
    .description("stop the gateway after its open requests have finished")
    .argument("[config]", WHICH)
    .action(async (config: string | undefined) => {
      const { down } = await import("./cli/commands/down.ts");
      await down(config);
    });
  program
    .command("health")
    .description("check whether the gateway is ready, for probes")
    .argument("[config]", WHICH)
    .action(async (config: string | undefined) => {
      const { health } = await import("./cli/commands/health.ts");
      await health(config);
    });
  program
    .command("status")
    .description("show the running gateway and its providers")
    .argument("[config]", WHICH)
    .option("--json", AS_JSON)
    .action(async (config: string | undefined, options: { json?: boolean }) => {
      const { status } = await import("./cli/commands/status.ts");
      await status(config, options);
    });
  addLogs(program);
  addSessions(program);
  addSpend(program);
  addAudit(program);
}

/** Commands for developers, on machines without a gateway. */
function addPerson(program: Command): void {
  const load = () => import("./cli/commands/person-login.ts");
  const url = "URL of the gateway (default: that of the last login)";
  program
    .command("login")
    .description("log in at a gateway with the company account, in the browser")
    .argument("[url]", url)
    .option("--no-browser", "only print the address, and open no browser")
    .action(async (at: string | undefined, options: LoginOptions) => {
      await (await load()).login(at, options);
    });
  program
    .command("token")
    .description("print the token of the login, for programs that need a key")
    .argument("[url]", url)
    .action(async (at: string | undefined) => {
      await (await load()).token(at);
    });
  program
    .command("logout")
    .description("end the login")
    .argument("[url]", url)
    .option("--local", "only forget the tokens on this machine")
    .action(async (at: string | undefined, options: LogoutOptions) => {
      await (await load()).logout(at, options);
    });
}

function addLogs(program: Command): void {
  program
    .command("logs")
    .description("show the access logs, one line per request")
    .argument("[config]", WHICH)
    .addOption(
      new Option("--access <log>", "show one log only (default: all logs, by time)").choices(
        ACCESS_LOGS,
      ),
    )
    .option("-f, --follow", "keep printing new lines")
    .option("--request-id <id>", "show the lines of one request")
    .option("--probes", "show health probes too (/healthz, /readyz)")
    .addOption(
      new Option(
        "--status <status>",
        "show requests with a status: 429, 4xx, 5xx or errors",
      ).argParser(statusFilter),
    )
    .option("--model <name>", "show requests to one model (needs observability)")
    .option("--key <name>", "show requests with one client key (needs observability)")
    .option("--session <id>", "show the requests of one session (needs observability)")
    .addOption(
      new Option(
        "--since <time>",
        "show requests from a time on: 15m, 2h, 7d or 2026-01-31",
      ).argParser(recentTime),
    )
    .addOption(
      new Option("-n, --lines <number>", "number of lines to show")
        .argParser(wholeNumber)
        .default(50),
    )
    .addOption(logDirectory())
    .option("--json", "print one JSON object per line")
    .action(async (config: string | undefined, options: LogsOptions) => {
      const { logs } = await import("./cli/commands/logs.ts");
      await logs(config, options);
    });
}

/** The directory of the logs, of commands that read them. */
function logDirectory(): Option {
  return new Option(
    "--log-dir <directory>",
    "directory of the logs (default: where the running gateway writes them)",
  ).env("GATEWAY_LOG_DIR");
}

function addSessions(program: Command): void {
  const sessions = program.command("sessions");
  sessions
    .command("end")
    .description("end a session: its requests are rejected from now on, by all gateways")
    .argument("<session>", "id of a session")
    .option("-c, --config <file>", WHICH)
    .option("--key <name>", "only the session of this client key")
    .option("--json", "print one JSON object")
    .action(async (session: string, options: SessionEndOptions) => {
      const { endSession } = await import("./cli/commands/end-session.ts");
      await endSession(session, { ...sessions.opts<SessionEndOptions>(), ...options });
    });
  sessions
    .description("show the sessions of agents, or the turns of one (needs observability)")
    .argument("[session]", "id of a session")
    .option("-c, --config <file>", WHICH)
    .option("--key <name>", "only sessions of one client key")
    .addOption(
      new Option(
        "--since <time>",
        "from a time on: 15m, 2h, 7d or 2026-01-31 (default: sessions of 24 hours)",
      ).argParser(recentTime),
    )
    .addOption(
      new Option("-n, --lines <number>", "number of sessions, or of turns, to show")
        .argParser(wholeNumber)
        .default(50),
    )
    .addOption(logDirectory())
    .option("--json", "print one JSON object per line")
    .action(async (session: string | undefined, options: SessionsOptions) => {
      const { sessions } = await import("./cli/commands/sessions.ts");
      sessions(session, options);
    });
}

function addSpend(program: Command): void {
  program
    .command("spend")
    .description("show what was spent by key and model, and what is left of budgets")
    .argument("[config]", CONFIGURATION)
    .addOption(
      new Option("--since <date>", "first day (UTC), or days ago: 2026-01-31, 7d").argParser(
        sinceTime,
      ),
    )
    .addOption(
      new Option(
        "--per <period>",
        "show the current period (default: month); with --since, each period",
      ).choices(BUDGET_PERIODS),
    )
    .addOption(
      new Option("--by <what>", "show keys and models, groups, or users").choices(SPENT_BY),
    )
    .addOption(new Option("--json", AS_JSON).conflicts("csv"))
    .option("--csv", "print comma-separated values")
    .action(async (config: string | undefined, options: SpendOptions) => {
      const { spend } = await import("./cli/commands/spend.ts");
      await spend(config, options);
    });
}

function addAudit(program: Command): void {
  const audit = program
    .command("audit")
    .helpCommand(false)
    .description("show who changed what, and check that no line was changed");
  const directory = () =>
    new Option("--directory <directory>", "directory of the log, such as a copy of it");
  audit
    .command("list", { isDefault: true })
    .description("show the lines of the audit log (the default)")
    .argument("[config]", WHICH)
    .addOption(directory())
    .addOption(
      new Option(
        "--since <time>",
        "show lines from a time on: 15m, 2h, 7d or 2026-01-31",
      ).argParser(recentTime),
    )
    .option("--action <word>", "show actions that begin with it: keys, configuration.reload")
    .option("--actor <name>", "show what one actor did")
    .option("--denied", "show denials only")
    .addOption(
      new Option("-n, --lines <number>", "number of lines to show")
        .argParser(wholeNumber)
        .default(50),
    )
    .option("--json", "print the lines as they are written")
    .action(async (config: string | undefined, options: AuditOptions) => {
      const { listAudit } = await import("./cli/commands/audit.ts");
      listAudit(config, options);
    });
  audit
    .command("verify")
    .description("check that no line was changed, removed or added")
    .argument("[config]", WHICH)
    .addOption(directory())
    .addOption(
      new Option("--expect <line:hash>", "a line and its hash that were noted before").argParser(
        auditHead,
      ),
    )
    .option("--json", AS_JSON)
    .action(async (config: string | undefined, options: VerifyAuditOptions) => {
      const { verify } = await import("./cli/commands/audit.ts");
      verify(config, options);
    });
}

function addInstallation(program: Command): void {
  program
    .command("fetch")
    .description("download Envoy and the embedded model now, for a later start without a network")
    .action(async () => {
      const { fetchEverything } = await import("./cli/commands/fetch.ts");
      await fetchEverything();
    });
  program
    .command("upgrade")
    .description("print the command that installs the newest version")
    .option("--check", "compare the installed version with the newest one; exit code 3 if older")
    .option("--json", AS_JSON)
    .action(async (options: UpgradeOptions) => {
      const { upgrade } = await import("./cli/commands/upgrade.ts");
      upgrade(options);
    });
}

function addConfiguration(program: Command): void {
  program
    .command("import")
    .description(
      "write a gateway.yaml from the configuration of LiteLLM, Bifrost, Portkey, archgw or Plano",
    )
    .addArgument(new Argument("<gateway>", "where the file is from").choices(KINDS))
    .argument("<file>", "its configuration; - for standard input")
    .option("-o, --output <file>", "write to a file instead of standard output")
    .option("--force", "replace the file if it exists")
    .action(async (kind: Kind, file: string, options: ImportOptions) => {
      const { importFile } = await import("./cli/commands/import.ts");
      importFile(kind, file, options);
    });
  program
    .command("doctor")
    .description("find what keeps the gateway from working on this machine")
    .argument("[config]", CONFIGURATION)
    .option("--online", "contact each provider, to try the connection and the keys")
    .option("--json", AS_JSON)
    .action(async (config: string | undefined, options: DoctorOptions) => {
      const { doctor } = await import("./cli/commands/doctor.ts");
      await doctor(config, options);
    });
  program
    .command("init")
    .description("write a gateway.yaml for the keys in the environment and .env")
    .argument("[config]", "file to write (default: gateway.yaml)")
    .option("--force", "replace the file if it exists")
    .option("--stdout", "print the configuration instead of writing it")
    .action(async (config: string | undefined, options: InitOptions) => {
      const { init } = await import("./cli/commands/init.ts");
      init(config, options);
    });
  program
    .command("validate")
    .description("check a configuration file and list all problems")
    .argument("[config]", CONFIGURATION)
    .option("--json", AS_JSON)
    .action(async (config: string | undefined, options: { json?: boolean }) => {
      const { validate } = await import("./cli/commands/validate.ts");
      validate(config, options);
    });
  program
    .command("render")
    .description("print the generated Envoy configuration")
    .argument("[config]", CONFIGURATION)
    .option("-o, --output <file>", "write to a file instead of standard output")
    .option("--ratelimit-config", "print the configuration of the rate limit service instead")
    .action(async (config: string | undefined, options: RenderOptions) => {
      const { render } = await import("./cli/commands/render.ts");
      render(config, options);
    });
  program
    .command("models")
    .description("list the models and aliases that clients can use")
    .argument("[config]", CONFIGURATION)
    .option("--key <name>", "only what this API key may be used for")
    .option("--json", AS_JSON)
    .option("--refresh", "fetch the newest facts and prices of models first")
    .option("--accept-prices", "with --refresh: take prices that change by more than a factor of 3")
    .action(async (config: string | undefined, options: ModelsOptions) => {
      const { models } = await import("./cli/commands/models.ts");
      await models(config, options);
    });
  program
    .command("explain")
    .description("show what becomes of a request: decisions, attempts and the exact requests")
    .argument(
      "<request...>",
      "request id of the content log, file (HTTP, curl or JSON body), -, or curl …; two request ids: compare their prompts",
    )
    .option("-c, --config <file>", CONFIGURATION)
    .option("--endpoint <path>", "path for a JSON body (default: /v1/chat/completions)")
    .option("--key <name>", "the API key that the request has, by its name")
    .addOption(logDirectory())
    .option("--json", AS_JSON)
    .passThroughOptions()
    .action(async (words: string[], options: ExplainOptions) => {
      const { explain } = await import("./cli/commands/explain.ts");
      await explain(words, options);
    });
  program
    .command("replay")
    .description("show what a new configuration changes for captured requests")
    .argument("<requests>", "content log (access_content.log), or lines of one")
    .argument("<config>", "the new configuration file")
    .option("--against <file>", `configuration to compare with: a ${CONFIGURATION}`)
    .option("--json", AS_JSON)
    .action(async (requests: string, config: string, options: ReplayOptions) => {
      const { replay } = await import("./cli/commands/replay.ts");
      await replay(requests, config, options);
    });
}

function addTargets(program: Command): void {
  const targets = program
    .command("targets")
    .helpCommand(false)
    .description("test prompt targets without calling their APIs");
  targets
    .command("test")
    .description("show the target that a prompt selects, its parameters and the request")
    .argument("<prompt>", "prompt of a user")
    .option("-c, --config <file>", CONFIGURATION)
    .option("--json", AS_JSON)
    .action(async (prompt: string, options: TargetsOptions) => {
      const { targetsTest } = await import("./cli/commands/targets.ts");
      await targetsTest(prompt, options);
    });
  targets
    .command("eval")
    .description("measure accuracy and confusion over a file of test cases")
    .argument("<cases>", "YAML file: a list of {prompt, target, parameters}")
    .option("-c, --config <file>", CONFIGURATION)
    .option("--require <percent>", "fail if fewer cases are correct", percentage)
    .option("--json", AS_JSON)
    .action(async (cases: string, options: TargetsOptions) => {
      const { targetsEval } = await import("./cli/commands/targets.ts");
      await targetsEval(cases, options);
    });
}

function percentage(text: string): number {
  const number = /^\d{1,3}(?:\.\d+)?%?$/.test(text) ? Number.parseFloat(text) : NaN;
  if (!(number <= 100)) throw new InvalidArgumentError("Expected a number from 0 to 100.");
  return number;
}

function auditHead(text: string): { line: number; hash: string } {
  const [, line, hash = ""] = /^([1-9]\d{0,14}):([0-9a-f]{64})$/.exec(text) ?? [];
  if (line === undefined)
    throw new InvalidArgumentError(
      "Expected a line and its hash, as `gateway audit verify` prints.",
    );
  return { line: Number(line), hash };
}

function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text))
    throw new InvalidArgumentError("Expected a whole number of 1 or more.");
  return Number(text);
}

function durationInMs(text: string): number {
  const milliseconds = parseDuration(text);
  if (milliseconds === undefined) {
    throw new InvalidArgumentError("Expected a duration such as 30s, 2m or 0s.");
  }
  return milliseconds;
}

/** Prints what went wrong to standard error, and returns the exit code. */
function explain(error: unknown): number {
  const colors = colorsFor(process.stderr);
  if (error instanceof CommanderError) return error.exitCode;
  if (logFormat() === "json") logError(error);
  else if (error instanceof ConfigurationProblems) {
    for (const problem of error.problems) console.error(paintProblem(problem, colors.bold));
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

/** The end of a gateway whose log has JSON lines. */
function logError(error: unknown): void {
  const text = error instanceof GatewayError ? error.message : inspect(error);
  const hint = error instanceof GatewayError && error.hint !== undefined ? `\n${error.hint}` : "";
  const message = text + hint;
  writeEntry(message, { level: "error", component: GATEWAY, message });
}

/** Runs the command line. Sets the exit code instead of exiting, so that all output is written. */
export async function runCommand(words: readonly string[]): Promise<void> {
  // A closed pipe (`gateway render | head`) is no error, and does not stop a running gateway.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);
  try {
    await buildProgram().parseAsync(words, { from: "user" });
  } catch (error) {
    process.exitCode = explain(error);
  }
}

/**
 * Makes files readable by their user and group only: logs contain paths and addresses of clients. A stricter mask of the
 * user is kept.
 */
function keepFilesPrivate(): void {
  const MASK = 0o027;
  process.umask(process.umask(MASK) | MASK);
}

if (import.meta.main) {
  keepFilesPrivate();
  await runCommand(process.argv.slice(2));
}
