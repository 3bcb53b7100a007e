// The mistakes that people make in gateway.yaml, and exactly what each is answered.
import { describe, expect, it } from "vitest";
import { loadConfiguration } from "../../../../control-plane/config/load.ts";
import { formatProblem } from "../../../../control-plane/report/problem.ts";

const PROVIDER = `llm_providers:
  - model: openai/gpt-4o
    access_key: $OPENAI_API_KEY
`;

interface Mistake {
  what: string;
  text: string;
  /** One line for each line of the report, without the file's name. */
  report: string[];
}

const MISTAKES: Mistake[] = [
  {
    what: "a model and a key in typographic quotes",
    text: `llm_providers:
  - model: “openai/gpt-4o”
    access_key: „$OPENAI_API_KEY“
`,
    report: [
      "2:12: llm_providers[0].model: the provider before the slash is no plain word: letters, digits, . _ -",
      '“ is a typographic quote, which is a part of the text: write " in its place',
      "3:17: llm_providers[0].access_key: expected exactly one reference",
      '„ is a typographic quote, which is a part of the text: write " in its place',
    ],
  },
  {
    what: "a wildcard without a provider, and prices as LiteLLM writes them",
    text: `${PROVIDER}  - model: '*'
pricing:
  openai/gpt-4o: {input_cost_per_token: 0.0000025, output_cost_per_token: 0.00001}
`,
    report: [
      '4:12: llm_providers[1].model: expected <provider>/<model>, not "*"',
      "a wildcard names its provider: openai/* takes all models of OpenAI",
      '6:19: pricing["openai/gpt-4o"].input_cost_per_token: unknown key',
      "write input: 2.5, in US dollars per million tokens",
      '6:52: pricing["openai/gpt-4o"].output_cost_per_token: unknown key',
      "write output: 2.5, in US dollars per million tokens",
    ],
  },
  {
    what: "a misspelt top-level key, and a misspelt key below it",
    text: `llm_provider:
  - model: openai/gpt-4o
    acces_key: $OPENAI_API_KEY
`,
    report: [
      "1:1: llm_provider: unknown key",
      "did you mean llm_providers?",
      "3:5: llm_provider[0].acces_key: unknown key",
      "did you mean access_key?",
    ],
  },
  {
    what: "misspelt keys at three levels, and a wrong value below them",
    text: `model_provider:
  - modle: openai/gpt-4o
    acces_key: $OPENAI_API_KEY
    defalt: yes
listener:
  egress: {prot: 12}
`,
    report: [
      "1:1: model_provider: unknown key",
      "did you mean model_providers?",
      "2:5: model_provider[0].modle: unknown key",
      "did you mean model?",
      "3:5: model_provider[0].acces_key: unknown key",
      "did you mean access_key?",
      "4:5: model_provider[0].defalt: unknown key",
      "did you mean default?",
      '4:13: model_provider[0].defalt: expected true or false, not "yes"',
      "write true, without quotes",
      "5:1: listener: unknown key",
      "did you mean listeners?",
      "6:12: listener.egress.prot: unknown key",
      "did you mean port?",
    ],
  },
  {
    what: "a key with a space too few",
    text: `llm_providers:
  - model: openai/gpt-4o
   access_key: $OPENAI_API_KEY
`,
    report: ["3:4: wrong indentation: `access_key` has 3 spaces, `model` above it has 4"],
  },
  {
    what: "a key with a space too few, and more keys below it",
    text: `llm_providers:
  - model: openai/gpt-4o
   access_key: $OPENAI_API_KEY
    default: true
`,
    report: ["3:4: wrong indentation: `access_key` has 3 spaces, `model` above it has 4"],
  },
  {
    what: "a key with a space too many",
    text: `llm_providers:
  - model: openai/gpt-4o
     access_key: $OPENAI_API_KEY
`,
    report: ["3:6: wrong indentation: `access_key` has 5 spaces, `model` above it has 4"],
  },
  {
    what: "a key of a mapping with a space too many",
    text: `listeners:
  egress:
    port: 12000
     timeout: 30s
${PROVIDER}`,
    report: ["4:6: wrong indentation: `timeout` has 5 spaces, `port` above it has 4"],
  },
  {
    what: "a key of a mapping with a space too few",
    text: `listeners:
  egress:
    port: 12000
   timeout: 30s
${PROVIDER}`,
    report: ["4:4: wrong indentation: `timeout` has 3 spaces, `port` above it has 4"],
  },
  {
    what: "a key in the column of the dash",
    text: `llm_providers:
  - model: openai/gpt-4o
  access_key: $OPENAI_API_KEY
`,
    report: ["3:3: wrong indentation: `access_key` has 2 spaces, `model` above it has 4"],
  },
  {
    what: "a dash with a space too few",
    text: `${PROVIDER} - model: ollama/x
`,
    report: ["4:2: wrong indentation: this dash has 1 space, the dash in line 2 has 2"],
  },
  {
    what: "a dash with a space too many",
    text: `${PROVIDER}   - model: ollama/x
`,
    report: ["4:4: wrong indentation: this dash has 3 spaces, the dash in line 2 has 2"],
  },
  {
    what: "a first line that is indented",
    text: ` version: v0.1.0
${PROVIDER}`,
    report: ["2:1: wrong indentation: `llm_providers` has 0 spaces, `version` above it has 1"],
  },
  {
    what: "a top-level key that is indented",
    text: `version: v0.1.0
 llm_providers:
  - model: ollama/x
`,
    report: ["2:2: wrong indentation: `llm_providers` has 1 space, `version` above it has 0"],
  },
  {
    what: "a top-level key below a value",
    text: `version: v0.1.0
  llm_providers:
  - model: ollama/x
`,
    report: ["2:3: wrong indentation: `llm_providers` has 2 spaces, `version` above it has 0"],
  },
  {
    what: "no space behind the colon, in a list",
    text: `llm_providers:
  - model:openai/gpt-4o
    access_key: $OPENAI_API_KEY
`,
    report: ["2:5: not valid YAML: a space is missing after `model:`"],
  },
  {
    what: "no space behind the colon, at the top",
    text: `version:v0.1.0
${PROVIDER}`,
    report: ["1:1: not valid YAML: a space is missing after `version:`"],
  },
  {
    what: "a bracket that is not closed",
    text: `llm_providers: [{model: openai/gpt-4o
`,
    report: ["1:17: not valid YAML: this `{` is not closed"],
  },
  {
    what: "a comma that is missing",
    text: `llm_providers: [{model: openai/gpt-4o access_key: $K}]
`,
    report: ["1:25: not valid YAML: a comma is missing here, or a block stands inside [ ] or { }"],
  },
  {
    what: "a colon and a space in a value",
    text: `llm_providers:
  - model: openai/gpt-4o: mini
`,
    report: [
      "2:12: not valid YAML: a value cannot hold `: ` unless it is quoted, and each `key: value` has a line of its own",
    ],
  },
  {
    what: "a variable that is not set",
    text: `llm_providers:
  - model: openai/gpt-4o
    access_key: $NOT_SET
`,
    report: [
      "3:17: llm_providers[0].access_key: the environment variable NOT_SET is not set",
      "set NOT_SET in the environment or in .env",
    ],
  },
  {
    what: "a tab as indentation",
    text: `llm_providers:
\t- model: openai/gpt-4o
`,
    report: ["2:1: not valid YAML: a tab cannot be used as indentation; use spaces"],
  },
  {
    what: "an empty file",
    text: ``,
    report: [
      "1:1: the file is empty",
      "the minimum is: llm_providers: [{model: openai/gpt-4o, access_key: $OPENAI_API_KEY}]",
    ],
  },
  {
    what: "a quote that is not closed",
    text: `llm_providers:
  - model: "openai/gpt-4o
    access_key: $OPENAI_API_KEY
`,
    report: ["2:12: not valid YAML: this quote is not closed"],
  },
  {
    what: "a local address without http://",
    text: `llm_providers:
  - model: own/x
    base_url: localhost:8080/v1
    provider_interface: openai
`,
    report: [
      '3:15: llm_providers[0].base_url: "localhost:8080/v1" is not an http:// or https:// URL',
      "write http://localhost:8080/v1 (or https://)",
    ],
  },
  {
    what: "an address without https://",
    text: `llm_providers:
  - model: own/x
    base_url: llm.example.com/v1
    provider_interface: openai
`,
    report: [
      '3:15: llm_providers[0].base_url: "llm.example.com/v1" is not an http:// or https:// URL',
      "write https://llm.example.com/v1 (or http://)",
    ],
  },
  {
    what: "a port in quotes, a timeout without a unit",
    text: `listeners:
  egress:
    port: "12000"
    timeout: 30
${PROVIDER}`,
    report: [
      '3:11: listeners.egress.port: expected a port number from 1 to 65535, not "12000"',
      "write 12000 without quotes",
      "4:14: listeners.egress.timeout: expected a duration from 1ms to 24h, such as 30s, 500ms or 2m, not 30",
      "give a unit: 30s, 30ms or 30m",
    ],
  },
  {
    what: "a space before the unit",
    text: `listeners:
  egress:
    timeout: 30 s
${PROVIDER}`,
    report: [
      '3:14: listeners.egress.timeout: expected a duration from 1ms to 24h, such as 30s, 500ms or 2m, not "30 s"',
      "write 30s",
    ],
  },
  {
    what: "a unit written out",
    text: `listeners:
  egress:
    timeout: 30 seconds
${PROVIDER}`,
    report: [
      '3:14: listeners.egress.timeout: expected a duration from 1ms to 24h, such as 30s, 500ms or 2m, not "30 seconds"',
      "write 30s",
    ],
  },
  {
    what: "another word for a unit",
    text: `listeners:
  egress:
    timeout: 2min
${PROVIDER}`,
    report: [
      '3:14: listeners.egress.timeout: expected a duration from 1ms to 24h, such as 30s, 500ms or 2m, not "2min"',
      "write 2m",
    ],
  },
  {
    what: "a model twice",
    text: `${PROVIDER}  - model: openai/gpt-4o
    access_key: $OPENAI_API_KEY
`,
    report: [
      "4:12: llm_providers[1].model: openai/gpt-4o is configured twice",
      "the first one is in line 2; remove one of them",
    ],
  },
  {
    what: "two defaults",
    text: `${PROVIDER}    default: true
  - model: ollama/x
    default: true
`,
    report: [
      "6:5: llm_providers[1].default: a second default; one entry at most is the default",
      "the first one is in line 4",
    ],
  },
  {
    what: "two aliases that stand for each other",
    text: `${PROVIDER}model_aliases:
  fast: {target: quick}
  quick: {target: fast}
`,
    report: [
      "5:18: model_aliases.fast.target: an alias cannot stand for another alias",
      "write the name of a model, such as openai/gpt-4o",
      "6:19: model_aliases.quick.target: an alias cannot stand for another alias",
      "write the name of a model, such as openai/gpt-4o",
    ],
  },
  {
    what: "an alias of an alias",
    text: `${PROVIDER}model_aliases:
  fast: {target: quick}
  quick: {target: gpt-4o}
`,
    report: [
      "5:18: model_aliases.fast.target: an alias cannot stand for another alias",
      "write gpt-4o",
    ],
  },
  {
    what: "both names of the list",
    text: `${PROVIDER}model_providers:
  - model: ollama/x
`,
    report: [
      "4:1: model_providers: llm_providers and model_providers are both given; they mean the same",
      "move the entries of one into the other",
    ],
  },
  {
    what: "an alias of a model that is not configured",
    text: `${PROVIDER}model_aliases:
  fast: {target: gpt-4}
`,
    report: [
      '5:18: model_aliases.fast.target: no configured model is called "gpt-4"',
      "did you mean gpt-4o?",
    ],
  },
  {
    what: "yes for true",
    text: `${PROVIDER}    default: yes
`,
    report: [
      '4:14: llm_providers[0].default: expected true or false, not "yes"',
      "write true, without quotes",
    ],
  },
  {
    what: "a model's name in the place of an entry",
    text: `llm_providers:
  - openai/gpt-4o
`,
    report: [
      '2:5: llm_providers[0]: expected a mapping (`key: value` lines), not "openai/gpt-4o"',
      "write - model: openai/gpt-4o",
    ],
  },
  {
    what: "neither true nor false",
    text: `${PROVIDER}    default: maybe
`,
    report: ['4:14: llm_providers[0].default: expected true or false, not "maybe"'],
  },
  {
    what: "a type that does not exist",
    text: `${PROVIDER}endpoints: {a: {endpoint: "a:1"}}
prompt_targets:
  - name: t
    description: d
    parameters:
      - {name: s, description: x, type: txt}
    endpoint: {name: a, path: /}
`,
    report: [
      '9:41: prompt_targets[0].parameters[0].type: expected one of str, int, float, bool, list, dict, string, integer, number, boolean, array, object, not "txt"',
    ],
  },
  {
    what: "a misspelt provider",
    text: `llm_providers:
  - model: antropic/claude
    access_key: $OPENAI_API_KEY
`,
    report: [
      '2:12: llm_providers[0].model: "antropic" is not a built-in provider, and base_url and provider_interface are missing',
      "did you mean anthropic?",
    ],
  },
  {
    what: "a key in the file",
    text: `llm_providers:
  - model: openai/gpt-4o
    access_key: sk-proj-0123456789abcdefghij
`,
    report: [
      "3:17: llm_providers[0].access_key: a literal key is not allowed; expected a reference to an environment variable",
      "write access_key: $OPENAI_API_KEY, and put the key in the environment or in .env as OPENAI_API_KEY=…",
    ],
  },
  {
    what: "no key",
    text: `llm_providers:
  - model: openai/gpt-4o
`,
    report: [
      "2:5: llm_providers[0]: access_key is missing; openai needs one",
      "write access_key: $OPENAI_API_KEY, and put the key in the environment or in .env as OPENAI_API_KEY=…",
    ],
  },
  {
    what: "a model without its provider",
    text: `llm_providers:
  - model: gpt-4o
    access_key: $OPENAI_API_KEY
`,
    report: [
      '2:12: llm_providers[0].model: expected <provider>/<model>, not "gpt-4o"',
      "write openai/gpt-4o",
    ],
  },
  {
    what: "a variable without its dollar",
    text: `llm_providers:
  - model: openai/gpt-4o
    access_key: OPENAI_API_KEY
`,
    report: [
      "3:17: llm_providers[0].access_key: expected a reference to an environment variable",
      "did you mean $OPENAI_API_KEY?",
    ],
  },
  {
    what: "a default in the reference to a key",
    text: `llm_providers:
  - model: openai/gpt-4o
    access_key: \${OPENAI_API_KEY:-none}
`,
    report: [
      "3:17: llm_providers[0].access_key: defaults like ${NAME:-x} are not supported",
      "write ${OPENAI_API_KEY}, and set the variable in the environment or in .env",
    ],
  },
  {
    what: "a default in another reference",
    text: `listeners: {egress: {port: "\${PORT:-12000}"}}
${PROVIDER}`,
    report: [
      "1:29: listeners.egress.port: defaults like ${NAME:-x} are not supported",
      "write ${PORT}, and set the variable in the environment or in .env",
    ],
  },
  {
    what: "a template's expression",
    text: `llm_providers:
  - model: openai/gpt-4o
    access_key: \${{ secrets.OPENAI }}
`,
    report: [
      "3:17: llm_providers[0].access_key: this `${` begins no reference; expected ${NAME}",
      "write a literal dollar as $$",
    ],
  },
  {
    what: "LiteLLM's file",
    text: `model_list:
  - model_name: gpt-4o
    litellm_params:
      model: openai/gpt-4o
      api_key: os.environ/OPENAI_API_KEY
litellm_settings:
  drop_params: true
`,
    report: [
      "1:1: model_list: unknown key",
      "this is a configuration of LiteLLM: gateway import litellm FILE -o gateway.yaml writes one of the gateway",
      "6:1: litellm_settings: unknown key",
      "this is a setting of LiteLLM; remove it",
    ],
  },
  {
    what: "LiteLLM's reference to a variable",
    text: `llm_providers:
  - model: openai/gpt-4o
    access_key: os.environ/OPENAI_API_KEY
`,
    report: [
      "3:17: llm_providers[0].access_key: expected a reference to an environment variable",
      "did you mean $OPENAI_API_KEY?",
    ],
  },
  {
    what: "a guard that does not exist",
    text: `${PROVIDER}prompt_guards:
  input_guards:
    toxicity: {on_exception: {message: x}}
`,
    report: [
      "6:5: prompt_guards.input_guards.toxicity: unknown key",
      "the only key here is jailbreak",
    ],
  },
  {
    what: "a parameter in the path that has no placeholder",
    text: `${PROVIDER}endpoints: {a: {endpoint: "a:1"}}
prompt_targets:
  - name: t
    description: d
    parameters:
      - {name: s, description: x, in_path: true, required: true}
    endpoint: {name: a, path: /x}
`,
    report: [
      "10:31: prompt_targets[0].endpoint.path: the parameter s has in_path: true, but the path has no {s}",
      "add {s} to the path, or remove in_path",
    ],
  },
  {
    what: "one port for both listeners",
    text: `listeners:
  ingress: {port: 12000}
  egress: {port: 12000}
${PROVIDER}`,
    report: [
      "3:18: listeners.egress.port: port 12000 is used by both listeners, ingress and egress",
      "use different ports",
    ],
  },
  {
    what: "a port that is too large, beside one that is the other's default",
    text: `listeners:
  ingress: {port: 12000}
  egress: {port: 99999}
${PROVIDER}`,
    report: ["3:18: listeners.egress.port: expected a port number from 1 to 65535, not 99999"],
  },
  {
    what: "a timeout of a provider",
    text: `${PROVIDER}    timeout: 30s
`,
    report: [
      "4:5: llm_providers[0].timeout: unknown key",
      "a provider has no timeout; set listeners.egress.timeout, or retry.per_try_timeout of the provider",
    ],
  },
  {
    what: "retries as SDKs call them",
    text: `${PROVIDER}    max_retries: 3
`,
    report: [
      "4:5: llm_providers[0].max_retries: unknown key",
      "write retry: {attempts: 3}, which counts the first attempt too",
    ],
  },
  {
    what: "a key of a listener at the top",
    text: `${PROVIDER}port: 12000
`,
    report: [
      "4:1: port: unknown key",
      "port belongs under listeners.<name> or under observability.metrics; check the indentation",
    ],
  },
  {
    what: "a wildcard that names no default model",
    text: `llm_providers:
  - model: own/*
    base_url: https://llm.example.com
    provider_interface: openai
`,
    report: [
      "2:12: llm_providers[0].model: own/* names no model for requests without one (model: none)",
      "add an entry for one model with default: true",
    ],
  },
  {
    what: "a provider without a row in the table",
    text: `llm_providers:
  - model: parasol/meta/llama
    access_key: $OPENAI_API_KEY
`,
    report: [
      '2:12: llm_providers[0].model: "parasol" is not a built-in provider, and base_url and provider_interface are missing',
      "did you mean parasail?",
    ],
  },
  {
    what: "a provider whose API has a format of its own",
    text: `llm_providers:
  - model: replicate/meta/llama
    access_key: $OPENAI_API_KEY
`,
    report: [
      '2:12: llm_providers[0].model: "replicate" is not supported: its predictions API has no messages',
      "docs/providers.md lists the providers; a server with one of their formats needs base_url and provider_interface",
    ],
  },
  {
    what: "an address of an API with a format of its own",
    text: `llm_providers:
  - model: cohere/command-a
    base_url: https://api.cohere.com/v2
    access_key: $OPENAI_API_KEY
`,
    report: [
      '3:15: llm_providers[0].base_url: "https://api.cohere.com/v2" has an API that is not supported',
      "remove base_url, or write base_url: https://api.cohere.ai/compatibility/v1",
    ],
  },
  {
    what: "keys of features that do not exist yet",
    text: `mode: prompt
${PROVIDER}`,
    report: ["1:1: mode: not supported yet", "remove it"],
  },
  {
    what: "another message format",
    text: `listeners: {ingress: {message_format: anthropic}}
${PROVIDER}`,
    report: [
      "1:23: listeners.ingress.message_format: only openai is supported",
      "remove it: egress serves the messages format at /v1/messages in any case",
    ],
  },
  {
    what: "a top-level key in an entry",
    text: `${PROVIDER}    listeners:
      egress: {port: 1}
`,
    report: [
      "4:5: llm_providers[0].listeners: unknown key",
      "listeners belongs at the top level or under guards[]; check the indentation",
    ],
  },
];

describe("a mistake is named with its fix, and nothing that follows from it", () => {
  it.each(MISTAKES)("$what", ({ text, report }) => {
    const result = loadConfiguration({ file: "gateway.yaml", text }, { OPENAI_API_KEY: "sk-1" });
    const problems = result.ok ? [] : result.problems;
    const lines = problems.flatMap((problem) => formatProblem(problem).split("\n"));
    expect(lines.map((line) => line.replace(/^gateway\.yaml:/, "").trim())).toEqual(report);
  });
});

it("JSON, and a file without a version, are accepted", () => {
  const text = '{"llm_providers": [{"model": "openai/gpt-4o", "access_key": "$OPENAI_API_KEY"}]}';
  const result = loadConfiguration({ file: "gateway.yaml", text }, { OPENAI_API_KEY: "sk-1" });
  expect(result.ok).toBe(true);
});
