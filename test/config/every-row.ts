// A configuration with an entry for each built-in provider, and for each format that `provider_interface` selects of it.
import type { AddressKey } from "../../control-plane/providers/cloud-address.ts";
import { CLOUDS, wordsOf } from "../../control-plane/providers/clouds.ts";
import { PROVIDERS } from "../../control-plane/providers/registry.ts";
import type { Environment } from "../../control-plane/report/environment.ts";

export const ENVIRONMENT: Environment = { KEY: "sk-secret" };

const VALUES: Partial<Record<AddressKey, string>> = {
  resource: "my-resource",
  project: "my-project",
  region: "eu-west-1",
  workspace: "https://adb-1.2.azuredatabricks.net",
  account: "my-account",
  gateway: "my-gateway",
};

/** A model that the cloud has in an API, where its name decides. */
const MODELS: Readonly<Record<string, string>> = {
  "vertex gemini": "gemini-3.5-flash",
  "vertex claude": "claude-sonnet-5-5",
  "vertex openai": "meta/llama-4",
  "vertex openai_responses": "xai/grok-4.20",
};

interface Row {
  model: string;
  more: Record<string, string>;
}

function rows(): Row[] {
  return [
    ...PROVIDERS.flatMap(({ name, baseUrl, embedded, needsKey, apis = [] }) => {
      const more: Record<string, string> = {
        ...(baseUrl === undefined && embedded !== true ? { base_url: "http://127.0.0.1:8000" } : {}),
        ...(needsKey ? { access_key: "$KEY" } : {}),
      };
      return [
        { model: `${name}/a-model`, more },
        ...apis.map(({ dialect: { name: word } }) => ({
          model: `${name}/by-${word}`,
          more: {
            ...more,
            provider_interface: word === "anthropic_messages" ? "anthropic" : word,
          },
        })),
      ];
    }),
    ...CLOUDS.flatMap((cloud) =>
      wordsOf(cloud).map((word) => ({
        model: `${cloud.name}/${MODELS[`${cloud.name} ${word}`] ?? `by-${word}`}`,
        more: {
          access_key: "$KEY",
          provider_interface: word,
          ...Object.fromEntries(
            cloud.keys.flatMap((key) =>
              VALUES[key] === undefined
                ? []
                : [[key, cloud.name === "watsonx" ? "us-south" : VALUES[key]]],
            ),
          ),
        },
      })),
    ),
  ];
}

/** The names of its models, in order. */
export const EVERY_MODEL: readonly string[] = rows().map(({ model }) => model);

export const EVERY_ROW: string = [
  "observability: {}",
  "llm_providers:",
  ...rows().flatMap(({ model, more }) => [
    `  - model: ${model}`,
    ...Object.entries(more).map(([key, value]) => `    ${key}: ${value}`),
  ]),
  "",
].join("\n");
