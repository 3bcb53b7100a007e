// The dialects, in the order of their indices. Adding one: its folder, and a line here.
import { byteAt, endsWith, startsWith } from "../bytes/text/at";
import { Span } from "../bytes/text/bytes";
import { AnthropicMessages } from "./anthropic/messages/dialect";
import { BedrockConverse } from "./aws/converse/dialect";
import { ClientDialect } from "./client-dialect";
import { Gemini } from "./google/gemini/dialect";
import { OpenaiChat } from "./openai/chat/dialect";
import { OpenaiResponses } from "./openai/responses/dialect";
import { ProviderDialect } from "./provider-dialect";

const SLASH: u32 = 0x2f;

/** The dialect of everything that belongs to no dialect: unknown paths, /healthz, the list of models. */
const FIRST: ClientDialect = new OpenaiChat();

/** Those that clients use. */
export const CLIENT_DIALECTS: ClientDialect[] = [
  FIRST,
  new AnthropicMessages(),
  new OpenaiResponses(),
];

/** All of them, the clients' first. */
export const DIALECTS: ProviderDialect[] = [
  CLIENT_DIALECTS[0],
  CLIENT_DIALECTS[1],
  CLIENT_DIALECTS[2],
  new BedrockConverse(),
  new Gemini(),
];

for (let i = 0; i < DIALECTS.length; i++) {
  const dialect = DIALECTS[i];
  dialect.index = i;
  dialect.supporter = 1 << i;
  for (let j = 0; j < dialect.supported.length; j++)
    dialect.supported[j].supporters |= dialect.supporter;
}

export function defaultDialect(): ClientDialect {
  return FIRST;
}

/** Returns the dialect by its name in the filter's configuration, or null. */
export function dialectByName(name: string): ProviderDialect | null {
  for (let i = 0; i < DIALECTS.length; i++) {
    if (DIALECTS[i].name == name) return DIALECTS[i];
  }
  return null;
}

/** Returns a provider's dialect as its clients use it; the default one if no client uses it. */
export function asClientDialect(dialect: ProviderDialect): ClientDialect {
  return dialect.index < CLIENT_DIALECTS.length ? CLIENT_DIALECTS[dialect.index] : FIRST;
}

/**
 * Returns the dialect of a client's path without its query that no endpoint has: by an endpoint above it, or by its end, which a
 * base URL with a path of its own has (`/anthropic/v1/messages`).
 */
export function dialectOfPath(path: Span, length: u32): ClientDialect {
  for (let i = 0; i < CLIENT_DIALECTS.length; i++) {
    const own = CLIENT_DIALECTS[i].path;
    if (endsWith(path.pointer, length, own)) return CLIENT_DIALECTS[i];
    if (
      length > own.length &&
      startsWith(path.pointer, length, own) &&
      byteAt(path.pointer, own.length) == SLASH
    )
      return CLIENT_DIALECTS[i];
  }
  return FIRST;
}
