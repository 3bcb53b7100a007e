// Examples and exit codes at the end of each command's help.
import type { Command } from "commander";
import { commandName } from "../report/command-name.ts";
import { table } from "../report/terminal.ts";

type Rows = readonly (readonly [string, string])[];

/** By command: a command line, and what it does. */
const EXAMPLES: Readonly<Record<string, Rows>> = {
  gateway: [
    ["gateway up", "start with gateway.yaml, or with the keys in the environment"],
    ["gateway init", "write a gateway.yaml for the keys in the environment"],
    ["gateway validate my.yaml", "check a configuration"],
    ["gateway status", "show what is running"],
  ],
  up: [
    ["gateway up", "run in this terminal with ./gateway.yaml"],
    ["gateway up prod.yaml --detach", "run in the background"],
    ["gateway up --watch --log-level debug", "reload on changes, and log more"],
    ["gateway up --docker", "run the container image"],
  ],
  run: [
    ["gateway run -- claude", "run Claude Code with the model that it asks for"],
    ["gateway run --model openai/gpt-5.5 -- claude -p 'hello'", "run it with another model"],
    ["gateway run -- python my_script.py", "set the base URLs and keys that the SDKs read"],
  ],
  setup: [
    ["gateway setup claude", "show the change of ~/.claude/settings.json, and write it"],
    ["gateway setup codex --model openai/gpt-5.5 --yes", "choose the model, without a question"],
    ["gateway setup claude --undo", "restore the file"],
  ],
  reload: [
    ["gateway reload", "apply the changed configuration"],
    ["gateway reload --restart", "also if the change requires a restart of Envoy"],
  ],
  down: [["gateway down", "stop after the open requests have finished"]],
  health: [["gateway health && echo ready", "use the exit code in a probe"]],
  status: [
    ["gateway status", "show listeners, providers and ejections"],
    ["gateway status --json | jq .providers", "process the status in a script"],
  ],
  logs: [
    ["gateway logs -f", "print new lines as they are written"],
    ["gateway logs --access llm -n 200", "show the last 200 calls of models"],
    ["gateway logs --request-id 7f5c1a52-…", "show one request in all logs"],
  ],
  spend: [
    ["gateway spend", "show this month by key and model, and the budgets"],
    ["gateway spend --since 2026-01-01 --per month", "show each month of the year"],
    ["gateway spend --by group", "show this month by group, or by user"],
    ["gateway spend --per day --csv > today.csv", "write today's spend as CSV"],
  ],
  "keys create": [
    ["gateway keys create ann-laptop --owner ann@example.com", "create a key with the defaults"],
    [
      'gateway keys create ci --model "openai/*" --budget "20 USD/month" --expires 90d',
      "limit what the key may use",
    ],
  ],
  "keys list": [["gateway keys list --owner ann@example.com", "list the keys of one user"]],
  "keys update": [
    ["gateway keys update ci --budget none --ratelimit '60 requests/minute'", "change its limits"],
    ["gateway keys update ci --disable", "reject the key until it is enabled"],
  ],
  "keys rotate": [["gateway keys rotate ci --grace 24h", "accept both keys for a day"]],
  "keys import": [
    ["gateway keys import keys.csv teams.csv --from litellm", "import LiteLLM's keys and teams"],
  ],
  "groups create": [
    ['gateway groups create research --budget "500 USD/month"', "share a budget between keys"],
  ],
  audit: [
    ["gateway audit --since 7d", "show who did what in the last week"],
    ["gateway audit verify", "check that no line was changed, removed or added"],
  ],
  doctor: [
    ["gateway doctor", "check the configuration, the keys and this machine"],
    ["gateway doctor --online --json", "try every key too, and print the findings for support"],
  ],
  import: [
    ["gateway import litellm config.yaml -o gateway.yaml", "write a gateway.yaml"],
    ["gateway import bifrost config.json", "print it"],
  ],
  init: [
    ["gateway init", "write ./gateway.yaml, unless it exists"],
    ["gateway init --stdout", "print it"],
  ],
  validate: [
    ["gateway validate", "check ./gateway.yaml"],
    ["gateway validate prod.yaml --json", "list the problems as JSON"],
  ],
  render: [
    ["gateway render -o envoy.yaml", "write Envoy's configuration to a file"],
    ["gateway render --ratelimit-config", "print the rate limit service's configuration"],
  ],
  models: [["gateway models --json", "list models and aliases as JSON"]],
  replay: [
    ["gateway replay access_content.log next.yaml", "compare next.yaml with ./gateway.yaml"],
  ],
  explain: [
    ["gateway explain request.http", "explain a request with headers and body"],
    ["gateway explain 7f5c1a52-…", "explain a request of the content log"],
    ["gateway explain --endpoint /v1/messages body.json", "explain a body"],
    [
      "gateway explain curl http://localhost:12000/v1/responses -d '{…}'",
      "explain what curl would send",
    ],
  ],
  "targets test": [
    ['gateway targets test "Weather in Oslo?" -c my.yaml', "show the selected target and request"],
  ],
  "targets eval": [
    ["gateway targets eval cases.yaml --require 90", "fail if fewer than 90 % are correct"],
  ],
  fetch: [["gateway fetch", "download everything, for a machine that will be offline"]],
  upgrade: [
    ["gateway upgrade", "print the command that installs the newest version"],
    ["gateway upgrade --check", "compare the installed version with the newest one"],
  ],
  complete: [["source <(gateway complete bash)", "enable completion in this shell"]],
};

const SUCCESS = ["0", "success"] as const;
const FAILURE = ["1", "failure; the reason is on standard error"] as const;
const INVALID = ["2", "the configuration is missing or invalid"] as const;

/** By command, where the exit codes are not those of all commands. */
const EXIT_CODES: Readonly<Record<string, Rows>> = {
  gateway: [
    SUCCESS,
    FAILURE,
    INVALID,
    ["3", "reload needs --restart; upgrade --check: a newer version exists"],
  ],
  health: [
    ["0", "the gateway is ready"],
    ["1", "the gateway is not ready or not running"],
  ],
  status: [
    ["0", "the gateway is ready"],
    ["1", "the gateway is not ready or not running"],
  ],
  logs: [["0", "success"], ["1", "failure, or no line has the --request-id"], INVALID],
  doctor: [
    ["0", "no problem, or warnings only"],
    ["1", "a problem; each finding has what to do"],
    INVALID,
  ],
  validate: [["0", "the configuration is valid"], FAILURE, INVALID],
  reload: [
    ["0", "the new configuration is active, or nothing has changed"],
    FAILURE,
    ["2", "the configuration is invalid; the old one stays"],
    ["3", "the change needs --restart; the old configuration stays"],
  ],
  upgrade: [
    ["0", "the newest version is installed, or its command was printed"],
    ["1", "the newest version is not known; the reason is on standard error"],
    ["3", "with --check: a newer version exists"],
  ],
  "targets eval": [SUCCESS, ["1", "failure, or fewer correct cases than --require"], INVALID],
};

/** Adds the examples to the program and to all of its commands. */
export function addExamples(command: Command, parents: readonly string[] = []): void {
  const name = parents.length === 0 ? "gateway" : [...parents.slice(1), command.name()].join(" ");
  const parts = [part("Examples", EXAMPLES[name]), part("Exit codes", EXIT_CODES[name])];
  const text = parts.filter((one) => one !== "").join("\n\n");
  if (text !== "") command.addHelpText("after", `\n${text}`);
  for (const child of command.commands) addExamples(child, [...parents, command.name()]);
}

function part(title: string, rows: Rows | undefined): string {
  if (rows === undefined) return "";
  const called = rows.map(([first, meaning]) => [
    first.replace(/^gateway\b/, commandName(process.env)),
    meaning,
  ]);
  return [`${title}:`, ...table(called).map((line) => `  ${line}`)].join("\n");
}
