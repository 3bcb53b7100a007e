// The prose of docs/configuration.md that is not part of the schema.
import { STARTERS } from "../../control-plane/providers/starters.ts";
import type { Starter } from "../../control-plane/providers/starters.ts";

export const INTRODUCTION = `# Configuration

<!-- Written by scripts/generate.ts from the schema of the configuration: change it there. -->

The gateway reads one YAML file: the one named on the command line, else \`gateway.yaml\`, \`config.yaml\` or \`arch_config.yaml\` in the current directory. A file \`.env\` beside it is read too; the process environment wins over it, and so do [variables in files](#references-to-the-environment).

\`gateway validate\` checks the file and lists every problem at once, each with its line and column and what to write instead. Unknown keys are errors. Editors that know JSON Schema complete and check the file while you type when its first line names the schema of the installation, which \`gateway init\` writes:

\`\`\`yaml
# yaml-language-server: $schema=./node_modules/gateway/gateway.schema.json
\`\`\`

In these pages a snippet without \`llm_providers\` is a part of a file: it can be added to [this example](configuration.md#example).`;

export const WITHOUT_A_FILE = `## Without a file

\`gateway up\` without a file serves the providers whose keys are set, in the environment or in a file \`.env\` in the current directory, each with all of its models, the demonstration model, and the [live page](observability.md#the-live-page). \`gateway init\` writes the same as a \`gateway.yaml\`, with comments, without the demonstration model; it replaces a file only with \`--force\`, and \`--stdout\` prints instead of writing. The names of a provider's variables are tried in this order:

| Provider | Variables | \`model: none\` |
| --- | --- | --- |
${STARTERS.map(starterRow).join("\n")}

The first provider of the table that has a key serves \`model: none\`. The models that Claude Code (all \`claude-*\`) and Codex ask for by default become aliases of it if their own provider has no key.`;

function starterRow({ provider, title, variables, model, address }: Starter): string {
  const names = variables.map((name) => `\`${name}\``).join(", ");
  const also = address === undefined ? "" : `; and \`${address.variables[0] ?? ""}\``;
  return `| ${title} | ${names}${also} | \`${provider}/${model}\` |`;
}

export const PROVIDERS_TEXT = `## Providers

[providers.md](providers.md) lists the built-in providers: address, format, variables and what is particular about each. They need no \`base_url\`. Any other name works with \`base_url\` and \`provider_interface\`.`;

export const EXAMPLE = `## Example

\`\`\`yaml
version: v0.1.0

listeners:
  egress:
    address: 127.0.0.1
    port: 12000
    timeout: 60s

llm_providers:
  - model: openai/gpt-4o
    access_key: $OPENAI_API_KEY
    default: true
  - model: anthropic/claude-sonnet-4-5
    access_key: $ANTHROPIC_API_KEY
    system_prompt: Answer in one paragraph.
  - model: ollama/llama3.1:8b
  - model: our-cluster/qwen3-32b
    name: house
    base_url: https://llm.example.com/serving
    provider_interface: openai
    access_key: $CLUSTER_KEY

model_aliases:
  fast:
    target: ollama/llama3.1:8b
\`\`\``;

export const REFERENCES = `## References to the environment

\`$NAME\` or \`\${NAME}\` in any value refers to an environment variable; \`$$\` is a literal dollar, and a dollar before anything but a letter, \`_\` or \`{\` stands for itself. A variable that is not set, or is empty, is an error: the gateway does not start.

- In \`access_key\` and in a provider's \`headers\` the reference itself is kept. The value goes from the environment to the filter and to nowhere else: it is in no file, log or error message.
- \`GATEWAY_VARIABLES_DIR\` names a directory with one file for each variable, such as a mounted Secret of Kubernetes: the file's name is the variable's, its content the value. The order is: process environment, these files, \`.env\`. A changed file is a [reload](operations.md#keys-in-files), where a variable of the environment needs a restart of Envoy. Envoy gets these values in files of the state directory that only the gateway's user can read.
- Everywhere else the value is put in place when the configuration is loaded, and is written to Envoy's configuration. A variable that an \`access_key\` uses, or whose name says that it is a credential (\`…_KEY\`, \`…_TOKEN\`, \`…_SECRET\`, \`…_PASSWORD\`), is refused there.
- Where a number, \`true\` or \`false\` is expected, an unquoted reference may hold one: \`port: $PORT\`.`;

export const HEADERS = `### Keys and headers

A key never stands in the file: \`access_key: $OPENAI_API_KEY\` names the variable that holds it. It is sent as \`authorization: Bearer …\`, or as \`x-api-key\` in the messages format. For a provider that needs it in another way, set it in \`headers\`, with nothing but the scheme beside the reference:

\`\`\`yaml
llm_providers:
  - model: our-cluster/qwen3-32b
    base_url: https://llm.example.com/v1
    provider_interface: openai
    headers:
      authorization: Basic $GATEWAY_CREDENTIALS
      x-team: research
\`\`\`

At a provider's own address \`access_key\` is required where the provider table says so; with a \`base_url\` of your own it is optional. Headers that HTTP or the gateway itself manages (\`host\`, \`content-length\`, \`x-gateway-…\`, \`x-envoy-…\`, \`x-forwarded-…\` and the like) are refused.`;

export const BASE_URLS = `### Base URLs

The path of \`base_url\` is a prefix; the wire format adds the rest.

| \`base_url\` | Wire format | Requests go to |
| --- | --- | --- |
| \`https://host\` | chat completions | \`https://host/v1/chat/completions\` |
| \`https://host/v1\` | chat completions | \`https://host/v1/chat/completions\` |
| \`https://host/api/paas/v4\` | chat completions | \`https://host/api/paas/v4/chat/completions\` |
| \`https://host\` | messages | \`https://host/v1/messages\` |
| \`https://host/prefix\` | messages | \`https://host/prefix/v1/messages\` |
| \`https://host/prefix/v1\` | messages | \`https://host/prefix/v1/messages\` |
| \`https://host\` and \`base_path: /\` | chat completions | \`https://host/chat/completions\` |

With https the certificate is verified against the system's roots for the host of \`base_url\` or, where that is an IP address and \`http_host\` is given, for \`http_host\`. Credentials and queries in the URL are refused.`;

export const LIMITS = `### Limits of a model

Models differ in what they support: some reject \`temperature\`, some require \`max_completion_tokens\`, some have no \`developer\` role. A member that the chosen model would refuse is left out, and the response header \`x-gateway-dropped\` names it; with \`overrides.strict_translation: true\` the request is answered with 400 instead. This holds for translated requests and for pass-through requests, of which nothing else is changed. A limit applies only where the gateway's table or \`limits\` of the entry says so.

\`\`\`yaml
llm_providers:
  - model: our-cluster/reasoner-1
    base_url: https://llm.example.com/v1
    provider_interface: openai
    limits:
      sampling: none
      efforts: [low, high]
      refuses: [seed, parallel_tool_calls]
\`\`\``;

export const NAMES = `## Model names

In the request's \`model\`, or in the header \`x-gateway-llm-provider-hint\`, which wins over it:

1. \`<provider>/<model>\` as configured;
2. the entry's \`name\`;
3. an alias;
4. the bare model name, without the provider. Where several entries share it, it means the default one of them, else the first; the others need their whole name (\`gateway validate\` warns of that).

\`none\` leaves the choice to the gateway: the entry with \`default: true\`, else the first. Two meanings of one name are an error, and so is an entry that is configured twice.

### Wildcards

A \`*\` at the end of \`model\` stands for any text. An entry \`openai/*\` accepts each model of the provider that has no entry, \`openai/gpt-5*\` those whose names begin with \`gpt-5\`; the longest prefix wins, and an entry for the model wins over all.

\`\`\`yaml
llm_providers:
  - model: openai/*
    access_key: $OPENAI_API_KEY
\`\`\`

- Clients send \`openai/<model>\`. They can leave out the provider where the name is known to be the provider's: \`gpt-…\` is a model of \`openai/*\`, \`claude…\` of \`anthropic/*\`, \`gemini-…\` of \`gemini/*\`. Any other bare name is unknown (404).
- The known limits of each model hold, as with an entry for it.
- Aliases, fallbacks, rate limits and prices can name a model that only a wildcard accepts: \`target: openai/gpt-4o\`. A rate limit and a price of \`openai/*\` are for all of its models.
- \`model: none\` with a wildcard as the default entry means the provider's usual model, which \`gateway models\` lists.
- \`GET /v1/models\` lists the models that the price list has for the provider. Metrics, the live page and \`gateway spend\` have those names too; any other model is \`other\`.
- Where the API depends on the model (Vertex AI, Bedrock, Foundry), the entry needs \`provider_interface\`. Azure deployments in the path (a dated \`api_version\`) have no wildcards.`;

export const PROMPT_TARGETS = `Calls of your own APIs that a prompt on the ingress listener can trigger. [Prompt targets](prompt-targets.md) explains how they work; these are the keys.

\`\`\`yaml
prompt_targets:
  - name: currency_exchange
    description: Converts an amount of money into another currency
    examples: ["How much is 20 dollars in euros?"]
    parameters:
      - { name: from, description: currency to convert from, type: str, enum: [USD, EUR, GBP], required: true, in_path: true }
      - { name: amount, description: amount of money, type: float, default: 1 }
    endpoint:
      name: rates
      path: /v1/rates/{from}
endpoints:
  rates:
    endpoint: rates.example.com:443
    protocol: https
\`\`\``;

export const LISTENER_FORMS = `Listener names are free if \`type\`, the name or the port shows which listener it is:

\`\`\`yaml
listeners:
  our_models: { type: egress, port: 12001, timeout: 60s }
  prompts: { port: 10000 }
\`\`\`

The same as a list:

\`\`\`yaml
listeners:
  - { type: model, port: 12001, timeout: 60s }
  - { type: prompt, port: 10000 }
\`\`\``;
