// Runs the coding agents without a terminal, each in a home and a directory of its own that knows only the gateway.
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SCRIPTS } from "./install.ts";

export interface Agent {
  /** Sends a prompt, in the same conversation as the ones before it; the text that the agent prints at the end. */
  ask(prompt: string): Promise<string>;
  /** The agent's working directory. */
  directory: string;
  /** Text of a file that the agent has made in its working directory. */
  read(file: string): string;
  remove(): void;
}

export interface AgentOptions {
  /** Where the agents are installed. */
  directory: string;
  gatewayUrl: string;
  /** Absent: the agent's own default. */
  model?: string;
  /** An MCP server whose tools the agent has, and the key that it sends to it; or the command that starts one. */
  mcp?: { url: string; key: string } | { name: string; command: string; words: string[] };
  /** Tools of Claude Code that it uses without a question. Default: its shell, or the tools of the MCP server. */
  allowed?: string[];
}

/** What ends an agent that hangs: less than a test may take. */
const PATIENCE_MS = 120_000;
/** Nothing listens there: what an agent wants of other hosts fails at once, on a machine with a network too. */
const NOWHERE = "http://127.0.0.1:9";

interface Place {
  home: string;
  work: string;
  remove: () => void;
}

function makePlace(): Place {
  const directory = mkdtempSync(join(tmpdir(), "gateway-agent-"));
  const [home, work] = [join(directory, "home"), join(directory, "work")];
  mkdirSync(home);
  mkdirSync(work);
  return {
    home,
    work,
    remove() {
      rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Runs one of the agents to its end; what it has written to stdout. Throws with all output if it fails. */
async function run(
  script: string,
  words: string[],
  { home, work }: Place,
  environment: Record<string, string>,
): Promise<string> {
  const agent = spawn(process.execPath, [script, ...words], {
    cwd: work,
    env: {
      ...{ HOME: home, PATH: process.env["PATH"], NO_COLOR: "1" },
      ...{ HTTP_PROXY: NOWHERE, HTTPS_PROXY: NOWHERE, NO_PROXY: "127.0.0.1" },
      ...environment,
    },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: PATIENCE_MS,
  });
  let output = "";
  let errors = "";
  agent.stdout.on("data", (bytes: Buffer) => (output += bytes.toString()));
  agent.stderr.on("data", (bytes: Buffer) => (errors += bytes.toString()));
  const code = await new Promise((resolve) => agent.on("close", resolve));
  if (code !== 0) throw new Error(`the agent ended with ${String(code)}: ${output}${errors}`);
  return output;
}

export function startClaudeCode({
  directory,
  gatewayUrl,
  model,
  mcp,
  allowed,
}: AgentOptions): Agent {
  const place = makePlace();
  const script = join(directory, SCRIPTS.claudeCode);
  let isContinued = false;
  return {
    async ask(prompt) {
      const words = ["-p", prompt, "--output-format", "json"];
      if (mcp !== undefined) words.push("--mcp-config", mcpConfiguration(mcp));
      words.push("--allowedTools", ...(allowed ?? [mcp === undefined ? "Bash" : "mcp__gateway"]));
      if (isContinued) words.push("--continue");
      isContinued = true;
      if (model !== undefined) words.push("--model", model);
      const output = await run(script, words, place, {
        ANTHROPIC_BASE_URL: gatewayUrl,
        ANTHROPIC_AUTH_TOKEN: "any-key",
        ...(model === undefined ? {} : { ANTHROPIC_DEFAULT_HAIKU_MODEL: model }),
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
        DISABLE_AUTOUPDATER: "1",
        // Otherwise the model has to search for the tools of MCP servers.
        ...(mcp === undefined ? {} : { ENABLE_TOOL_SEARCH: "false", MCP_TIMEOUT: "60000" }),
      });
      const { result, is_error: isError } = JSON.parse(output) as Record<string, unknown>;
      if (isError !== false) throw new Error(`Claude Code reports an error: ${output}`);
      return String(result);
    },
    directory: place.work,
    read: (file) => readFileSync(join(place.work, file), "utf8"),
    remove: place.remove,
  };
}

export interface ClaudeCode {
  /** Runs it with these words; what it has written to stdout. */
  run(words: string[]): Promise<string>;
  /** Text of a file in its home. */
  read(file: string): string;
  remove(): void;
}

/** Claude Code that knows only the files in its home. @param prepare writes them */
export function startClaudeCodeIn(directory: string, prepare: (home: string) => void): ClaudeCode {
  const place = makePlace();
  prepare(place.home);
  const script = join(directory, SCRIPTS.claudeCode);
  const environment = { CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1", DISABLE_AUTOUPDATER: "1" };
  return {
    run: (words) => run(script, words, place, environment),
    read: (file) => readFileSync(join(place.home, file), "utf8"),
    remove: place.remove,
  };
}

function mcpConfiguration(mcp: NonNullable<AgentOptions["mcp"]>): string {
  if ("command" in mcp) {
    const { name, command, words } = mcp;
    return JSON.stringify({ mcpServers: { [name]: { type: "stdio", command, args: words } } });
  }
  const { url, key } = mcp;
  const headers = { Authorization: `Bearer ${key}` };
  return JSON.stringify({ mcpServers: { gateway: { type: "http", url, headers } } });
}

export interface CodexOptions extends AgentOptions {
  /** Its own provider `openai` at another address, instead of a provider of the configuration: it tries a websocket first. */
  isBuiltIn?: boolean;
  /** Text of config.toml as the documentation prints it, in place of one that is written here, and without a key. */
  documented?: string;
}

export function startCodex({ directory, ...options }: CodexOptions): Agent {
  const place = makePlace();
  const script = join(directory, SCRIPTS.codex);
  const environment = {
    ...(options.documented === undefined ? { CODEX_API_KEY: "any-key" } : {}),
    ...(options.mcp !== undefined && "key" in options.mcp ? { TEAM_KEY: options.mcp.key } : {}),
  };
  mkdirSync(join(place.home, ".codex"));
  writeFileSync(join(place.home, ".codex/config.toml"), codexConfiguration(options));
  const resume: string[] = [];
  return {
    async ask(prompt) {
      const words = ["exec", "--skip-git-repo-check", "--json", ...resume, prompt];
      resume.splice(0, 2, "resume", "--last");
      const output = await run(script, words, place, environment);
      const texts = output
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line) as { type: string; item?: { type: string; text?: string } })
        .flatMap(({ type, item }) =>
          type === "item.completed" && item?.type === "agent_message" ? [item.text ?? ""] : [],
        );
      return texts.at(-1) ?? "";
    },
    directory: place.work,
    read: (file) => readFileSync(join(place.work, file), "utf8"),
    remove: place.remove,
  };
}

const UNATTENDED = `approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false
`;
/** Plugins and apps are lists that Codex fetches from its vendor. */
const OFFLINE = `
[analytics]
enabled = false

[features]
plugins = false
apps = false
`;

function codexConfiguration(options: Omit<CodexOptions, "directory">) {
  const { gatewayUrl, model, isBuiltIn, mcp, documented } = options;
  if (documented !== undefined)
    return UNATTENDED + documented.replace("http://localhost:12000", gatewayUrl) + OFFLINE;
  return `${model === undefined ? "" : `model = "${model}"`}
${isBuiltIn === true ? `openai_base_url = "${gatewayUrl}/v1"` : 'model_provider = "gateway"'}
${UNATTENDED}${OFFLINE}${mcp === undefined ? "" : "tool_search_always_defer_mcp_tools = false\n"}
[model_providers.gateway]
name = "gateway"
base_url = "${gatewayUrl}/v1"
env_key = "CODEX_API_KEY"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0
${mcp === undefined ? "" : `\n${codexServer(mcp)}`}`;
}

function codexServer(mcp: NonNullable<AgentOptions["mcp"]>): string {
  if ("url" in mcp)
    return `[mcp_servers.gateway]\nurl = "${mcp.url}"\nbearer_token_env_var = "TEAM_KEY"\n`;
  const { name, command, words } = mcp;
  return `[mcp_servers.${name}]\ncommand = ${JSON.stringify(command)}\nargs = ${JSON.stringify(words)}\nrequired = true\nstartup_timeout_sec = 60\n`;
}
