// The part of the model that is about prompts: targets, their backends, the guard and the model server. Plain data.
import type { Address, ProviderHeader } from "./address.ts";
import type { RateLimit } from "./rate-limit.ts";

export const PARAMETER_TYPES = ["str", "int", "float", "bool", "list", "dict"] as const;
export type ParameterType = (typeof PARAMETER_TYPES)[number];

/** JSON Schema's names of the types, which a configuration can use as well. */
export const JSON_SCHEMA_TYPES = {
  string: "str",
  integer: "int",
  number: "float",
  boolean: "bool",
  array: "list",
  object: "dict",
} as const satisfies Record<string, ParameterType>;

export interface Prompt {
  guard?: Guard;
  /** In the file's order. */
  targets: PromptTarget[];
  /** Those that a target calls, in the file's order. */
  endpoints: PromptEndpoint[];
  /** 0 to 1: how sure the choice of a target has to be. Absent: the model server's own. */
  threshold?: number;
  modelServer: ModelServer;
  /** Limits of the calls of targets. Absent: there are none. */
  rateLimits?: RateLimit[];
  /** The targets are offered as MCP tools on the ingress listener. Absent: they are not. */
  mcp?: true;
}

export const GUARDED_LISTENERS = ["ingress", "egress"] as const;

export interface Guard {
  /** Whose requests it checks. */
  listeners: (typeof GUARDED_LISTENERS)[number][];
  /** The response to a prompt that the guard rejects. */
  message: string;
  /** Whether prompts pass when the guard cannot be asked. */
  failsOpen: boolean;
}

export interface ModelServer {
  /** Who finds a target's parameters: `auto` asks a language model where the embedded extractor is not sure. */
  extraction: "auto" | "embedded" | "llm";
  /** Index into the model's `targets`: the language model that is asked. */
  provider: number;
  /** Absent: the embedded model. */
  embeddings?: EmbeddingBackend;
  /** Absent: by similarity of embeddings. */
  zeroshot?: ClassifierBackend;
  /** Absent: the shipped head on the embedded model's embeddings. */
  guard?: ClassifierBackend;
  /** 0 to 1: how sure the guard has to be. Absent: the model server's own. */
  guardThreshold?: number;
  /** Names of the environment variables with keys for these models. Sorted, unique. */
  environment: string[];
}

/** Where sentences become vectors: a directory with `model.onnx` and `tokenizer.json`, an address, or transformers.js. */
export type EmbeddingBackend =
  | { kind: "onnx"; directory: string }
  | { kind: "openai"; base_url: string; model: string; access_key_variable?: string }
  | { kind: "transformers"; model: string };

/** Who classifies texts: a directory with `model.onnx`, `tokenizer.json` and `config.json`, a server with the model server's own shapes, or transformers.js. */
export type ClassifierBackend =
  | { kind: "onnx"; directory: string }
  | { kind: "address"; url: string; model?: string; access_key_variable?: string }
  | { kind: "transformers"; model: string };

/** A backend. */
export interface PromptEndpoint {
  name: string;
  address: Extract<Address, { kind: "host" }>;
  /** Value of `:authority`. */
  authority: string;
  connectTimeoutMs: number;
}

export interface PromptTarget {
  /** Usable as the name of a tool. */
  name: string;
  description: string;
  /** Example prompts. */
  examples: string[];
  /** Name of one of the `endpoints`. */
  endpoint: string;
  method: "GET" | "POST";
  /** Begins with a slash; `{name}` stands for a parameter; may have a query. */
  path: string;
  headers: ProviderHeader[];
  parameters: PromptParameter[];
  /** Absent: the language model's own. */
  systemPrompt?: string;
  /** The language model asks for missing values. Absent: the gateway does. */
  questions?: "model";
  /** Takes the prompts that match no other target. */
  isDefault: boolean;
  /** Whether a language model writes the response from the backend's. */
  dispatches: boolean;
}

export interface PromptParameter {
  name: string;
  description: string;
  required: boolean;
  type: ParameterType;
  inPath: boolean;
  /** Whether a value in the path may hold `/` and `\`. */
  allowsSlashes?: true;
  default?: string | number | boolean;
  enum?: (string | number)[];
  format?: string;
}

/** Whether a value may stand in a path, as filter/bytes/text/url-value.ts decides it. */
export function isPathValue(
  value: string,
  { allowsSlashes = false }: { allowsSlashes?: boolean },
): boolean {
  const parts = value.split(/[/\\]/);
  // eslint-disable-next-line no-control-regex -- control characters are what is looked for
  if (/[\u0000-\u001f\u007f]/.test(value) || Buffer.byteLength(value) > MAX_VALUE_BYTES)
    return false;
  return (allowsSlashes || parts.length === 1) && parts.every((part) => !/^\.*$/.test(part));
}

/** A longer value is no part of a URL that servers take. */
const MAX_VALUE_BYTES = 2048;
