// The gateway.yaml for the keys that are in the environment: the same keys give the same text, byte for byte. It holds names of
// variables, never their values.
import { isProposed, STARTERS } from "../../providers/starters.ts";
import type { Starter } from "../../providers/starters.ts";
import type { Environment } from "../../report/environment.ts";
import { AGENT_MODELS } from "./agent-models.ts";
import { foundKeys } from "./found-keys.ts";
import type { FoundKey } from "./found-keys.ts";

const HEAD = `# The gateway's configuration, as \`gateway init\` writes it.
# \`gateway validate\` checks it, \`gateway up\` starts it, \`gateway reload\` applies changes; docs/configuration.md
# describes every key. Keys of providers stay in the environment, or in a file .env next to this one.
`;

const DEMONSTRATION = `  # A demonstration model inside the gateway: it needs no key and gives every prompt the same response.
  - model: demo/gateway-demo
`;

/** Returns the configuration. It has the demonstration model if no key was found, and with `withDemonstration`. */
export function starterConfiguration(
  environment: Environment,
  { withDemonstration = false } = {},
): string {
  const found = foundKeys(environment);
  const others = STARTERS.filter(
    (starter) =>
      isProposed(starter) && !found.some(({ provider }) => provider === starter.provider),
  );
  return [
    HEAD,
    "\n# The models that clients can call. The first entry serves requests without a model (`model: none`).\n",
    "llm_providers:\n",
    ...found.map(entryOf),
    found.length === 0 || withDemonstration ? DEMONSTRATION : "",
    commentedEntries(others),
    aliasesOf(found),
    LIVE_PAGE,
    ADVICE,
  ].join("");
}

function entryOf(starter: FoundKey, index: number): string {
  const { provider, title, variable, addressVariable, address, model, api } = starter;
  const isDefault = index === 0 ? "; the default is " + model : "";
  return [
    `  # ${title}: every model, as ${provider}/<model>${isDefault}.\n`,
    `  - model: ${provider}/*\n`,
    `    access_key: $${variable}\n`,
    address === undefined ? "" : `    ${address.key}: $${addressVariable ?? ""}\n`,
    api === undefined ? "" : `    provider_interface: ${api}\n`,
  ].join("");
}

/** The entries of other providers, which work without the `#`. */
function commentedEntries(starters: readonly Starter[]): string {
  const lines = starters.flatMap(({ provider, variables, address, api }) => [
    `  # - model: ${provider}/*`,
    `  #   access_key: $${variables[0] ?? ""}`,
    ...(address === undefined ? [] : [`  #   ${address.key}: $${address.variables[0] ?? ""}`]),
    ...(api === undefined ? [] : [`  #   provider_interface: ${api}`]),
  ]);
  return [
    "\n  # More providers: remove the `#` and set the variable. docs/providers.md lists all. Servers of your own need no key.\n",
    ...lines.map((line) => `${line}\n`),
    "  # - model: ollama/llama3.1:8b\n",
    "  # - model: our-server/qwen3-32b\n",
    "  #   base_url: http://localhost:8000/v1\n",
    "  #   provider_interface: openai\n",
  ].join("");
}

/** Aliases for the models that coding agents ask for, if their own provider is not there. */
function aliasesOf(found: readonly FoundKey[]): string {
  const [first] = found;
  const target = first === undefined ? "demo/gateway-demo" : `${first.provider}/${first.model}`;
  const missing = AGENT_MODELS.filter(
    ({ provider }) => !found.some((one) => one.provider === provider),
  );
  if (missing.length === 0) return "";
  return [
    "\n# Names that clients use, and the model behind each: coding agents work without naming a model.\n",
    "model_aliases:\n",
    ...missing.flatMap(({ agent, models, alias }) => [
      `  # ${agent}\n`,
      ...(alias === undefined ? models : [alias]).map(
        (model) => `  ${model}: {target: ${target}}\n`,
      ),
    ]),
  ].join("");
}

const LIVE_PAGE = `
# Records what each request used: a live page of requests and costs at http://127.0.0.1:9464, and metrics.
observability: {}
`;

const ADVICE = `
# The gateway accepts connections from this machine only. To open it to others, require keys (docs/securing.md):
# listeners:
#   egress: {address: 0.0.0.0, port: 12000, api_keys: [$CLIENT_KEY]}
# Budgets limit what requests cost, all together, by model or by key (docs/budgets.md):
# budgets: [{amount: 50 USD, per: month}]
`;
