// What a row of the table of providers has: a provider with one address. Those with several APIs are in clouds.ts.
import type { CredentialKind } from "../../contract/credentials.ts";
import type { DialectRow } from "../../contract/dialects.ts";
import { ANTHROPIC_MESSAGES, OPENAI_CHAT, OPENAI_RESPONSES } from "../../contract/dialects.ts";

export interface Provider {
  /** What stands before the first slash of `model`. */
  name: string;
  /** For people: the company or project. */
  title: string;
  /** Other spellings of the name, with `_`: those of LiteLLM, the AI SDK and others. */
  aliases?: readonly string[];
  /** Absent: the user has to give one (`vllm`), or there is none (`demo`). */
  baseUrl?: string;
  /** What precedes the dialect's endpoint at an address without a path, if it is not the dialect's. */
  basePath?: string;
  /** The demonstration model, served by the control plane itself. */
  embedded?: true;
  dialect: DialectRow;
  /** Whether it also serves the Responses API at its own address, so that Responses clients pass unchanged. */
  servesResponses?: true;
  /** Other formats, which `provider_interface` selects. */
  apis?: readonly OtherApi[];
  /** How the key is sent, if there is one. */
  auth: CredentialKind;
  /** Whether `access_key` is required at the provider's own address. */
  needsKey: boolean;
  /**
   * Whether `stream_options.include_usage` may be asked for. False where the provider refuses it, or
   * where every stream ends in a usage chunk anyway.
   */
  asksForUsage: boolean;
  /** Environment variables in which users have the key, the provider's own first. */
  variables?: readonly string[];
  /** The bare name of a model that accepts tools, for `model: none` and agents; absent: `gateway init` does not add the provider. */
  usualModel?: string;
  /** What users should know, for docs/providers.md; Markdown. */
  note?: string;
  /** Where address, formats and variables were read, and when. */
  source: string;
}

/** A format besides that of the row. */
export interface OtherApi {
  dialect: DialectRow;
  /** Absent: the address of the row. */
  baseUrl?: string;
  auth: CredentialKind;
}

/** When the sources of the rows were read. */
export const CHECKED = "2026-11-23";

/** LiteLLM: `litellm` on PyPI. */
export const LITELLM = "LiteLLM 1.109.1";
/** `@ai-sdk/*` on npm. */
export const AI_SDK = "AI SDK (November 2026)";
/** `pydantic-ai-slim` on PyPI. */
export const PYDANTIC = "pydantic-ai 2.68.0";
/** `@earendil-works/pi-ai` on npm. */
export const PI = "pi-ai 1.5.2";
/** Its notes cite the providers' documentation. */
export const MODELS_DEV = "models.dev f3fc692";
/** `@mastra/core` on npm: the registry of models.dev in September 2026. */
export const MASTRA = "mastra 1.71.0";

/** Returns the source of a row. */
export function read(...sources: string[]): string {
  return `${sources.join(", ")}; ${CHECKED}`;
}

/** A row of the usual kind: OpenAI's format, a bearer key, usage on request. */
export function chat(
  name: string,
  title: string,
  baseUrl: string | undefined,
  more: Partial<Provider> & Pick<Provider, "source">,
): Provider {
  return {
    name,
    title,
    ...(baseUrl === undefined ? {} : { baseUrl }),
    dialect: OPENAI_CHAT,
    auth: OPENAI_CHAT.credential,
    needsKey: true,
    asksForUsage: OPENAI_CHAT.asksForUsage,
    ...more,
  };
}

/** Anthropic's format at another address. */
export function messagesAt(baseUrl: string, auth = ANTHROPIC_MESSAGES.credential): OtherApi {
  return { dialect: ANTHROPIC_MESSAGES, baseUrl, auth };
}

/** The Responses API: at the address of the row, or at another one. */
export function responsesAt(baseUrl?: string): OtherApi {
  return {
    dialect: OPENAI_RESPONSES,
    auth: OPENAI_RESPONSES.credential,
    ...(baseUrl === undefined ? {} : { baseUrl }),
  };
}
