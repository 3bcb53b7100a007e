// The coding agents that `gateway run` starts, by the name of their program. Claude Code and Codex are tested
// (test/agents/run.test.ts); a program that is not here gets what the SDKs read.
import { type Agent, type Connection, KEY_VARIABLE } from "./agent.ts";

/** Name of the provider in files of agents. */
const PROVIDER = "gateway";

const openaiBase = ({ origin }: Pick<Connection, "origin">) => `${origin}/v1`;
const chosenModel = ({ model, firstModel }: Pick<Connection, "model" | "firstModel">) =>
  model ?? firstModel();

function claudeVariables({
  origin,
  key,
  model,
}: Pick<Connection, "origin" | "key" | "model">): Record<string, string | undefined> {
  return {
    ANTHROPIC_BASE_URL: origin,
    ANTHROPIC_AUTH_TOKEN: key,
    ANTHROPIC_MODEL: model,
    ANTHROPIC_DEFAULT_OPUS_MODEL: model,
    ANTHROPIC_DEFAULT_SONNET_MODEL: model,
    ANTHROPIC_DEFAULT_HAIKU_MODEL: model,
  };
}

/** Returns the variables with a text; the others are left out. */
function present(variables: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(variables).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value]],
    ),
  );
}

/** @see https://code.claude.com/docs/en/llm-gateway and https://code.claude.com/docs/en/settings */
const claude: Agent = {
  title: "Claude Code",
  install: "npm install -g @anthropic-ai/claude-code",
  settings(connection) {
    const variables = present(claudeVariables(connection));
    // `env` of the user's own settings wins over the environment, and this file over both.
    const settings = connection.writeFile("settings.json", JSON.stringify({ env: variables }));
    return {
      variables,
      removed: [
        "ANTHROPIC_API_KEY",
        "CLAUDE_CODE_USE_BEDROCK",
        "CLAUDE_CODE_USE_FOUNDRY",
        "CLAUDE_CODE_USE_VERTEX",
      ],
      words: ["--settings", settings],
    };
  },
  file: {
    path: ".claude/settings.json",
    format: "json",
    entries: (connection) =>
      Object.entries(claudeVariables(connection)).map(([name, value]) => ({
        path: ["env", name],
        value,
      })),
  },
};

/** Its variable OPENAI_BASE_URL has no effect. @see https://developers.openai.com/codex/config-reference */
const codex: Agent = {
  title: "Codex",
  install: "npm install -g @openai/codex",
  settings(connection) {
    const provider = [
      `name = "${PROVIDER}"`,
      `base_url = "${openaiBase(connection)}"`,
      `env_key = "${KEY_VARIABLE}"`,
      `wire_api = "responses"`,
    ].join(", ");
    const { key, model } = connection;
    return {
      variables: { [KEY_VARIABLE]: key },
      words: [
        ...["-c", `model_provider="${PROVIDER}"`],
        ...["-c", `model_providers.${PROVIDER}={${provider}}`],
        ...(model === undefined ? [] : ["-c", `model=${JSON.stringify(model)}`]),
      ],
    };
  },
  file: {
    path: ".codex/config.toml",
    format: "toml",
    entries: (connection) => [
      { path: ["model_provider"], value: PROVIDER },
      ...(connection.model === undefined ? [] : [{ path: ["model"], value: connection.model }]),
      {
        path: ["model_providers", PROVIDER],
        value: {
          name: PROVIDER,
          base_url: openaiBase(connection),
          env_key: KEY_VARIABLE,
          wire_api: "responses",
        },
      },
    ],
    variables: [KEY_VARIABLE],
  },
};

/** @see https://opencode.ai/docs/config */
const opencode: Agent = {
  title: "opencode",
  install: "npm install -g opencode-ai",
  settings(connection) {
    const { provider, ...models } = opencodeContent(connection);
    const content = { provider: { [PROVIDER]: provider }, ...models };
    return {
      variables: {
        [KEY_VARIABLE]: connection.key,
        OPENCODE_CONFIG_CONTENT: JSON.stringify(content),
      },
    };
  },
  file: {
    path: ".config/opencode/opencode.json",
    format: "json",
    entries(connection) {
      const { provider, ...models } = opencodeContent(connection);
      return [
        { path: ["provider", PROVIDER], value: provider },
        ...Object.entries(models).map(([name, value]) => ({ path: [name], value })),
      ];
    },
    variables: [KEY_VARIABLE],
  },
};

function opencodeContent(connection: Pick<Connection, "origin" | "model" | "firstModel">) {
  const model = chosenModel(connection);
  return {
    provider: {
      npm: "@ai-sdk/openai-compatible",
      name: PROVIDER,
      options: { baseURL: openaiBase(connection), apiKey: `{env:${KEY_VARIABLE}}` },
      models: { [model]: {} },
    },
    model: `${PROVIDER}/${model}`,
    small_model: `${PROVIDER}/${model}`,
  };
}

/** @see https://aider.chat/docs/llms/openai-compat.html */
const aider: Agent = {
  title: "aider",
  install: "python -m pip install aider-chat",
  settings: (connection) => ({
    variables: { OPENAI_API_BASE: openaiBase(connection), OPENAI_API_KEY: connection.key },
    words: ["--model", `openai/${chosenModel(connection)}`, "--no-show-model-warnings"],
  }),
  file: {
    path: ".aider.conf.yml",
    format: "yaml",
    entries: (connection) => [
      { path: ["openai-api-base"], value: openaiBase(connection) },
      { path: ["openai-api-key"], value: connection.key },
      { path: ["model"], value: `openai/${chosenModel(connection)}` },
      { path: ["show-model-warnings"], value: false },
    ],
  },
};

/** @see https://github.com/QwenLM/qwen-code */
const qwen: Agent = {
  title: "Qwen Code",
  install: "npm install -g @qwen-code/qwen-code",
  settings: (connection) => ({
    variables: {
      OPENAI_BASE_URL: openaiBase(connection),
      OPENAI_API_KEY: connection.key,
      OPENAI_MODEL: chosenModel(connection),
    },
    words: ["--auth-type", "openai"],
  }),
};

/** @see https://docs.github.com/en/copilot/how-tos/copilot-cli */
const copilot: Agent = {
  title: "Copilot CLI",
  install: "npm install -g @github/copilot",
  settings: (connection) => ({
    variables: {
      COPILOT_PROVIDER_BASE_URL: openaiBase(connection),
      COPILOT_PROVIDER_TYPE: "openai",
      COPILOT_PROVIDER_API_KEY: connection.key,
      COPILOT_MODEL: chosenModel(connection),
      COPILOT_OFFLINE: "true",
    },
  }),
};

/** What the SDKs of OpenAI and Anthropic, and programs that use them, read. */
export const ANY_PROGRAM: Agent = {
  title: "the program",
  install: "",
  settings: (connection) => ({
    variables: {
      OPENAI_BASE_URL: openaiBase(connection),
      OPENAI_API_KEY: connection.key,
      ANTHROPIC_BASE_URL: connection.origin,
      ANTHROPIC_API_KEY: connection.key,
    },
    removed: ["ANTHROPIC_AUTH_TOKEN"],
  }),
};

/** Null: the program speaks a format that the gateway does not serve. */
export const AGENTS: Readonly<Record<string, Agent | null>> = {
  aider,
  claude,
  codex,
  copilot,
  gemini: null,
  opencode,
  qwen,
};
