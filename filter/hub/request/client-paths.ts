// What a client's dialect calls the members that a target may not support: the request writers list them by these names.
import { constant, Span } from "../../bytes/text/bytes";

export class ClientPaths {
  messages: Span;
  maxTokens: Span;
  stop: Span;
  effort: Span;
  thinking: Span;
  format: Span;
  user: Span;
  image: Span;
  document: Span;
  /** What forbids parallel tool calls. */
  parallel: Span;
  /** Cache marks of parts and of tools. */
  cache: Span;
  toolCache: Span;
  /** Reasoning as text, and encrypted. */
  reasoning: Span;
  redacted: Span;
  /** Arguments of a tool call. */
  arguments: Span;
  /** The strictness of tools. */
  strict: Span;
  /** How closely a model looks at an image. */
  detail: Span;
  /** What asks for fast mode. */
  speed: Span;
}

const NONE = constant("");

/** Of a report that no client's request has used yet. */
export const NO_PATHS: ClientPaths = {
  messages: NONE,
  maxTokens: NONE,
  stop: NONE,
  effort: NONE,
  thinking: NONE,
  format: NONE,
  user: NONE,
  image: NONE,
  document: NONE,
  parallel: NONE,
  cache: NONE,
  toolCache: NONE,
  reasoning: NONE,
  redacted: NONE,
  arguments: NONE,
  strict: NONE,
  detail: NONE,
  speed: NONE,
};
